/**
 * Live sessions of this process: their data, the commands sent to them, and listeners for their events.
 * `socket.ts` encrypts a connection's frames, and the domain layer decides who may send commands.
 */
import {
  type CloseReason,
  type ErrorReport,
  type KickReason,
  RESUME_MS,
  type SessionCall,
} from '@scriptward/client/live-messages'
import { Calls } from './calls.ts'
import { Commands, type Message, type Outcome, type Reply } from './commands.ts'
import type {
  AnswerCall,
  Connection,
  Registration,
  Rights,
  Session,
  SessionEvent,
  SessionFilter,
  SessionListener,
  SessionRange,
  TakeReports,
} from './session.ts'
import { SessionIndex } from './session-index.ts'

/** The result of one pass over all sessions. */
export type Round = {
  /** Sessions with activity since the last round. */
  readonly seen: readonly Session[]
  /** Sessions that were ended because they didn't resume in time. */
  readonly lost: readonly Lost[]
  readonly expired: readonly Session[]
}

/**
 * `epoch` is the number of the last connection to this process. A client with a higher number is connected
 * elsewhere.
 */
export type Lost = { readonly session: Session; readonly rights: Rights; readonly epoch: number }

type Live = {
  session: Session
  rights: Rights
  /** Undefined while detached. */
  connection: Connection | undefined
  epoch: number
  /** The epoch of the session's first connection to this process. */
  readonly firstEpoch: number
  /** Created on the first call, because most sessions never make one. */
  calls: Calls | undefined
  /** Created on the first command, because most sessions never receive one. */
  commands: Commands | undefined
  /** Number of commands that another process has already sent to the client. */
  readonly commandsBefore: number
  detachedAt: number
  isSeen: boolean
  /** Number of the latest review whose data the client has. */
  review: number
}

