/** The log of executions: granted, denied and crashed. */
import type { KickReason } from '@scriptward/client/live-messages'
import type { DenialReason } from '@scriptward/client/messages'
import { nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/**
 * How a run ended: `finished` if its client announced the end, `lost` if its heartbeats stopped, `vanished` if none ever
 * arrived, `unknown` if it sends none, otherwise why the server ended it.
 */
export type Ending = 'finished' | 'lost' | 'vanished' | 'unknown' | KickReason

/**
 * One row per execution. References neither its project nor its script, because deleting millions of rows with a project would
 * block the writer; `prune-log` deletes them by age.
 */
const executionLog = {
  seq,
  project_id: text,
  script_id: text,
  script_version: number,
  /** When it was granted or denied. */
  at: number,
  outcome: textOf<'granted' | 'denied' | 'crashed'>(),
  /** Why it was denied. */
  reason: nullable(textOf<DenialReason>()),
  /** The value that the denial rejected, masked if it is secret. */
  value: nullable(text),
  /** Number of preceding denials that arrived too fast to be stored. */
  left_out: withDefault(number),
  exec: text,
  user_key: nullable(text),
  /** Hash that identifies the device of a guest. */
  device: nullable(text),
  executor: text,
  runtime: text,
  /** Last sign of life of an ended run; null for denials and while the run's row in `instances` exists. */
  ended_at: nullable(number),
  ending: nullable(textOf<Ending>()),
}
export type ExecutionLogTable = TableOf<typeof executionLog>

export const logTables = { execution_log: executionLog }
