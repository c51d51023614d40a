/** Tables for errors reported by runs. */
import type { ErrorReport } from '@scriptward/client/live-messages'
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

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
  /** Number of occurrences that the report represents. */
  count: number,
  /** JSON: an object of strings. */
  tags: nullable(text),
  reported_at: number,
  /**
   * Start of the run if this is its first crash, which counts toward the version's health. Null otherwise.
   */
  crashed_run_at: nullable(number),
  /** Hash that identifies a guest's device. */
  device: nullable(text),
}
export type ErrorReportsTable = TableOf<typeof errorReports>

export type ErrorState = 'open' | 'resolved' | 'ignored'

/**
 * Groups of reports with the same position and message, created by
 * `features/errors/process-reports.ts`.
 */
const errorGroups = {
  seq,
  id: text,
  project_id: text,
  script_id: text,
  /** Digest of the location and the message, unique per script. */
  fingerprint: text,
  /** Kind, message and location of the latest report. */
  kind: textOf<ErrorReport['kind']>(),
  message: text,
  /** JSON: the innermost frame; null if the reports have none. */
  place: nullable(text),
  state: withDefault(textOf<ErrorState>()),
  note: nullable(text),
  first_at: number,
  last_at: number,
  first_version: number,
  last_version: number,
  occurrences: withDefault(number),
  runs: withDefault(number),
  /** Number of affected keys, plus the number of affected guest runs. */
  customers: withDefault(number),
  resolved_at: nullable(number),
  /** Live version when the group was resolved. */
  resolved_in_version: nullable(number),
  regressed_at: nullable(number),
}
export type ErrorGroupsTable = TableOf<typeof errorGroups>

/** Occurrences of a group by version, executor and day. */
const errorCounts = {
  error_id: text,
  dimension: textOf<'version' | 'executor' | 'day'>(),
  /** A version number, the name of an executor, or a date in UTC. */
  value: text,
  occurrences: number,
}
export type ErrorCountsTable = TableOf<typeof errorCounts>

/** Keys whose runs reported an error in the group. Guests are counted by run. */
const errorUsers = { error_id: text, user_key: text, occurrences: number, last_at: number }

/** Runs that recently reported an error in the group, so that each run is counted only once. */
const errorRuns = { error_id: text, exec: text, last_at: number }

/** The latest reports in a group. */
const errorSamples = {
  seq,
  error_id: text,
  exec: text,
  script_version: number,
  user_key: nullable(text),
  executor: text,
  runtime: text,
  kind: textOf<ErrorReport['kind']>(),
  /** The error message, with line numbers in the author's source. */
  text,
  /** JSON: the mapped frames, innermost first. */
  frames: text,
  tags: nullable(text),
  reported_at: number,
}
export type ErrorSamplesTable = TableOf<typeof errorSamples>

export const errorTables = {
  error_reports: errorReports,
  error_groups: errorGroups,
  error_counts: errorCounts,
  error_users: errorUsers,
  error_runs: errorRuns,
  error_samples: errorSamples,
}
