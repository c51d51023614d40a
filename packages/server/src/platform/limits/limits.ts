/** All rate limits and quotas of the server. */
import { availableParallelism } from 'node:os'
import type { Valkey } from '../valkey/valkey.ts'
import { AttemptLimiter } from './attempt-limiter.ts'
import { FairQueue } from './fair-queue.ts'
import { JointBuckets } from './joint-buckets.ts'
import { RecordCounter } from './record-counter.ts'

export type Limits = {
  /** Attempts of clients and visitors. */
  readonly attempts: AttemptLimiter
  /** Sign-in attempts. These limits can't be disabled. */
  readonly signIns: AttemptLimiter
  /** Requests to the management API, per API key. */
  readonly requests: JointBuckets
  /** Requests with a wrong API key, per network. */
  readonly wrongApiKeys: JointBuckets
  /** Denials that become webhook events, per project. */
  readonly deniedEvents: RecordCounter
  /** Errors in runs that become webhook events, per script. */
  readonly errorEvents: RecordCounter
  /** Denials written to the database, per user or project. */
  readonly deniedRecords: RecordCounter
  /** Security log records, per event and network or project. */
  readonly reports: RecordCounter
  /** Log records for a limit that rejects many consecutive requests. */
  readonly limitReports: RecordCounter
  /** Bulk changes, per account. */
  readonly bulkChanges: FairQueue
  /** Traces of leaked copies, per account. */
  readonly traces: FairQueue
  /** Password hashing, per network. */
  readonly passwords: FairQueue
}

const EVENTS_PER_MINUTE = 60
/** A broken version causes many new errors within minutes. */
const ERROR_EVENTS_PER_HOUR = 10
const HOUR_MS = 3_600_000
const RECORDS_PER_MINUTE = 12
const REPORTS_PER_MINUTE = 30
const LIMIT_REPORT_MS = 15 * 60_000
/** On SQLite, all other writes wait for at most one batch of each running bulk change. */
const BULK_CHANGES = { places: 2, runningEach: 1, waitingEach: 2 }

/**
 * A trace compares millions of executions in slices on the event loop. The worker pool schedules the text
 * searches.
 */
const TRACES = { places: 4, runningEach: 1, waitingEach: 1 }

/** Each hash uses 19 MiB of memory and takes up one of libuv's four threads for about 20 ms. */
const PASSWORDS = {
  places: Math.min(4, Math.max(1, availableParallelism() - 1)),
  runningEach: 2,
  waitingEach: 8,
}

/**
 * `clientRates` multiplies the attempt limits. 0 disables them. Without Valkey, this process counts only its
 * own attempts.
 */
export function openLimits(clientRates: number, valkey: Valkey | undefined): Limits {
  return {
    attempts: new AttemptLimiter(clientRates, valkey),
    signIns: new AttemptLimiter(1, valkey),
    requests: new JointBuckets(valkey),
    wrongApiKeys: new JointBuckets(valkey),
    deniedEvents: new RecordCounter(EVENTS_PER_MINUTE),
    errorEvents: new RecordCounter(ERROR_EVENTS_PER_HOUR, HOUR_MS),
    deniedRecords: new RecordCounter(RECORDS_PER_MINUTE),
    reports: new RecordCounter(REPORTS_PER_MINUTE),
    limitReports: new RecordCounter(1, LIMIT_REPORT_MS),
    bulkChanges: new FairQueue(BULK_CHANGES),
    traces: new FairQueue(TRACES),
    passwords: new FairQueue(PASSWORDS),
  }
}
