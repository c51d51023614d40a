/** The log of executions: granted, denied and crashed. */
import type { KickReason } from '@scriptward/client/live-messages'
import type { DenialReason } from '@scriptward/client/messages'
import { flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/**
 * How a run ended: `finished` if its client announced the end, `lost` if its heartbeats stopped, `vanished`
 * if no heartbeat ever arrived, `unknown` if its client sends none, and otherwise the reason the server ended
 * it.
 */
export type Ending = 'finished' | 'lost' | 'vanished' | 'unknown' | KickReason

/**
 * One row per execution. References neither its project nor its script, because deleting millions of rows
 * with a project would block the writer. Instead, `prune-log` deletes rows by age.
 */
const executionLog = {
  seq,
  project_id: text,
  script_id: text,
  script_version: number,
  /** When the execution was granted or denied. */
  at: number,
  outcome: textOf<'granted' | 'denied' | 'crashed'>(),
  /** Why the execution was denied. */
  reason: nullable(textOf<DenialReason>()),
  /** The value that the denial rejected, masked if it is secret. */
  value: nullable(text),
  /** Number of preceding denials that arrived too fast to be stored. */
  left_out: withDefault(number),
  exec: text,
  user_key: nullable(text),
  /** Hash that identifies a guest's device. */
  device: nullable(text),
  executor: text,
  runtime: text,
  /** When an ended run was last active. Null for denials, and while the run's row in `instances` exists. */
  ended_at: nullable(number),
  ending: nullable(textOf<Ending>()),
}
export type ExecutionLogTable = TableOf<typeof executionLog>

/**
 * Counts of a version's runs, per executor and day. The row with an empty executor counts all executors, and
 * the row for day 0 counts all days. Customers are counted only in rows for day 0.
 */
const versionHealth = {
  script_id: text,
  version: number,
  executor: text,
  /** Days since 1970 in UTC. */
  day: number,
  runs: withDefault(number),
  crashed: withDefault(number),
  vanished: withDefault(number),
  denied: withDefault(number),
  customers: withDefault(number),
  crashed_customers: withDefault(number),
}
export type VersionHealthTable = TableOf<typeof versionHealth>

/** Customers who ran a version, per executor and, with an empty executor, in total. */
const versionCustomers = {
  script_id: text,
  version: number,
  executor: text,
  /** Hash of a license key, or of a guest's device identifier. */
  customer: text,
  crashed: withDefault(flag),
}

/** At most one row: the last log row that is counted in `version_health`. */
const healthProgress = { id: number, counted: number }

export const logTables = {
  execution_log: executionLog,
  version_health: versionHealth,
  version_customers: versionCustomers,
  health_progress: healthProgress,
}
