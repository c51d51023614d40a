/** One row of each table for a project's remote content and server functions, for `rows.ts`. */
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
  server_functions: serverFunction,
}
