/**
 * Dependencies that domain functions and endpoints receive in addition to their arguments. A dependency
 * that only one function needs is passed as an argument.
 */

import type { Config } from './config/config.ts'
import type { Database } from './database/engine/db.ts'
import type { Actor, Note } from './features/audit/entry.ts'
import type { RefusedRequests } from './features/audit/refused-counter.ts'
import type { BackupThreads } from './features/backups/archive/backup-worker.ts'
import type { Obfuscator } from './features/builds/pool.ts'
import type { MemberQuestions } from './features/discord/member-questions.ts'
import type { PublicKeys } from './features/discord/public-keys.ts'
import type { KeyUses } from './features/executions/key-uses.ts'
import type { OutcomeCounter } from './features/executions/outcome-counter.ts'
import type { ProbeAsks } from './features/executors/asks.ts'
import type { CallCounter } from './features/functions/call-counter.ts'
import type { PausedCalls } from './features/functions/paused-calls.ts'
import type { Sandbox } from './features/functions/sandbox/sandbox.ts'
import type { DemandCounter } from './features/hub/demand-counter.ts'
import type { JobRecords } from './features/system/job-records.ts'
import type { RequestFigures } from './features/system/request-figures.ts'
import type { Offload } from './offload/pool.ts'
import type { ProviderGateway } from './platform/ad-providers/gateway.ts'
import type { DiscordApi } from './platform/discord/api.ts'
import type { Limits } from './platform/limits/limits.ts'
import type { Secrets } from './platform/secrets/keyring.ts'
import type { Spans } from './platform/tracing/spans.ts'
import type { ClientProtocol } from './protocol/client.ts'
import type { SessionNetwork } from './protocol/sessions/network.ts'
import type { SessionHub } from './protocol/sessions/session-hub.ts'
import type { Readiness } from './readiness.ts'
import type { Finding } from './runtime-checks.ts'

export type Deps = {
  readonly config: Config
  readonly db: Database
  /** Database for side effects of a request, such as a reservation, which get no audit entry. */
  readonly unauditedDb: Database
  /** The only clock, in milliseconds since 1970 UTC. */
  readonly now: () => number
  /** The only source of randomness: returns `count` bytes from a cryptographically secure generator. */
  readonly random: (count: number) => Buffer
  readonly secrets: Secrets
  readonly limits: Limits
  /** The ad providers' APIs. */
  readonly providers: ProviderGateway
  /** The Discord bots of all projects. */
  readonly discord: {
    readonly api: DiscordApi
    readonly keys: PublicKeys
    readonly questions: MemberQuestions
  }
  /** Counts execution results until `write-outcomes` saves them. */
  readonly outcomes: OutcomeCounter
  /** Counts key uses by network until `write-key-uses` saves them. */
  readonly keyUses: KeyUses
  /** Decides which executors are asked to report their functions. */
  readonly executorAsks: ProbeAsks
  readonly sessions: LiveSessions
  readonly obfuscator: Obfuscator
  /** Runs work that could block the event loop. */
  readonly offload: Offload
  /** Runs server functions. */
  readonly sandbox: Sandbox
  /** Counts server function calls until `write-function-calls` saves them. */
  readonly functionCalls: CallCounter
  /** Counts requests from unsupported games until `write-hub-demand` saves them. */
  readonly hubDemand: DemandCounter
  /** Functions and accounts whose calls are temporarily paused. */
  readonly pausedCalls: PausedCalls
  /** Counts denied requests until `write-refused-requests` saves them to the audit log. */
  readonly refusedRequests: RefusedRequests
  /** Records of the jobs that this process ran. */
  readonly jobs: JobRecords
  /** Counts this process's requests. */
  readonly requests: RequestFigures
  readonly backups: BackupThreads
  readonly readiness: Readiness
  /** Runs the doctor's checks that work on a running server. */
  readonly examine: () => Promise<Finding[]>
  readonly log: Log
  /** Spans for traces. Within a request, they are children of the request's span. */
  readonly spans: Spans
  /** In-memory state of the client protocol. */
  readonly client: ClientProtocol
  /** The actor making the current change. Absent for automatic changes. */
  readonly author?: Actor
  /** Adds to the current change's audit entry. Does nothing if there is none. */
  readonly annotateAudit: (note: Note) => void
}

/** The server's log. Secrets must never be written to it. */
type Log = {
  info(members: LogMembers, message: string): void
  warn(members: LogMembers, message: string): void
}
type LogMembers = Readonly<Record<string, string | number | null>>

export type LiveSessions = {
  /** Sessions held by this process. */
  readonly hub: SessionHub
  /** Sessions of all processes. */
  readonly network: SessionNetwork
}
