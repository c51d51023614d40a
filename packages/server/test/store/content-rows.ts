/** One row of each table that stores a project's remote content and server functions, for `rows.ts`. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT } from './access-rows.ts'

const variables = {
  project_id: 'prj_1',
  version: 1,
  data: '[{"name":"motd","value":"hello","scripts":null,"plans":null}]',
  updated_at: AT,
} satisfies Insertable<Tables['project_variables']>

const announcement = {
  id: 'ann_1',
  project_id: 'prj_1',
  text: 'Back at ten',
  level: 'info',
  until: AT + 1000,
  users: 1,
  keys: '["key"]',
  created_at: AT,
} satisfies Insertable<Tables['announcements']>

const savedViews = {
  project_id: 'prj_1',
  owner: 'per_1',
  data: '[{"list":"users","name":"Expiring","query":{"sort":"expires"},"columns":null}]',
  updated_at: AT,
} satisfies Insertable<Tables['saved_views']>

const trace = {
  id: 'trc_1',
  project_id: 'prj_1',
  script_id: 'scr_1',
  actor_kind: 'person',
  actor_id: 'per_1',
  actor_name: 'ada@example.com',
  bytes: 12,
  sha256: 'ab'.repeat(32),
  summary: '{"matches":0,"users":[]}',
  result: '{"versions":[],"accused":[],"candidates":[]}',
  created_at: AT,
} satisfies Insertable<Tables['traces']>

const serverFunction = {
  script_id: 'scr_1',
  name: 'price',
  source: Buffer.from([1, 2, 3]),
  source_bytes: 3,
  created_at: AT,
  updated_at: AT,
} satisfies Insertable<Tables['server_functions']>

export const contentRows = {
  project_variables: variables,
  announcements: announcement,
  saved_views: savedViews,
  traces: trace,
  server_functions: serverFunction,
}
