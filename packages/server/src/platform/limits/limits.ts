/** All counters of the service that limit how often something may happen. */
import { availableParallelism } from 'node:os'
import type { Valkey } from '../valkey/valkey.ts'
import { AttemptLimiter } from './attempt-limiter.ts'
import { FairQueue } from './fair-queue.ts'
import { JointBuckets } from './joint-buckets.ts'
import { RecordCounter } from './record-counter.ts'

export type Limits = {
  /** Attempts of clients and visitors. */
  readonly attempts: AttemptLimiter
  /** Attempts of people to sign in; no setting switches these limits off. */
  readonly signIns: AttemptLimiter
  /** Requests of the management API, by API key. */
  readonly requests: JointBuckets
  /** Requests with a wrong API key, by network. */
  readonly wrongApiKeys: JointBuckets
  /** Denials that become events of a project's owner, by project. */
  readonly deniedEvents: RecordCounter
  /** Denials that are written to the database, by user or project. */
  readonly deniedRecords: RecordCounter
  /** Records of the log about security, by event and network or project. */
  readonly reports: RecordCounter
  /** The same for a limit that refuses request after request. */
  readonly limitReports: RecordCounter
  /** Changes of many users, by customer. */
  readonly bulkChanges: FairQueue
  /** Searches for the users that a copy was served to, by customer. */
  readonly traces: FairQueue
  /** Hashes of passwords, by network. */
  readonly passwords: FairQueue
}

const EVENTS_PER_MINUTE = 60
const RECORDS_PER_MINUTE = 12
const REPORTS_PER_MINUTE = 30
const LIMIT_REPORT_MS = 15 * 60_000
/** On SQLite every other write waits for at most one slice of each that runs. */
const BULK_CHANGES = { places: 2, runningEach: 1, waitingEach: 2 }

/** A search compares millions of executions in slices on the event loop; the pool has turns of its own for the texts. */
const TRACES = { places: 4, runningEach: 1, waitingEach: 1 }

/** Each takes 19 MiB and some 20 ms of a thread of libuv, which has four for everything. */
const PASSWORDS = {
  places: Math.min(4, Math.max(1, availableParallelism() - 1)),
  runningEach: 2,
  waitingEach: 8,
}

/** `clientRates` is a factor on the limits of attempts; 0 switches them off. Without Valkey this process counts alone. */
export function openLimits(clientRates: number, valkey: Valkey | undefined): Limits {
  return {
    attempts: new AttemptLimiter(clientRates, valkey),
    signIns: new AttemptLimiter(1, valkey),
    requests: new JointBuckets(valkey),
    wrongApiKeys: new JointBuckets(valkey),
    deniedEvents: new RecordCounter(EVENTS_PER_MINUTE),
    deniedRecords: new RecordCounter(RECORDS_PER_MINUTE),
    reports: new RecordCounter(REPORTS_PER_MINUTE),
    limitReports: new RecordCounter(1, LIMIT_REPORT_MS),
    bulkChanges: new FairQueue(BULK_CHANGES),
    traces: new FairQueue(TRACES),
    passwords: new FairQueue(PASSWORDS),
  }
}
