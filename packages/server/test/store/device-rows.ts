/** One row of each device table, for `rows.ts`. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT, CUSTOMER } from './access-rows.ts'

const PROJECT = 'prj_1'
const KEY = 'abcdefghijklmnopqrstuvwxyzABCDEF'

export const userDevice = {
  project_id: PROJECT,
  user_key: KEY,
  id: 'dev_1',
  bound_at: AT,
} satisfies Insertable<Tables['user_devices']>

export const userFingerprint = {
  user_key: KEY,
  project_id: PROJECT,
  component: 'machine',
  strength: 3,
  hash: 'beef',
} satisfies Insertable<Tables['user_fingerprints']>

export const userLabel = {
  project_id: PROJECT,
  label: '#vip',
  user_seq: 1,
} satisfies Insertable<Tables['user_labels']>

export const ffaDevice = {
  project_id: PROJECT,
  device: 'cafe',
  customer_id: CUSTOMER,
  script_id: 'scr_1',
  first_seen: AT,
} satisfies Insertable<Tables['ffa_devices']>
