import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT } from './access-rows.ts'

export const plan = {
  id: 'pln_1',
  project_id: 'prj_1',
  name: 'Pro',
  clock_basis: 'first_use',
  clock_duration: 86_400_000,
  created_at: AT,
} satisfies Insertable<Tables['plans']>
