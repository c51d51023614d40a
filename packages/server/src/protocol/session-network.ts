/**
 * Live sessions of all processes: those of this one from its hub, the others from what their holders tell. Every process
 * knows all sessions, so that looking for some asks nobody; what is done to a session is done by the process that holds it. Without
 * Valkey this process is the only one, and while Valkey is lost all go on with what they hold.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { Message, Outcome } from './commands.ts'
import type { ProcessBus } from './process-bus.ts'
import { RemoteSessions } from './remote-sessions.ts'
import type { Session, SessionFilter } from './session.ts'
import type { SessionEvent, SessionHub, Sessions } from './session-hub.ts'

type Told =
  | { readonly t: 'event'; readonly event: SessionEvent }
  /** Ids and when they were seen last. */
  | { readonly t: 'seen'; readonly seen: readonly (readonly [string, number])[] }
  | { readonly t: 'end'; readonly ending: Ending }
  | { readonly t: 'ended'; readonly exec: string }
  | { readonly t: 'review'; readonly filter: SessionFilter }
  /** Asks for all sessions of a process, and a part of them. */
  | { readonly t: 'who' }
  | {
      readonly t: 'sessions'
      readonly sessions: readonly Session[]
      readonly isFirst: boolean
      readonly isLast: boolean
    }

type Asked =
  | { readonly t: 'ask'; readonly id: string; readonly message: Message }
  | { readonly t: 'disconnect'; readonly id: string; readonly reason: KickReason }
  | { readonly t: 'hand over'; readonly exec: string }

export type SessionBus = ProcessBus<Told, Asked>

/** Which sessions are ended and why. */
export type Ending = {
  readonly filter: SessionFilter
  readonly reason: KickReason
  /** Leaves those alone that run without a key. */
  readonly onlyUsers?: boolean
}

/** Looks at the sessions of this process again that match. */
export type Review = (filter: SessionFilter) => void

/** What takes no time but that of the way. */
const QUICK_MS = 3000
const SESSIONS_AT_ONCE = 500

export class SessionNetwork implements Sessions {
  readonly #hub: SessionHub
  readonly #bus: SessionBus | undefined
  readonly #waitMs: number
  readonly #remote = new RemoteSessions()
  /** Ids that a process held before it began to name all of its sessions. */
  readonly #unnamed = new Map<string, Set<string>>()
  #review: Review = () => {}
  #onKnown: () => void = () => {}

  /** `waitMs` is how long a session's answer is waited for by the process that holds it. */
  constructor(hub: SessionHub, bus: SessionBus | undefined, waitMs: number) {
    this.#hub = hub
    this.#bus = bus
    this.#waitMs = waitMs
  }

  /** Meets the others; when it resolves their sessions are known, if they answered. */
  async open(review: Review): Promise<void> {
    this.#review = review
    const bus = this.#bus
    if (bus === undefined) return
    this.#hub.watch((event) => bus.broadcast({ t: 'event', event }))
    const others = await bus.open({
      hear: (from, told) => this.#hear(from, told),
      answer: (asked) => this.#answer(asked),
      ask: (process) => bus.tell(process, { t: 'who' }),
      lost: (process) => this.#lose(process),
    })
    await this.#meet(others)
  }