export class SessionHub {
  readonly #waitMs: number
  readonly #now: () => number
  readonly #live = new SessionIndex<Live>()
  readonly #listeners = new Map<string, Set<SessionListener>>()
  readonly #actions: HubActions = {
    isHeld: (live) => this.#live.find(live.session.id) === live,
    detach: (live, now) => this.#detach(live, now),
    end: (live) => this.#end(live),
    call: (live, call) => void this.#call(live, call),
    report: (live, reports) => this.#takeReports(live.session, reports),
  }
  #reviews = 0
  #answerCall: AnswerCall = async () => undefined
  #takeReports: TakeReports = () => {}
  #onEvent: (event: SessionEvent, epoch: number) => void = (event) => this.announce(event)

  /** `waitMs` is how long `ask` waits for a reply. */
  constructor(waitMs: number, now: () => number) {
    this.#waitMs = waitMs
    this.#now = now
  }

  /**
   * Replaces any session with the same ID or instance. For a session that moves here from another process,
   * `commandsBefore` is the number of commands that were sent there.
   */
  register(
    session: Session,
    connection: Connection,
    rights: Rights = FREE,
    commandsBefore?: number,
  ): Registration {
    for (const former of [this.#live.find(session.id), this.#live.ofInstance(session.exec)])
      if (former !== undefined) this.#end(former, 'replaced')
    const live: Live = {
      session: this.#live.sharing(session),
      rights,
      connection,
      epoch: connection.epoch,
      firstEpoch: connection.epoch,
      calls: undefined,
      commands: undefined,
      commandsBefore: commandsBefore ?? 0,
      detachedAt: 0,
      isSeen: false,
      review: 0,
    }
    this.#live.add(live)
    this.#emit(commandsBefore === undefined ? 'opened' : 'resumed', live)
    return new HeldSession(this.#actions, live, connection)
  }

  /**
   * Resumes a session over a new connection. Returns undefined if the session has ended. `greet` is called
   * before unanswered commands are resent. The client has already received those up to `last`.
   */
  resume(
    { id, exec }: Pick<Session, 'id' | 'exec'>,
    connection: Connection,
    { last, greet }: { readonly last: string | undefined; readonly greet: () => void },
  ): Registration | undefined {
    const live = this.#live.find(id)
    if (live?.session.exec !== exec) return undefined
    live.connection?.close('replaced')
    live.connection = connection
    live.epoch = connection.epoch
    live.session = { ...live.session, state: 'ready', last_seen: this.#now() }
    live.isSeen = true
    greet()
    this.#emit('resumed', live)
    live.commands?.sendAgain(last, (command) => connection.send(command))
    return new HeldSession(this.#actions, live, connection)
  }

  has(id: string): boolean {
    return this.#live.find(id) !== undefined
  }

  get size(): number {
    return this.#live.size
  }

  /** Returns all sessions with the number of their last connection. */
  all(): { readonly session: Session; readonly epoch: number }[] {
    return this.#live.list({}).map(({ session, epoch }) => ({ session, epoch }))
  }

  find(id: string): Session | undefined {
    return this.#live.find(id)?.session
  }

  /** Ordered by start time. */
  list(filter: SessionFilter, { after, from = 0, limit, order }: SessionRange = {}): Session[] {
    const all = this.#live.list(filter).map((live) => live.session)
    const end = limit === undefined ? undefined : from + limit
    // The list is already ordered. Only `after`, a position in the list, needs a tie-breaker for sessions
    // that began in the same millisecond.
    if (order === undefined) return all.slice(from, end)
    const compare = order === 'newest' ? (a: Place, b: Place) => inOrder(b, a) : inOrder
    const rest = after === undefined ? all : all.filter((session) => compare(session, after) > 0)
    return rest.sort(compare).slice(from, end)
  }

  count(filter: SessionFilter): number {
    return this.#live.list(filter).length
  }

  /** Returns false if the session doesn't exist. */
  disconnect(id: string, reason: KickReason = 'disconnected'): boolean {
    const live = this.#live.find(id)
    if (live === undefined) return false
    live.connection?.kick(reason)
    this.#end(live)
    return true
  }

  /**
   * Waits for the client's reply. Resolves to undefined if the session doesn't exist. Delivers at most once.
   */
  async ask(id: string, message: Message): Promise<Outcome | undefined> {
    const live = this.#live.find(id)
    if (live === undefined) return undefined
    const { connection } = live
    live.commands ??= new Commands(this.#waitMs, this.#now, live.commandsBefore)
    return live.commands.ask(message, connection && ((command) => connection.send(command)))
  }

  /** Returns the session of an instance, its connection and its last known permissions. */
  ofInstance(exec: string): Pick<Live, 'session' | 'rights' | 'connection'> | undefined {
    return this.#live.ofInstance(exec)
  }

  /** Replaces the permissions of an instance's session. */
  updateRights(exec: string, rights: Rights): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) live.rights = rights
  }

  /** Returns a number for a review of sessions, which must be taken before the review reads anything. */
  beginReview(): number {
    this.#reviews += 1
    return this.#reviews
  }

  /**
   * Returns whether a review may use its data for an instance's session. It may not if a review that began
   * later was faster, because its own data may be older.
   */
  takeReview(exec: string, review: number): boolean {
    const live = this.#live.ofInstance(exec)
    if (live === undefined || live.review > review) return false
    live.review = review
    return true
  }

  /** Makes the next round report the session as seen, so that it is reviewed again. */
  reviewAgain(exec: string): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) live.isSeen = true
  }

  /**
   * Ends an instance's session without a kick, because the client requested the end or another process now
   * holds the session. If `epoch` is given, the session ends only if its last connection here has that
   * number.
   */
  end(exec: string, reason: CloseReason, epoch?: number): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined && (epoch ?? live.epoch) === live.epoch) this.#end(live, reason)
  }

  /**
   * Hands a session over to the process that its client connected to. Listeners get no event, because the
   * session hasn't ended.
   */
  handOver(exec: string): { session: Session; commands: number } | undefined {
    const live = this.#live.ofInstance(exec)
    if (live === undefined) return undefined
    const { session, connection, commands, commandsBefore } = live
    commands?.end()
    this.#live.remove(live)
    live.connection = undefined
    connection?.close('replaced')
    return { session, commands: commands?.count ?? commandsBefore }
  }

  /** Sends due pings, and ends sessions that have been detached for too long. */
  round(now: number): Round {
    const seen: Session[] = []
    const lost: Lost[] = []
    const expired: Session[] = []
    for (const live of this.#live.list({})) {
      const { session, rights, connection } = live
      if (rights.runs_until !== null && rights.runs_until <= now) expired.push(session)
      if (live.isSeen) seen.push(session)
      live.isSeen = false
      if (connection !== undefined && !connection.ping(now)) this.#drop(live, connection, now)
      else if (connection === undefined && now - live.detachedAt >= RESUME_MS) {
        this.#end(live)
        lost.push({ session, rights, epoch: live.epoch })
      }
    }
    return { seen, lost, expired }
  }

  /** Sends every event of a project's sessions to `listener` until the returned function is called. */
  subscribe(projectId: string, listener: SessionListener): () => void {
    const listeners = this.#listeners.get(projectId) ?? new Set()
    this.#listeners.set(projectId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(projectId) === listeners)
        this.#listeners.delete(projectId)
    }
  }

  /** Answers server function calls from all clients with `answer`. */
  answerCalls(answer: AnswerCall): void {
    this.#answerCall = answer
  }

  /** Passes error reports from all clients to `take`. */
  takeReports(take: TakeReports): void {
    this.#takeReports = take
  }

  /**
   * Sends every event to `onEvent` instead of the project's listeners, with the number of the session's last
   * connection.
   */
  divert(onEvent: (event: SessionEvent, epoch: number) => void): void {
    this.#onEvent = onEvent
  }

  /** Sends an event to the listeners of its project, whichever process holds the session. */
  announce(event: SessionEvent): void {
    const listeners = this.#listeners.get(event.session.project_id)
    if (listeners === undefined) return
    for (const listener of [...listeners]) listener.onEvent(event)
  }

  countListeners(projectId: string): number {
    return this.#listeners.get(projectId)?.size ?? 0
  }

  /**
   * Ends every session, so that pending commands settle. Clients reconnect to another process, or to this one
   * after a restart.
   */
  close(): void {
    for (const live of this.#live.list({})) this.#end(live, 'restart')
    this.endListeners()
  }

  /** Ends all listeners, because they missed events and must start over. */
  endListeners(): void {
    for (const listeners of [...this.#listeners.values()]) for (const one of [...listeners]) one.end()
  }

  /**
   * Sends the answer over the session's current connection, which may not be the one that the call came from.
   */
  async #call(live: Live, call: SessionCall): Promise<void> {
    live.calls ??= new Calls(live.firstEpoch)
    const known = live.calls.begin(call)
    if (known === 'running') return
    const answer = known === 'new' ? await this.#answerCall(live.session, call.a) : known
    if (answer === undefined) return
    if (known === 'new') live.calls.settle(call.id, answer)
    live.connection?.answer(call.id, answer)
  }

  #drop(live: Live, connection: Connection, now: number): void {
    connection.close('timeout')
    this.#detach(live, now)
  }

  #detach(live: Live, now: number): void {
    live.connection = undefined
    live.detachedAt = now
    live.session = { ...live.session, state: 'detached' }
    this.#emit('detached', live)
  }

  #end(live: Live, reason?: CloseReason): void {
    live.commands?.end()
    if (!this.#live.remove(live)) return
    const { connection } = live
    live.connection = undefined
    if (reason !== undefined) connection?.close(reason)
    this.#emit('closed', live)
  }

  #emit(type: SessionEvent['type'], { session, epoch }: Live): void {
    this.#onEvent({ type, session }, epoch)
  }
}

