/** Types of live sessions, their connections and their events. */
import type {
  BeatAnswer,
  BeatAsk,
  ChangingVariables,
  CloseReason,
  ErrorReport,
  KickReason,
  SessionCall,
} from '@scriptward/client/live-messages'
import type { Command, Reply } from './commands.ts'

/**
 * A running instance with a connection. API responses omit `exec`, and `customer_id`, which identifies the
 * owner.
 */
export type Session = {
  readonly id: string
  readonly exec: string
  readonly customer_id: string
  readonly project_id: string
  readonly script_id: string
  /** Null for a device running a free-for-all script. */
  readonly user_key: string | null
  readonly executor: string
  readonly game_user_id: string | null
  readonly place_id: string | null
  readonly job_id: string | null
  readonly script_version: number
  /** `detached` means that the connection was lost and may resume for a short time. */
  readonly state: 'ready' | 'detached'
  readonly created_at: number
  readonly last_seen: number
}

/** A session, with its process if another process holds it. */
export type FoundSession = Session & { readonly process?: string }

/** Field values that a session must have. Omitted fields match any value. */
export type SessionFilter = Partial<Omit<Session, 'state' | 'created_at' | 'last_seen'>>

/** A range in a list ordered by start time: from an index, or after a position, which requires an order. */
export type SessionRange = {
  readonly from?: number
  readonly limit?: number
  readonly order?: 'oldest' | 'newest'
  readonly after?: Pick<Session, 'created_at' | 'id'>
}

/** The session's last known permissions, which may change while the session is open. */
export type Rights = {
  readonly runs_until: number | null
  /** Whether the script may run only with a session. */
  readonly required: boolean
  /** Digest of the variables that the client has. */
  readonly variables_digest: string | null
}

export type Update = ChangingVariables & { readonly seconds_left: number | null }

/** The connection to the client. All calls return immediately. */
export type Connection = {
  /** The connection's number among those of the instance. The highest number is the current connection. */
  readonly epoch: number
  /** Returns false if too much data is buffered. */
  send(command: Command): boolean
  /** Sends the answer to a server function call from the client. */
  answer(id: string, answer: BeatAnswer): void
  /** Sends the client the reason for ending the session, and closes the connection. */
  kick(reason: KickReason): void
  /** Closes the connection, sending only the reason's code. */
  close(reason: CloseReason): void
  update(variables: Update): void
  /** Sends a ping if one is due. Returns false if the last pings were not answered. */
  ping(now: number): boolean
}

/** A connection's handle to its session. Calls have no effect after another connection has taken over. */
export type Registration = {
  /** Completes a command. Late replies are dropped. */
  reply(commandId: string, reply: Reply): void
  /** Marks a command as received by the client, so that its data is not resent. */
  acknowledge(commandId: string): void
  /** Answers a server function call from the client. */
  call(call: SessionCall): void
  /** Passes on error reports from the client. */
  report(reports: readonly ErrorReport[]): void
  seen(now: number): void
  /** Called when the connection is lost. The client may resume. */
  detach(now: number): void
  /** Called when the client has left. */
  leave(): void
}

/** Runs a server function call. Returns undefined if the session may not continue, and never rejects. */
export type AnswerCall = (session: Session, ask: BeatAsk) => Promise<BeatAnswer | undefined>

/** Processes error reports from a session. */
export type TakeReports = (session: Session, reports: readonly ErrorReport[]) => void

export type SessionEvent = {
  readonly type: 'opened' | 'detached' | 'resumed' | 'closed'
  readonly session: Session
}

export type SessionListener = {
  onEvent(event: SessionEvent): void
  /** Called when the server is stopping. */
  end(): void
}
