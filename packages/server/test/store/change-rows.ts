/** One valid row of every table for bulk changes. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT, CUSTOMER } from './access-rows.ts'

export const change = {
  id: 'chg_1',
  customer_id: CUSTOMER,
  project_id: 'prj_1',
  project_name: 'Garden',
  action: 'clear',
  actor_kind: 'api_key',
  actor_name: 'sw_12345',
  created_at: AT,
  touched_at: AT,
  state: 'done',
} satisfies Insertable<Tables['changes']>

const trashedRow = {
  change: 1,
  slice: 1,
  kind: 'users',
  user_key: 'gone',
  content: '{}',
} satisfies Insertable<Tables['trash']>

export const changeRows = { changes: change, trash: trashedRow }
