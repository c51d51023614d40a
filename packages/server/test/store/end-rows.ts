/** One row of each table that stores webhook events about expiry and limits, for `rows.ts`. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT } from './access-rows.ts'

const expiryWatch = {
  project_id: 'prj_1',
  type: 'user.expired',
  done_to: AT,
  done_seq: 1,
} satisfies Insertable<Tables['expiry_watches']>

const limitNotice = { user_seq: 1, kind: 'quota', day: 20_000 } satisfies Insertable<Tables['limit_notices']>

/** Parents come before their children. */
export const endRows = { expiry_watches: expiryWatch, limit_notices: limitNotice }
