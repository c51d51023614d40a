/**
 * What domain functions and endpoints are given besides their arguments. What only one function needs is an argument of
 * that function.
 */

import type { Config } from './config/config.ts'
import type { Database } from './database/engine/db.ts'
import type { Actor, Note } from './features/audit/entry.ts'
import type { RefusedRequests } from './features/audit/refused-counter.ts'
import type { BackupThreads } from './features/backups/archive/backup-worker.ts'
import type { Obfuscator } from './features/builds/pool.ts'
import type { KeyUses } from './features/executions/key-uses.ts'
import type { OutcomeCounter } from './features/executions/outcome-counter.ts'
import type { CallCounter } from './features/functions/call-counter.ts'
import type { PausedCalls } from './features/functions/paused-calls.ts'
import type { Sandbox } from './features/functions/sandbox/sandbox.ts'
import type { JobRecords } from './features/system/job-records.ts'
import type { Offload } from './offload/pool.ts'
import type { Limits } from './platform/limits/limits.ts'
import type { Secrets } from './platform/secrets/keyring.ts'
import type { Spans } from './platform/tracing/spans.ts'
import type { ClientProtocol } from './protocol/client.ts'
import type { SessionHub } from './protocol/sessions/hub.ts'
import type { SessionNetwork } from './protocol/sessions/network.ts'
import type { Readiness } from './readiness.ts'
import type { Finding } from './runtime-checks.ts'

export type Deps = {
  readonly config: Config
  readonly db: Database
  /** The same for what a request does beside the change that it asks for, such as a reservation: without audit entry. */
  readonly unauditedDb: Database
  /** Milliseconds since 1970 in UTC; the only clock. */
  readonly now: () => number
  /** `count` bytes from a cryptographically secure generator; the only randomness. */
  readonly random: (count: number) => Buffer
  readonly secrets: Secrets
  readonly limits: Limits
  /** How executions ended, until `write-outcomes` writes it. */
  readonly outcomes: OutcomeCounter
  /** Where keys were used, until `write-key-uses` writes it. */
  readonly keyUses: KeyUses
  readonly sessions: LiveSessions
  readonly obfuscator: Obfuscator
  /** Runs what could block the event loop. */
  readonly offload: Offload
  /** Runs server functions. */
  readonly sandbox: Sandbox
  /** Calls of server functions, until `write-function-calls` writes them. */
  readonly functionCalls: CallCounter
  /** Functions and accounts whose calls are not run for a while. */
  readonly pausedCalls: PausedCalls
  /** Refused requests, until `write-refused-requests` writes them to the audit log. */
  readonly refusedRequests: RefusedRequests
  /** Of this process. */
  readonly jobs: JobRecords
  readonly backups: BackupThreads
  readonly readiness: Readiness
  /** What the doctor finds that can be asked while the service runs. */
  readonly examine: () => Promise<Finding[]>
  readonly log: Log
  /** Pieces of work for traces; of a request, those below it. */
  readonly spans: Spans
  /** What the client protocol keeps in memory. */
  readonly client: ClientProtocol
  /** Who makes the change that is being made; absent where nobody asked for it. */
  readonly author?: Actor
  /** Adds to the audit entry of the change that is being made; does nothing where there is none. */
  readonly note: (note: Note) => void
}

/** The log of the service. What is written to it never holds a secret. */
type Log = {
  info(members: LogMembers, message: string): void
  warn(members: LogMembers, message: string): void
}
type LogMembers = Readonly<Record<string, string | number | null>>

export type LiveSessions = {
  /** Sessions that this process holds. */
  readonly hub: SessionHub
  /** Sessions of all processes. */
  readonly network: SessionNetwork
}
