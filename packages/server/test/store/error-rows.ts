/** One valid row for each table of reported errors. */
import type { Insertable } from 'kysely'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT } from './access-rows.ts'

export const errorRows = {
  error_reports: {
    project_id: 'prj_1',
    script_id: 'scr_1',
    script_version: 1,
    exec: 'execution-1',
    user_key: null,
    executor: 'Garden',
    runtime: 'luau',
    kind: 'crash',
    text: 'attempt to index nil',
    at: '[12]',
    count: 1,
    tags: null,
    reported_at: AT,
  },
} satisfies Partial<{ [T in keyof Tables]: Insertable<Tables[T]> }>
