/**
 * Live sessions of this process: who they are, the questions that are put to them, and who is told of their coming and
 * going. What a connection is made of and how its frames are sealed is the socket's business (`session-socket.ts`); who
 * may ask is the domain's.
 */
import type { ChangingVariables, CloseReason, KickReason } from '@scriptward/client/live-messages'
import { RESUME_MS } from '@scriptward/client/live-messages'
import { type Command, Commands, type Message, type Outcome, type Reply } from './commands.ts'
import type { Session, SessionFilter } from './session.ts'
import { SessionIndex } from './session-index.ts'

/** What is known of a session's rights besides; it changes while the session lasts. */
export type Rights = {
  readonly key_expires: number | null
  /** The script may not run without a session. */
  readonly required: boolean
  /** Digest of the variables that the client knows. */
  readonly told: string | null
}

export type Update = ChangingVariables & { readonly seconds_left: number | null }

/** What carries words to the client. All calls return at once. */
export type Connection = {
  /** Counts the connections of one instance; the highest is the one that is used. */
  readonly epoch: number
  /** False when too much waits to be sent already. */
  send(command: Command): boolean
  /** Tells the client why it was ended from here, and closes. */
  kick(reason: KickReason): void
  /** Closes without saying more than the code does. */
  close(reason: CloseReason): void
  update(variables: Update): void
  /** Asks for a sign of life when it is time to; false when the last ones were not answered. */
  ping(now: number): boolean
}

/** The end of a session that its connection holds. All of it does nothing after another connection took over. */
export type Registration = {
  /** Answers a command; an answer that nobody waits for any more is dropped. */
  reply(commandId: string, reply: Reply): void
  /** The client has the command, so its data is not sent again. */
  acknowledge(commandId: string): void
  seen(now: number): void
  /** The connection is gone, and the client may come back. */
  detach(now: number): void
  /** The client is gone. */
  leave(): void
}

export type SessionEvent = {
  readonly type: 'opened' | 'detached' | 'resumed' | 'closed'
  readonly session: Session
}

export type Listener = {
  tell(event: SessionEvent): void
  /** The service stops. */
  end(): void
}

/** What is asked of sessions wherever they live; everything here may become a call to another process. */
export type Sessions = {
  find(id: string): Promise<Session | undefined>
  /** In the order in which they began. */
  list(filter: SessionFilter): Promise<Session[]>
  /** False when there is no such session any more. */
  disconnect(id: string, reason?: KickReason): Promise<boolean>
  /** Waits for the client's answer; undefined when there is no such session any more. At most one delivery. */
  ask(id: string, message: Message): Promise<Outcome | undefined>
}

/** What a round through all sessions found, for those who keep instances alive and end them. */
export type Round = {
  /** Heard of since the last round. */
  readonly seen: readonly Session[]
  /** Did not come back in time; they are sessions no more. */
  readonly lost: readonly Lost[]
  readonly expired: readonly Session[]
}

/** `epoch` is that of its last connection here; a client that has a later one went elsewhere. */
export type Lost = { readonly session: Session; readonly rights: Rights; readonly epoch: number }

type Live = {
  session: Session
  rights: Rights
  /** Undefined while it is detached. */
  connection: Connection | undefined
  epoch: number
  /** Made with the first question, since most sessions are never asked anything. */
  commands: Commands | undefined
  /** How many commands the client was given by another process. */
  readonly commandsBefore: number
  detachedAt: number
  isSeen: boolean
}

