/** Tables for channels and releases. `scripts.staging` duplicates the parts that executions need. */
import { flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

/** Channels other than `stable`, whose version is stored in `scripts`. */
const scriptChannels = {
  script_id: text,
  name: text,
  version: number,
  /** JSON: the tags and the plan IDs whose keys get this channel. */
  tags: withDefault(text),
  plans: withDefault(text),
  created_at: number,
}
export type ScriptChannelsTable = TableOf<typeof scriptChannels>

export type ReleaseState = 'running' | 'paused' | 'completed' | 'rolled_back' | 'replaced'
/** Who rolled a release back: the guard, or a person. */
export type RolledBackBy = 'guard' | 'team'
/** What to do if a version performs worse: roll everyone back, keep the percentage, or do nothing. */
export type ReleaseGuard = 'roll_back' | 'hold' | 'off'

/** At most one release per channel is running or paused. */
const releases = {
  seq,
  id: text,
  script_id: text,
  channel: text,
  version: number,
  /** The version that everyone else gets. */
  version_before: number,
  /** Percentage of customers who get the released version, from 1 to 100. */
  percent: number,
  /** JSON: the percentages still to come, in ascending order. */
  steps: text,
  /** Milliseconds between two steps. */
  step_ms: number,
  /**
   * When the next step is due or, at 100 percent, when the release is completed. Null if the release doesn't
   * advance automatically.
   */
  next_at: nullable(number),
  guard: textOf<ReleaseGuard>(),
  state: withDefault(textOf<ReleaseState>()),
  /** Whether the guard blocks the next step. */
  held: withDefault(flag),
  /** Combined with a customer's key or device to determine whether the customer gets the version. */
  salt: text,
  started_at: number,
  ended_at: nullable(number),
  /** Number of customers of the version at the guard's last comparison. */
  looked_at: withDefault(number),
  /** JSON: the guard's last result, or the reason why the release ended. */
  evidence: nullable(text),
}
export type ReleasesTable = TableOf<typeof releases>

/** Customers of a running release, with their first run of each of its two versions. */
const releaseCustomers = {
  release_id: text,
  /** 1 for the released version, 0 for the previous one. */
  fresh: flag,
  /** Hash of a license key, or of a guest's device identifier. */
  customer: text,
  executor: text,
  exec: text,
  /** Whether this run crashed, or was denied because of the version. */
  bad: withDefault(flag),
}
export type ReleaseCustomersTable = TableOf<typeof releaseCustomers>

export const releaseTables = {
  script_channels: scriptChannels,
  releases,
  release_customers: releaseCustomers,
}
