/**
 * Live sessions of this process: who they are, the commands sent to them, and the listeners to their events. How a
 * connection seals its frames is in `socket.ts`; who may ask is decided in the domain.
 */
import { type CloseReason, type KickReason, RESUME_MS } from '@scriptward/client/live-messages'
import { Commands, type Message, type Outcome, type Reply } from './commands.ts'
import { SessionIndex } from './index.ts'
import type {
  Connection,
  Registration,
  Rights,
  Session,
  SessionEvent,
  SessionFilter,
  SessionListener,
  SessionRange,
} from './session.ts'

/** What one round through all sessions found. */
export type Round = {
  /** Showed a sign of life since the last round. */
  readonly seen: readonly Session[]
  /** Did not resume in time and were ended. */
  readonly lost: readonly Lost[]
  readonly expired: readonly Session[]
}

/** `epoch` is that of its last connection here; a client with a later one is held by another process. */
export type Lost = { readonly session: Session; readonly rights: Rights; readonly epoch: number }

type Live = {
  session: Session
  rights: Rights
  /** Undefined while it is detached. */
  connection: Connection | undefined
  epoch: number
  /** Made with the first command, since most sessions never get one. */
  commands: Commands | undefined
  /** How many commands another process sent to the client before. */
  readonly commandsBefore: number
  detachedAt: number
  isSeen: boolean
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
  }
  #onEvent: (event: SessionEvent, epoch: number) => void = (event) => this.announce(event)

  /** `waitMs` is how long `ask` waits for an answer. */
  constructor(waitMs: number, now: () => number) {
    this.#waitMs = waitMs
    this.#now = now
  }

  /**
   * Replaces a session that has the same id or instance. For one that moves here from another process,
   * `commandsBefore` is how many commands it was sent there.
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
      commands: undefined,
      commandsBefore: commandsBefore ?? 0,
      detachedAt: 0,
      isSeen: false,
    }
    this.#live.add(live)
    this.#emit(commandsBefore === undefined ? 'opened' : 'resumed', live)
    return new HeldSession(this.#actions, live, connection)
  }

  /**
   * Resumes a session over a new connection; undefined when it is over. `greet` is called before unanswered commands
   * are sent again; the client has those up to `last`.
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

  /** Each with the number of its last connection. */
  all(): { readonly session: Session; readonly epoch: number }[] {
    return this.#live.list({}).map(({ session, epoch }) => ({ session, epoch }))
  }

  find(id: string): Session | undefined {
    return this.#live.find(id)?.session
  }

  /** In the order in which they began. */
  list(filter: SessionFilter, { after, from = 0, limit, order }: SessionRange = {}): Session[] {
    const all = this.#live.list(filter).map((live) => live.session)
    const end = limit === undefined ? undefined : from + limit
    // They are in order already; only a place in the list needs one of those that began in one millisecond.
    if (order === undefined) return all.slice(from, end)
    const compare = order === 'newest' ? (a: Place, b: Place) => inOrder(b, a) : inOrder
    const rest = after === undefined ? all : all.filter((session) => compare(session, after) > 0)
    return rest.sort(compare).slice(from, end)
  }

  count(filter: SessionFilter): number {
    return this.#live.list(filter).length
  }

  /** False when there is no such session. */
  disconnect(id: string, reason: KickReason = 'disconnected'): boolean {
    const live = this.#live.find(id)
    if (live === undefined) return false
    live.connection?.kick(reason)
    this.#end(live)
    return true
  }

  /** Waits for the client's answer; undefined when there is no such session. Delivers at most once. */
  async ask(id: string, message: Message): Promise<Outcome | undefined> {
    const live = this.#live.find(id)
    if (live === undefined) return undefined
    const { connection } = live
    live.commands ??= new Commands(this.#waitMs, this.#now, live.commandsBefore)
    return live.commands.ask(message, connection && ((command) => connection.send(command)))
  }

  /** The session of an instance, its connection and its rights as last read. */
  ofInstance(exec: string): Pick<Live, 'session' | 'rights' | 'connection'> | undefined {
    return this.#live.ofInstance(exec)
  }

  /** Replaces the rights of an instance's session. */
  updateRights(exec: string, rights: Rights): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) live.rights = rights
  }

  /** The next round names it among those that were seen, so that it is reviewed once more. */
  reviewAgain(exec: string): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) live.isSeen = true
  }

  /**
   * Ends the session of an instance without a kick: the client asked for it, or another process holds it now. With an
   * `epoch`, only when its last connection here has that number.
   */
  end(exec: string, reason: CloseReason, epoch?: number): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined && (epoch ?? live.epoch) === live.epoch) this.#end(live, reason)
  }

  /** Hands a session over to the process that its client connected to. Listeners get no event: it did not end. */
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

  /** Pings where a ping is due, and ends sessions that were detached for too long. */
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

  /** Sends every event to `onEvent` instead of its listeners, with the number of the session's last connection. */
  divert(onEvent: (event: SessionEvent, epoch: number) => void): void {
    this.#onEvent = onEvent
  }

  /** Sends an event to the listeners of its project, whichever process holds the session. */
  announce(event: SessionEvent): void {
    const listeners = this.#listeners.get(event.session.project_id)
    if (listeners === undefined) return
    for (const listener of [...listeners]) listener.onEvent(event)
  }

  /** Listeners of a project. */
  countListeners(projectId: string): number {
    return this.#listeners.get(projectId)?.size ?? 0
  }

  /** Ends every session, so that pending commands settle; clients reconnect to another process or the next start. */
  close(): void {
    for (const live of this.#live.list({})) this.#end(live, 'restart')
    this.endListeners()
  }

  /** For listeners who missed something: they begin again. */
  endListeners(): void {
    for (const listeners of [...this.#listeners.values()]) for (const one of [...listeners]) one.end()
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

/** What a hub does for the handles of its sessions. */
type HubActions = {
  readonly isHeld: (live: Live) => boolean
  readonly detach: (live: Live, now: number) => void
  readonly end: (live: Live) => void
}

/** A class without closures, because there is one for each of many connections. */
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

/** Several may begin in one millisecond. */
function inOrder(a: Place, b: Place): number {
  if (a.created_at !== b.created_at) return a.created_at - b.created_at
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

const FREE: Rights = { runs_until: null, required: false, variables_digest: null }
