/**
 * Live sessions of all processes. Each process holds only its own sessions in its hub. The database has a row
 * per session with its holder (`records.ts`), so lists are database queries, and commands are routed to the
 * process that can execute them. Without Valkey, there is only one process, whose hub has all sessions, and
 * no rows are written. While Valkey is down, each process keeps serving its own sessions.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { Database } from '../../database/engine/db.ts'
import { isUnavailable } from '../../database/engine/dialect.ts'
import { type ProcessBus, ProcessUnreachable } from './bus.ts'
import { type Message, NO_REPLY, type Outcome } from './commands.ts'
import { Heartbeat } from './process-liveness.ts'
import { SessionRecords } from './records.ts'
import type {
  FoundSession,
  Session,
  SessionEvent,
  SessionFilter,
  SessionListener,
  SessionRange,
} from './session.ts'
import type { SessionHub } from './session-hub.ts'

type SessionNote =
  | { readonly t: 'end'; readonly ending: Ending }
  | { readonly t: 'ended'; readonly exec: string }
  | { readonly t: 'review'; readonly filter: SessionFilter }

type SessionQuestion =
  | { readonly t: 'ask'; readonly id: string; readonly message: Message }
  | { readonly t: 'disconnect'; readonly id: string; readonly reason: KickReason }
  | { readonly t: 'hand over'; readonly exec: string }

export type SessionBus = ProcessBus<SessionNote, SessionQuestion>

/** The sessions to end, and the reason. */
export type Ending = {
  readonly filter: SessionFilter
  readonly reason: KickReason
  /** Excludes sessions without a key. */
  readonly onlyUsers?: boolean
}

/** A session taken over from another process. `commands` is the number of commands sent there, if known. */
export type Taken = { readonly session: Session; readonly commands?: number }

/** Reviews this process's matching sessions. */
export type Review = (filter: SessionFilter) => void

/** State that exists only with several processes. */
type Shared = {
  readonly bus: SessionBus
  readonly records: SessionRecords
  readonly heartbeat: Heartbeat
}

/** Timeout of calls that other processes answer immediately. */
const CALL_MS = 3000

export class SessionNetwork {
  readonly #hub: SessionHub
  readonly #waitMs: number
  readonly #shared: Shared | undefined
  #review: Review = () => {}
  /** Instances that seem to have moved to another process. Their sessions here end one round later. */
  #moved = new Map<string, number>()
  #isClosed = false

  /** `waitMs` is how long the holder of a session waits for the client's reply. */
  constructor(
    hub: SessionHub,
    among: { readonly bus: SessionBus; readonly db: Database } | undefined,
    waitMs: number,
  ) {
    this.#hub = hub
    this.#waitMs = waitMs
    this.#shared = among && this.#join(among.bus, among.db)
  }

  /** Registers this process with the other processes. */
  async open(review: Review, now: number): Promise<void> {
    this.#review = review
    const shared = this.#shared
    if (shared === undefined) return
    this.#hub.divert((event, epoch) => shared.records.add(event, epoch))
    await shared.bus.open({
      onNote: (note) => this.#onNote(note),
      onEvent: (event) => this.#hub.announce(event),
      answer: (question) => this.#answer(question),
      onGap: () => this.#hub.endListeners(),
    })
    await shared.heartbeat.open(now)
  }

  async find(id: string): Promise<FoundSession | undefined> {
    return this.#hub.find(id) ?? this.#shared?.records.find(id)
  }

  /** Ordered by start time. */
  async list(filter: SessionFilter, range: SessionRange = {}): Promise<FoundSession[]> {
    return this.#shared?.records.list(filter, range) ?? this.#hub.list(filter, range)
  }

  async count(filter: SessionFilter): Promise<number> {
    return this.#shared?.records.count(filter) ?? this.#hub.count(filter)
  }

