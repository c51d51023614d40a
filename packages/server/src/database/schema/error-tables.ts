/** Tables of errors that runs report. */
import type { ErrorReport } from '@scriptward/client/live-messages'
import { nullable, number, seq, type TableOf, text, textOf } from './columns.ts'

/** Reports that runs sent and that no worker has grouped yet, oldest first. */
const errorReports = {
  seq,
  project_id: text,
  script_id: text,
  script_version: number,
  exec: text,
  user_key: nullable(text),
  executor: text,
  runtime: text,
  kind: textOf<ErrorReport['kind']>(),
  text,
  /** JSON: lines of the protected script, innermost first. */
  at: text,
  /** Occurrences that the report stands for. */
  count: number,
  /** JSON: an object of strings. */
  tags: nullable(text),
  reported_at: number,
}
export type ErrorReportsTable = TableOf<typeof errorReports>

export const errorTables = { error_reports: errorReports }