export class SessionHub implements Sessions {
  readonly #waitMs: number
  readonly #now: () => number
  readonly #live = new SessionIndex<Live>()
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #doings: Doings = {
    isHeld: (live) => this.#live.find(live.session.id) === live,
    detach: (live, now) => this.#detach(live, now),
    end: (live) => this.#end(live),
  }
  #watcher: (event: SessionEvent) => void = () => {}

  /** `waitMs` is how long `ask` waits for an answer. */
  constructor(waitMs: number, now: () => number) {
    this.#waitMs = waitMs
    this.#now = now
  }

  /**
   * A session that is there already under this id, or of this instance, is ended: its successor replaces it. One that
   * comes from another process says how many commands it was given before.
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
    this.#tell(commandsBefore === undefined ? 'opened' : 'resumed', live)
    return new Held(this.#doings, live, connection)
  }

  /**
   * Goes on with a session over a new connection; undefined when it is over. `greet` is called before the commands are
   * sent again that were not answered; the client has those up to `last`.
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
    this.#tell('resumed', live)
    live.commands?.sendAgain(last, (command) => connection.send(command))
    return new Held(this.#doings, live, connection)
  }

  has(id: string): boolean {
    return this.#live.find(id) !== undefined
  }

  /** In the order in which they began. */
  all(): Session[] {
    return this.#live.list({}).map((live) => live.session)
  }

  async find(id: string): Promise<Session | undefined> {
    return this.#live.find(id)?.session
  }

  async list(filter: SessionFilter): Promise<Session[]> {
    return this.#live.list(filter).map((live) => live.session)
  }

  async disconnect(id: string, reason: KickReason = 'disconnected'): Promise<boolean> {
    const live = this.#live.find(id)
    if (live === undefined) return false
    live.connection?.kick(reason)
    this.#end(live)
    return true
  }

  async ask(id: string, message: Message): Promise<Outcome | undefined> {
    const live = this.#live.find(id)
    if (live === undefined) return undefined
    const { connection } = live
    live.commands ??= new Commands(this.#waitMs, this.#now, live.commandsBefore)
    return live.commands.ask(message, connection && ((command) => connection.send(command)))
  }

  /** The session of an instance, the connection that it uses and what is known of its rights. */
  ofInstance(exec: string): Pick<Live, 'session' | 'rights' | 'connection'> | undefined {
    return this.#live.ofInstance(exec)
  }

  /** Replaces what is known of the rights of an instance's session. */
  know(exec: string, rights: Rights): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) live.rights = rights
  }

  /** Ends the session of an instance without a kick, because the client asked for its end or goes on elsewhere. */
  end(exec: string, reason: CloseReason): void {
    const live = this.#live.ofInstance(exec)
    if (live !== undefined) this.#end(live, reason)
  }

  /** Gives a session away to the process that its client went to; nobody is told that it is gone, because it is not. */
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

  /** Asks all for a sign of life where it is time to, and ends those that were detached for too long. */
  round(now: number): Round {
    const seen: Session[] = []
    const lost: Lost[] = []
    const expired: Session[] = []
    for (const live of this.#live.list({})) {
      const { session, rights, connection } = live
      if (rights.key_expires !== null && rights.key_expires <= now) expired.push(session)
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

  /** Tells `listener` of every change of a project's sessions until the answer is called. */
  subscribe(projectId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(projectId) ?? new Set()
    this.#listeners.set(projectId, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(projectId) === listeners)
        this.#listeners.delete(projectId)
    }
  }

  /** Tells `watcher` of every change of every session that is held here. */
  watch(watcher: (event: SessionEvent) => void): void {
    this.#watcher = watcher
  }

  /** Tells those who listen to its project what happened to a session, wherever it is held. */
  announce(event: SessionEvent): void {
    const listeners = this.#listeners.get(event.session.project_id)
    if (listeners === undefined) return
    for (const listener of [...listeners]) listener.tell(event)
  }

  /** How many listen to a project. */
  countListeners(projectId: string): number {
    return this.#listeners.get(projectId)?.size ?? 0
  }

  /** Ends every session, so that no request goes on waiting for one; clients reconnect to a process that runs. */
  close(): void {
    for (const live of this.#live.list({})) this.#end(live, 'restart')
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
    this.#tell('detached', live)
  }

  #end(live: Live, reason?: CloseReason): void {
    live.commands?.end()
    if (!this.#live.remove(live)) return
    const { connection } = live
    live.connection = undefined
    if (reason !== undefined) connection?.close(reason)
    this.#tell('closed', live)
  }

  #tell(type: SessionEvent['type'], { session }: Live): void {
    this.#watcher({ type, session })
    this.announce({ type, session })
  }
}

/** What a hub does for those who hold its sessions. */
type Doings = {
  readonly isHeld: (live: Live) => boolean
  readonly detach: (live: Live, now: number) => void
  readonly end: (live: Live) => void
}

/** One for each of many connections, so that it has no functions of its own. */
class Held implements Registration {
  readonly #doings: Doings
  readonly #live: Live
  readonly #connection: Connection

  constructor(doings: Doings, live: Live, connection: Connection) {
    this.#doings = doings
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
    if (this.#isCurrent()) this.#doings.detach(this.#live, now)
  }

  leave(): void {
    if (this.#isCurrent()) this.#doings.end(this.#live)
  }

  #isCurrent(): boolean {
    return this.#live.connection === this.#connection && this.#doings.isHeld(this.#live)
  }
}

const FREE: Rights = { key_expires: null, required: false, told: null }