/** The hub operations that session handles use. */
type HubActions = {
  readonly isHeld: (live: Live) => boolean
  readonly detach: (live: Live, now: number) => void
  readonly end: (live: Live) => void
  readonly call: (live: Live, call: SessionCall) => void
  readonly report: (live: Live, reports: readonly ErrorReport[]) => void
}

/**
 * This is a class rather than a set of closures to save memory, because there is one instance per connection.
 */
class HeldSession implements Registration {
  readonly #actions: HubActions
  readonly #live: Live
  readonly #connection: Connection

  constructor(actions: HubActions, live: Live, connection: Connection) {
    this.#actions = actions
    this.#live = live
    this.#connection = connection
  }

  reply(commandId: string, reply: Reply): void {
    this.#live.commands?.reply(commandId, reply)
  }

  acknowledge(commandId: string): void {
    this.#live.commands?.acknowledge(commandId)
  }

  call(call: SessionCall): void {
    if (this.#isCurrent()) this.#actions.call(this.#live, call)
  }

  report(reports: readonly ErrorReport[]): void {
    if (this.#isCurrent()) this.#actions.report(this.#live, reports)
  }

  seen(now: number): void {
    if (!this.#isCurrent()) return
    this.#live.isSeen = true
    this.#live.session = { ...this.#live.session, last_seen: now }
  }

  detach(now: number): void {
    if (this.#isCurrent()) this.#actions.detach(this.#live, now)
  }

  leave(): void {
    if (this.#isCurrent()) this.#actions.end(this.#live)
  }

  #isCurrent(): boolean {
    return this.#live.connection === this.#connection && this.#actions.isHeld(this.#live)
  }
}

type Place = Pick<Session, 'created_at' | 'id'>

/** Breaks ties between sessions that began in the same millisecond. */
function inOrder(a: Place, b: Place): number {
  if (a.created_at !== b.created_at) return a.created_at - b.created_at
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

const FREE: Rights = { runs_until: null, required: false, variables_digest: null }
