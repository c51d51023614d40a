/** One row of each table that stores bans and key uses, for `rows.ts`. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT } from './access-rows.ts'

const PROJECT = 'prj_1'

export const ban = {
  id: 'ban_1',
  project_id: PROJECT,
  kind: 'chat',
  value: '4712',
  created_at: AT,
} satisfies Insertable<Tables['bans']>

const banName = { project_id: PROJECT, name: 'c:4712', ban: 1 } satisfies Insertable<Tables['ban_names']>

const userNetwork = {
  user_seq: 1,
  project_id: PROJECT,
  network: '4cb007100',
  seen_at: AT,
} satisfies Insertable<Tables['user_networks']>

const userNetworkMark = {
  user_seq: userNetwork.user_seq,
  kind: 'network',
  hash: 'beef',
  seen_at: AT,
} satisfies Insertable<Tables['user_network_marks']>

/** Parents come before their children. */
export const banRows = {
  bans: ban,
  ban_names: banName,
  user_networks: userNetwork,
  user_network_marks: userNetworkMark,
}
