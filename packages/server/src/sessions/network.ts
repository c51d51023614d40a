/**
 * Live sessions of all processes: those of this one from its hub, the others from what their holders announce. Every
 * process has a copy of the list, so that look-ups are local; an action on a session is sent to the process that holds
 * it. Without Valkey there is one process; while Valkey is down, each process goes on with the sessions that it holds.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { ProcessBus } from './bus.ts'
import type { Message, Outcome } from './commands.ts'
import type { SessionDirectory, SessionHub } from './hub.ts'
import { RemoteSessions } from './remote.ts'
import type { Session, SessionEvent, SessionFilter } from './session.ts'

type SessionNote =
  | { readonly t: 'event'; readonly event: SessionEvent }
  /** Ids and when each was last seen. */
  | { readonly t: 'seen'; readonly seen: readonly (readonly [string, number])[] }
  | { readonly t: 'end'; readonly ending: Ending }
  | { readonly t: 'ended'; readonly exec: string }
  | { readonly t: 'review'; readonly filter: SessionFilter }
  /** Requests all sessions of a process, which come in `sessions`. */
  | { readonly t: 'who' }
  | {
      readonly t: 'sessions'
      readonly sessions: readonly Session[]
      readonly isFirst: boolean
      readonly isLast: boolean
    }

type SessionQuestion =
  | { readonly t: 'ask'; readonly id: string; readonly message: Message }
  | { readonly t: 'disconnect'; readonly id: string; readonly reason: KickReason }
  | { readonly t: 'hand over'; readonly exec: string }

export type SessionBus = ProcessBus<SessionNote, SessionQuestion>

/** Which sessions are ended and why. */
export type Ending = {
  readonly filter: SessionFilter
  readonly reason: KickReason
  /** Spares sessions that run without a key. */
  readonly onlyUsers?: boolean
}

/** Reviews the matching sessions of this process. */
export type Review = (filter: SessionFilter) => void

/** Timeout of calls that other processes answer at once. */
const CALL_MS = 3000
const SESSIONS_PER_NOTE = 500

export class SessionNetwork implements SessionDirectory {
  readonly #hub: SessionHub
  readonly #bus: SessionBus | undefined
  readonly #waitMs: number
  readonly #remote = new RemoteSessions()
  /** While a process sends its full list: ids known of it before that have not been listed yet. */
  readonly #unlisted = new Map<string, Set<string>>()
  #review: Review = () => {}
  #onKnown: () => void = () => {}

  /** `waitMs` is how long the holder of a session waits for the client's answer. */
  constructor(hub: SessionHub, bus: SessionBus | undefined, waitMs: number) {
    this.#hub = hub
    this.#bus = bus
    this.#waitMs = waitMs
  }