  /** Counts an account's sessions by project, omitting projects without sessions. */
  async countByProject(customerId: string): Promise<Map<string, number>> {
    if (this.#shared !== undefined) return this.#shared.records.countByProject(customerId)
    const counts = new Map<string, number>()
    for (const { project_id } of this.#hub.list({ customer_id: customerId }))
      counts.set(project_id, (counts.get(project_id) ?? 0) + 1)
    return counts
  }

  /**
   * Returns false if the session doesn't exist. Throws `ProcessUnreachable` if its process is unreachable or
   * does not respond.
   */
  async disconnect(session: Named, reason: KickReason = 'disconnected'): Promise<boolean> {
    const { id } = session
    const here = async () => this.#hub.disconnect(id, reason) || null
    const question = { t: 'disconnect', id, reason } as const
    const answer = await this.#atHolder(session, { question, waitMs: CALL_MS, here })
    if (answer === undefined) throw new ProcessUnreachable()
    return answer === true
  }

  /**
   * Waits for the client's reply. Resolves to undefined if the session doesn't exist. Delivers at most once, so
   * `NO_REPLY` is not retried. Throws `ProcessUnreachable` if the session's process is unreachable.
   */
  async ask(session: Named, message: Message): Promise<Outcome | undefined> {
    const { id } = session
    const here = async () => (await this.#hub.ask(id, message)) ?? null
    const question = { t: 'ask', id, message } as const
    const answer = await this.#atHolder(session, { question, waitMs: this.#waitMs + CALL_MS, here })
    if (answer === undefined) return NO_REPLY
    return (answer ?? undefined) as Outcome | undefined
  }

  /**
   * Takes over an instance whose client has reconnected here with session `id`. An unreachable holder detects
   * the move through the database.
   */
  async takeOver(exec: string, id: string | undefined): Promise<Taken | undefined> {
    const { bus, records } = this.#shared ?? {}
    const former = await records?.findOfInstance(exec)
    if (bus === undefined || former?.process === undefined || former.process === bus.id) return undefined
    const given = await bus.call(former.process, { t: 'hand over', exec }, CALL_MS).catch(() => undefined)
    // Null means that the session has ended on that process, and that its row is about to be deleted.
    if (given === null) return undefined
    const { process, ...session } = former
    if (former.id === id) return (given ?? { session }) as Taken
    this.#tell({ type: 'closed', session })
    return undefined
  }

  /**
   * Ends all matching sessions in every process. Processes that miss the note find the reason in the
   * database.
   */
  async end(ending: Ending): Promise<void> {
    await this.#toHolders(ending.filter, { t: 'end', ending })
    this.#end(ending)
  }

  /** Called when an instance's client reports the end of the run. */
  async ended(exec: string): Promise<void> {
    const { bus, records } = this.#shared ?? {}
    if (this.#hub.ofInstance(exec) !== undefined) this.#hub.end(exec, 'ended')
    else if (bus !== undefined) {
      const holder = await records?.findHolder(exec)
      if (holder !== undefined && holder !== bus.id) bus.send(holder, { t: 'ended', exec })
    }
  }

  /** Makes the other processes review their matching sessions. */
  review(filter: SessionFilter): Promise<void> {
    return this.#toHolders(filter, { t: 'review', filter })
  }

  /** Sends every event of a project's sessions to `listener` until the returned function is called. */
  async subscribe(projectId: string, listener: SessionListener): Promise<() => void> {
    const leave = this.#hub.subscribe(projectId, listener)
    const bus = this.#shared?.bus
    await bus?.follow(projectId)
    return () => {
      leave()
      if (this.#hub.countListeners(projectId) === 0) bus?.unfollow(projectId)
    }
  }

  /** Runs once a second: signals that this process is alive, and ends sessions of dead processes. */
  async round(now: number): Promise<void> {
    const shared = this.#shared
    if (shared === undefined || this.#isClosed) return
    shared.bus.round()
    this.#endMoved()
    try {
      await this.#keepRecords(shared, now)
    } catch (error) {
      // Other code reports an unavailable database, and the next round retries.
      if (!isUnavailable(error)) throw error
    }
  }

  /** Number of processes of this installation, including this one. */
  async countProcesses(): Promise<number> {
    return this.#shared?.heartbeat.count() ?? 1
  }

  /**
   * Call this after closing the hub. Rows that can't be written are cleaned up by other processes, as after a
   * crash.
   */
  async close(): Promise<void> {
    const shared = this.#shared
    this.#isClosed = true
    if (shared === undefined) return
    shared.bus.close()
    await shared.records.flush().then(
      () => shared.heartbeat.close(),
      () => {},
    )
  }

  #join(bus: SessionBus, db: Database): Shared {
    const records = new SessionRecords(db, bus.id, {
      onWritten: (event) => this.#written(event),
      onMoved: (exec, epoch) => void this.#moved.set(exec, epoch),
    })
    return { bus, records, heartbeat: new Heartbeat(db, bus.id) }
  }

  async #keepRecords({ records, heartbeat, bus }: Shared, now: number): Promise<void> {
    if (!(await heartbeat.beat(now)))
      for (const { session, epoch } of this.#hub.all()) records.add({ type: 'resumed', session }, epoch)
    await records.flush()
    for (const process of await heartbeat.findDead()) {
      bus.dropCalls(process)
      await records.endLeft(process)
      await heartbeat.forget(process)
    }
  }

  /** Skips clients that have since reconnected here and therefore have a higher epoch. */
  #endMoved(): void {
    const moved = this.#moved
    this.#moved = new Map()
    for (const [exec, epoch] of moved) this.#hub.end(exec, 'replaced', epoch)
  }

  /** Reviews the session, because other processes could not find it, and so not end it, until now. */
  #written(event: SessionEvent): void {
    if (event.type !== 'closed') this.#hub.reviewAgain(event.session.exec)
    this.#tell(event)
  }

  #tell(event: SessionEvent): void {
    this.#hub.announce(event)
    this.#shared?.bus.tell(event)
  }

  /**
   * Uses the known holder without a lookup in the database, and looks it up again if the session has moved.
   */
  async #atHolder({ id, process }: Named, { question, waitMs, here }: Errand): Promise<unknown> {
    const { bus, records } = this.#shared ?? {}
    if (bus === undefined || records === undefined || this.#hub.find(id) !== undefined) return here()
    const ask = (holder: string | undefined) => {
      if (holder === undefined) return null
      return holder === bus.id ? here() : bus.call(holder, question, waitMs)
    }
    const first = process ?? (await records.find(id))?.process
    const answer = await ask(first)
    if (answer !== null) return answer
    const second = (await records.find(id))?.process
    return second === first ? null : ask(second)
  }

  /**
   * The account's projects may already be deleted. Processes that aren't notified because the database or
   * Valkey is down will detect the deletion at their next review.
   */
  async #toHolders(filter: SessionFilter, note: SessionNote): Promise<void> {
    const { bus, records } = this.#shared ?? {}
    if (bus === undefined || records === undefined) return
    try {
      if (filter.customer_id !== undefined) bus.broadcast(note)
      else for (const holder of await records.listHolders(filter)) bus.send(holder, note)
    } catch {
      bus.broadcast(note)
    }
  }

  #onNote(note: SessionNote): void {
    if (note.t === 'end') this.#end(note.ending)
    if (note.t === 'ended') this.#hub.end(note.exec, 'ended')
    if (note.t === 'review') this.#review(note.filter)
  }

  async #answer(question: SessionQuestion): Promise<unknown> {
    if (question.t === 'ask') return (await this.#hub.ask(question.id, question.message)) ?? null
    if (question.t === 'disconnect') return this.#hub.disconnect(question.id, question.reason) || null
    return this.#hub.handOver(question.exec) ?? null
  }

  #end({ filter, reason, onlyUsers = false }: Ending): void {
    for (const { id, user_key } of this.#hub.list(filter))
      if (!onlyUsers || user_key !== null) this.#hub.disconnect(id, reason)
  }
}

type Named = Pick<FoundSession, 'id' | 'process'>

/**
 * An action that runs here if this process holds the session, and that is otherwise requested from the
 * session's holder.
 */
type Errand = {
  readonly question: SessionQuestion
  readonly waitMs: number
  readonly here: () => Promise<unknown>
}
