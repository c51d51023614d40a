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
  error_groups: {
    id: 'err_1',
    project_id: 'prj_1',
    script_id: 'scr_1',
    fingerprint: 'ab12',
    kind: 'crash',
    message: 'attempt to index nil',
    place: '{"output_line":12,"file":null,"line":3,"function":"buy"}',
    first_at: AT,
    last_at: AT,
    first_version: 1,
    last_version: 1,
    occurrences: 1,
    runs: 1,
    customers: 1,
  },
  error_counts: { error_id: 'err_1', dimension: 'version', value: '1', occurrences: 1 },
  error_users: { error_id: 'err_1', user_key: 'key', occurrences: 1, last_at: AT },
  error_runs: { error_id: 'err_1', exec: 'execution-1', last_at: AT },
  error_samples: {
    error_id: 'err_1',
    exec: 'execution-1',
    script_version: 1,
    user_key: 'key',
    executor: 'Garden',
    runtime: 'luau',
    kind: 'crash',
    text: 'attempt to index nil',
    frames: '[{"output_line":12,"file":null,"line":3,"function":"buy"}]',
    tags: null,
    reported_at: AT,
  },
} satisfies Partial<{ [T in keyof Tables]: Insertable<Tables[T]> }>