  /** Joins the other processes; when it resolves, their sessions are known, unless they did not answer in time. */
  async open(review: Review): Promise<void> {
    this.#review = review
    const bus = this.#bus
    if (bus === undefined) return
    this.#hub.watch((event) => bus.broadcast({ t: 'event', event }))
    const others = await bus.open({
      onNote: (from, note) => this.#onNote(from, note),
      answer: (question) => this.#answer(question),
      onGap: (process) => bus.send(process, { t: 'who' }),
      onLost: (process) => this.#dropProcess(process),
    })
    await this.#awaitSessionsOf(others)
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
    return (await this.#bus?.call(process, { t: 'disconnect', id, reason }, CALL_MS)) === true
  }

  async ask(id: string, message: Message): Promise<Outcome | undefined> {
    const process = this.#processOf(id)
    if (process === undefined) return this.#hub.ask(id, message)
    const outcome = await this.#bus?.call(process, { t: 'ask', id, message }, this.#waitMs + CALL_MS)
    return (outcome ?? undefined) as Outcome | undefined
  }

  /**
   * Takes over an instance whose client reconnected here: its session and how many commands it was sent, when another
   * process held it until now.
   */
  async takeOver(exec: string): Promise<{ session: Session; commands: number } | undefined> {
    const remote = this.#remote.ofInstance(exec)
    if (remote === undefined) return undefined
    // A holder that cannot be reached learns from the database that the client has moved.
    const given = await this.#bus
      ?.call(remote.process, { t: 'hand over', exec }, CALL_MS)
      .catch(() => undefined)
    this.#remote.drop(remote.session.id)
    return (given ?? undefined) as { session: Session; commands: number } | undefined
  }

  /** Ends all that match in every process. Processes that miss it find the reason in the database. */
  async end(ending: Ending): Promise<void> {
    this.#bus?.broadcast({ t: 'end', ending })
    await this.#end(ending)
  }

  /** The client of an instance said that it stops. */
  ended(exec: string): void {
    this.#hub.end(exec, 'ended')
    if (this.#remote.ofInstance(exec) !== undefined) this.#bus?.broadcast({ t: 'ended', exec })
  }

  /** Makes all other processes review their matching sessions. */
  review(filter: SessionFilter): void {
    this.#bus?.broadcast({ t: 'review', filter })
  }

  /** Announces which sessions of this process showed a sign of life. */
  announceSeen(sessions: readonly Session[]): void {
    const seen = sessions.map(({ id, last_seen }) => [id, last_seen] as const)
    if (seen.length > 0) this.#bus?.broadcast({ t: 'seen', seen })
  }

  /** Once a second. */
  round(): void {
    this.#bus?.round()
  }

  /** Of the service, with this one. */
  countProcesses(): number {
    return 1 + (this.#bus?.countOthers() ?? 0)
  }

  close(): void {
    this.#bus?.close()
  }

  async #awaitSessionsOf(others: number): Promise<void> {
    if (others <= 0) return
    let unknown = others
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CALL_MS)
      this.#onKnown = () => {
        unknown -= 1
        if (unknown > 0) return
        clearTimeout(timer)
        resolve()
      }
      this.#bus?.broadcast({ t: 'who' })
    })
  }

  /** Undefined for what is held here or does not exist. */
  #processOf(id: string): string | undefined {
    return this.#hub.has(id) ? undefined : this.#remote.find(id)?.process
  }

  #onNote(from: string, note: SessionNote): void {
    if (note.t === 'event') this.#applyEvent(from, note.event)
    if (note.t === 'seen') for (const [id, at] of note.seen) this.#remote.see(id, at)
    if (note.t === 'end') void this.#end(note.ending)
    if (note.t === 'ended') this.#hub.end(note.exec, 'ended')
    if (note.t === 'review') this.#review(note.filter)
    if (note.t === 'who') this.#sendAll(from)
    if (note.t === 'sessions') this.#receiveSessions(from, note)
  }

  async #answer(question: SessionQuestion): Promise<unknown> {
    if (question.t === 'ask') return this.#hub.ask(question.id, question.message)
    if (question.t === 'disconnect') return this.#hub.disconnect(question.id, question.reason)
    return this.#hub.handOver(question.exec)
  }

  async #end({ filter, reason, onlyUsers = false }: Ending): Promise<void> {
    const sessions = await this.#hub.list(filter)
    const ended = sessions.filter((session) => !onlyUsers || session.user_key !== null)
    await Promise.all(ended.map(({ id }) => this.#hub.disconnect(id, reason)))
  }

  #applyEvent(process: string, event: SessionEvent): void {
    const { type, session } = event
    // Its client moved there while this process could not be reached.
    if (type !== 'closed' && this.#hub.has(session.id)) this.#hub.handOver(session.exec)
    if (type !== 'closed') this.#remote.put(process, session)
    else if (this.#remote.find(session.id)?.process === process) this.#remote.drop(session.id)
    // A third process holds it by now.
    else return
    this.#hub.announce(event)
  }

  /** Synchronous, so that no event is sent between the parts. */
  #sendAll(process: string): void {
    const all = this.#hub.all()
    for (let i = 0; i === 0 || i < all.length; i += SESSIONS_PER_NOTE) {
      const sessions = all.slice(i, i + SESSIONS_PER_NOTE)
      const isLast = i + SESSIONS_PER_NOTE >= all.length
      this.#bus?.send(process, { t: 'sessions', sessions, isFirst: i === 0, isLast })
    }
  }

  #receiveSessions(
    process: string,
    { sessions, isFirst, isLast }: Extract<SessionNote, { t: 'sessions' }>,
  ): void {
    if (isFirst) this.#unlisted.set(process, new Set(this.#remote.idsOf(process)))
    const unlisted = this.#unlisted.get(process) ?? new Set()
    for (const session of sessions) {
      const isNew = this.#remote.find(session.id) === undefined
      unlisted.delete(session.id)
      this.#remote.put(process, session)
      if (isNew) this.#hub.announce({ type: 'opened', session })
    }
    if (!isLast) return
    for (const id of unlisted) this.#drop(id)
    this.#unlisted.delete(process)
    if (this.#bus?.markKnown(process) === true) this.#onKnown()
  }

  #dropProcess(process: string): void {
    for (const id of this.#remote.idsOf(process)) this.#drop(id)
  }

  #drop(id: string): void {
    const dropped = this.#remote.drop(id)
    if (dropped !== undefined) this.#hub.announce({ type: 'closed', session: dropped.session })
  }
}