  async find(id: string): Promise<Session | undefined> {
    return (await this.#hub.find(id)) ?? this.#remote.find(id)?.session
  }

  async list(filter: SessionFilter): Promise<Session[]> {
    const own = await this.#hub.list(filter)
    const others = this.#remote.list(filter)
    if (others.length === 0) return own
    return [...own, ...others].sort((a, b) => a.created_at - b.created_at)
  }

  async disconnect(id: string, reason: KickReason = 'disconnected'): Promise<boolean> {
    const process = this.#processOf(id)
    if (process === undefined) return this.#hub.disconnect(id, reason)
    return (await this.#bus?.call(process, { t: 'disconnect', id, reason }, QUICK_MS)) === true
  }

  async ask(id: string, message: Message): Promise<Outcome | undefined> {
    const process = this.#processOf(id)
    if (process === undefined) return this.#hub.ask(id, message)
    const outcome = await this.#bus?.call(process, { t: 'ask', id, message }, this.#waitMs + QUICK_MS)
    return (outcome ?? undefined) as Outcome | undefined
  }

  /**
   * The session of an instance whose client comes back here, and how many commands it was given, when another process
   * held it until now.
   */
  async takeOver(exec: string): Promise<{ session: Session; commands: number } | undefined> {
    const remote = this.#remote.ofInstance(exec)
    if (remote === undefined) return undefined
    // Its holder finds in the database that the client has gone elsewhere, when it cannot be told.
    const given = await this.#bus
      ?.call(remote.process, { t: 'hand over', exec }, QUICK_MS)
      .catch(() => undefined)
    this.#remote.drop(remote.session.id)
    return (given ?? undefined) as { session: Session; commands: number } | undefined
  }

  /** Ends what matches, wherever it is held. Processes that do not hear it find the reason in the database. */
  async end(ending: Ending): Promise<void> {
    this.#bus?.broadcast({ t: 'end', ending })
    await this.#end(ending)
  }

  /** The client of an instance said that it stops. */
  ended(exec: string): void {
    this.#hub.end(exec, 'ended')
    if (this.#remote.ofInstance(exec) !== undefined) this.#bus?.broadcast({ t: 'ended', exec })
  }

  /** Has all others look at once at their sessions that match. */
  review(filter: SessionFilter): void {
    this.#bus?.broadcast({ t: 'review', filter })
  }

  /** Says of which sessions of this process there was a sign of life. */
  tellSeen(sessions: readonly Session[]): void {
    const seen = sessions.map(({ id, last_seen }) => [id, last_seen] as const)
    if (seen.length > 0) this.#bus?.broadcast({ t: 'seen', seen })
  }

  /** Once a second. */
  round(): void {
    this.#bus?.round()
  }

  close(): void {
    this.#bus?.close()
  }

  async #meet(others: number): Promise<void> {
    if (others <= 0) return
    let unknown = others
    await new Promise<void>((resolve) => {
      const patience = setTimeout(resolve, QUICK_MS)
      this.#onKnown = () => {
        unknown -= 1
        if (unknown > 0) return
        clearTimeout(patience)
        resolve()
      }
      this.#bus?.broadcast({ t: 'who' })
    })
  }

  /** Undefined for what is held here, and for what nobody holds. */
  #processOf(id: string): string | undefined {
    return this.#hub.has(id) ? undefined : this.#remote.find(id)?.process
  }

  #hear(from: string, told: Told): void {
    if (told.t === 'event') this.#follow(from, told.event)
    if (told.t === 'seen') for (const [id, at] of told.seen) this.#remote.see(id, at)
    if (told.t === 'end') void this.#end(told.ending)
    if (told.t === 'ended') this.#hub.end(told.exec, 'ended')
    if (told.t === 'review') this.#review(told.filter)
    if (told.t === 'who') this.#nameAll(from)
    if (told.t === 'sessions') this.#learn(from, told)
  }

  async #answer(asked: Asked): Promise<unknown> {
    if (asked.t === 'ask') return this.#hub.ask(asked.id, asked.message)
    if (asked.t === 'disconnect') return this.#hub.disconnect(asked.id, asked.reason)
    return this.#hub.handOver(asked.exec)
  }

  async #end({ filter, reason, onlyUsers = false }: Ending): Promise<void> {
    const sessions = await this.#hub.list(filter)
    const ended = sessions.filter((session) => !onlyUsers || session.user_key !== null)
    await Promise.all(ended.map(({ id }) => this.#hub.disconnect(id, reason)))
  }

  #follow(process: string, event: SessionEvent): void {
    const { type, session } = event
    // Its client went there although this process could not be asked for it.
    if (type !== 'closed' && this.#hub.has(session.id)) this.#hub.handOver(session.exec)
    if (type !== 'closed') this.#remote.put(process, session)
    else if (this.#remote.find(session.id)?.process === process) this.#remote.drop(session.id)
    // Another process has it by now.
    else return
    this.#hub.announce(event)
  }

  /** In one go, so that nothing that happens meanwhile comes between. */
  #nameAll(process: string): void {
    const all = this.#hub.all()
    for (let i = 0; i === 0 || i < all.length; i += SESSIONS_AT_ONCE) {
      const sessions = all.slice(i, i + SESSIONS_AT_ONCE)
      const isLast = i + SESSIONS_AT_ONCE >= all.length
      this.#bus?.tell(process, { t: 'sessions', sessions, isFirst: i === 0, isLast })
    }
  }

  #learn(process: string, { sessions, isFirst, isLast }: Extract<Told, { t: 'sessions' }>): void {
    if (isFirst) this.#unnamed.set(process, new Set(this.#remote.idsOf(process)))
    const unnamed = this.#unnamed.get(process) ?? new Set()
    for (const session of sessions) {
      const isNew = this.#remote.find(session.id) === undefined
      unnamed.delete(session.id)
      this.#remote.put(process, session)
      if (isNew) this.#hub.announce({ type: 'opened', session })
    }
    if (!isLast) return
    for (const id of unnamed) this.#drop(id)
    this.#unnamed.delete(process)
    if (this.#bus?.know(process) === true) this.#onKnown()
  }

  #lose(process: string): void {
    for (const id of this.#remote.idsOf(process)) this.#drop(id)
  }

  #drop(id: string): void {
    const dropped = this.#remote.drop(id)
    if (dropped !== undefined) this.#hub.announce({ type: 'closed', session: dropped.session })
  }
}
