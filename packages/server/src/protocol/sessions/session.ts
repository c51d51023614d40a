/** What a live session is, what carries it, and what its observers see. */
import type { ChangingVariables, CloseReason, KickReason } from '@scriptward/client/live-messages'
import type { Command, Reply } from './commands.ts'

/** A running instance that holds a connection. `exec` and `customer_id`, its owner, are not in the API's answers. */
export type Session = {
  readonly id: string
  readonly exec: string
  readonly customer_id: string
  readonly project_id: string
  readonly script_id: string
  /** Null for a device that runs a free-for-all script. */
  readonly user_key: string | null
  readonly executor: string
  readonly game_user_id: string | null
  readonly place_id: string | null
  readonly job_id: string | null
  readonly script_version: number
  /** `detached` has lost its connection and may resume for a short while. */
  readonly state: 'ready' | 'detached'
  readonly created_at: number
  readonly last_seen: number
}

/** As another process holds it, where it does. */
export type FoundSession = Session & { readonly process?: string }

/** Members that a session must have; members that are left out may have any value. */
export type SessionFilter = Partial<Omit<Session, 'state' | 'created_at' | 'last_seen'>>

/** A part of a list in the order in which sessions began: from an index, or after a place in it, which needs an order. */
export type SessionRange = {
  readonly from?: number
  readonly limit?: number
  readonly order?: 'oldest' | 'newest'
  readonly after?: Pick<Session, 'created_at' | 'id'>
}

/** Rights of a session as this process last read them; they change while the session lasts. */
export type Rights = {
  readonly runs_until: number | null
  /** The script may not run without a session. */
  readonly required: boolean
  /** Digest of the variables that the client knows. */
  readonly variables_digest: string | null
}

export type Update = ChangingVariables & { readonly seconds_left: number | null }

/** The way to the client. All calls return at once. */
export type Connection = {
  /** Numbers the connections of one instance; the highest is the current one. */
  readonly epoch: number
  /** False when too much is buffered already. */
  send(command: Command): boolean
  /** Tells the client why the session was ended, and closes. */
  kick(reason: KickReason): void
  /** Closes with the reason's code alone. */
  close(reason: CloseReason): void
  update(variables: Update): void
  /** Pings when a ping is due; false when the last ones were not answered. */
  ping(now: number): boolean
}

/** A connection's handle on its session. No call has an effect after another connection took over. */
export type Registration = {
  /** Answers a command; an answer that comes too late is dropped. */
  reply(commandId: string, reply: Reply): void
  /** The client has the command, so its data is not sent again. */
  acknowledge(commandId: string): void
  seen(now: number): void
  /** The connection is lost, and the client may resume. */
  detach(now: number): void
  /** The client is gone. */
  leave(): void
}

export type SessionEvent = {
  readonly type: 'opened' | 'detached' | 'resumed' | 'closed'
  readonly session: Session
}

export type SessionListener = {
  onEvent(event: SessionEvent): void
  /** The service is stopping. */
  end(): void
}
