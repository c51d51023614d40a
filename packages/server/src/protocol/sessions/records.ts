/**
 * Session rows of an installation with several processes. Each process writes its own sessions and reads
 * those of the others. Events are written in batches, in order, and are forwarded only once they are written.
 * An event whose session has moved to another process in the meantime has no effect and is not forwarded.
 */
import type { Database, Queries } from '../../database/engine/db.ts'
import {
  countProjectSessions,
  countSessionRows,
  deleteProcessSessions,
  deleteSessions,
  findHolder,
  findInstanceSession,
  findSessionRow,
  type HeldSession,
  listHeldSessions,
  listHolders,
  listSessionRows,
  putSessions,
  type SessionRow,
} from '../../features/sessions/store/sessions.ts'
import type { FoundSession, Session, SessionEvent, SessionFilter, SessionRange } from './session.ts'

/** `epoch` is the number of the session's last connection to this process. */
type Change = { readonly event: SessionEvent; readonly epoch: number }

export type RecordListener = {
  /** Called once the event is in the database. */
  onWritten(event: SessionEvent): void
  /**
   * Called if the event was not written because this process no longer holds the session or the instance no
   * longer exists.
   */
  onMoved(exec: string, epoch: number): void
}

/** The sessions to write in one step: first those that are held, then those that ended. */
type Turn = { readonly held: Map<string, Change>; readonly ended: Set<string>; readonly changes: Change[] }

/** How long a batch waits for further events. */
const GATHER_MS = 5
const BATCH_SIZE = 500

export class SessionRecords {
  readonly #db: Database
  readonly #process: string
  readonly #listener: RecordListener
  #waiting: Change[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(db: Database, process: string, listener: RecordListener) {
    this.#db = db
    this.#process = process
    this.#listener = listener
  }

  add(event: SessionEvent, epoch: number): void {
    this.#waiting.push({ event, epoch })
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      // The `flush` in the next second retries failed writes.
      this.flush().catch(() => {})
    }, GATHER_MS)
  }

  /** Writes all pending events. Events that can't be written stay pending. */
  flush(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async find(id: string): Promise<FoundSession | undefined> {
    const row = await findSessionRow(this.#db.readPoint, id)
    return row ? sessionOf(row) : undefined
  }

  async findOfInstance(exec: string): Promise<FoundSession | undefined> {
    const row = await findInstanceSession(this.#db.readPoint, exec)
    return row ? sessionOf(row) : undefined
  }

  findHolder(exec: string): Promise<string | undefined> {
    return findHolder(this.#db.readPoint, exec)
  }

  async list(filter: SessionFilter, range: SessionRange): Promise<FoundSession[]> {
    const rows = await listSessionRows(this.#db.read, filter, range)
    return rows.map(sessionOf)
  }

  count(filter: SessionFilter): Promise<number> {
    return countSessionRows(this.#db.read, filter)
  }

  countByProject(customerId: string): Promise<Map<string, number>> {
    return countProjectSessions(this.#db.read, customerId)
  }

  /** Returns the other processes that hold matching sessions. */
  async listHolders(filter: SessionFilter): Promise<string[]> {
    const holders = await listHolders(this.#db.read, filter)
    return holders.filter((holder) => holder !== this.#process)
  }

  /** Ends the sessions of a dead process, unless the process has returned. */
  async endLeft(process: string): Promise<void> {
    for (;;) {
      const [rows, ended] = await this.#db.transaction(async (tx) => {
        const some = await listHeldSessions(tx, process, BATCH_SIZE)
        const execs = some.map(({ exec }) => exec)
        return [some, await deleteSessions(tx, process, execs, { left: true })] as const
      })
      for (const row of rows)
        if (ended.has(row.exec)) this.#listener.onWritten({ type: 'closed', session: sessionOf(row) })
      if (ended.size === 0) break
    }
    await this.#db.transaction((tx) => deleteProcessSessions(tx, process, { left: true }))
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_SIZE)
      const turns = turnsOf(batch)
      const written = await this.#db.transaction((tx) => this.#writeTurns(tx, turns))
      this.#waiting = this.#waiting.slice(batch.length)
      for (const one of written) this.#report(one)
    }
  }

  async #writeTurns(tx: Queries, turns: readonly Turn[]): Promise<Written[]> {
    const written: Written[] = []
    for (const turn of turns) {
      const { held, ended } = turn
      const rows = [...held.values()].map(rowOf)
      const isHeld = rows.length === 0 ? new Set<string>() : await putSessions(tx, this.#process, rows)
      const isEnded = await deleteSessions(tx, this.#process, [...ended])
      written.push({ turn, isHeld, isEnded })
    }
    return written
  }

  #report({ turn, isHeld, isEnded }: Written): void {
    for (const { event } of turn.changes) {
      const done = event.type === 'closed' ? isEnded : isHeld
      if (done.has(event.session.exec)) this.#listener.onWritten(event)
    }
    for (const [exec, { epoch }] of turn.held) if (!isHeld.has(exec)) this.#listener.onMoved(exec, epoch)
  }
}

/** Instances whose rows were changed in a step. */
type Written = {
  readonly turn: Turn
  readonly isHeld: ReadonlySet<string>
  readonly isEnded: ReadonlySet<string>
}

/** Each step has at most one state per instance, possibly followed by an end. */
function turnsOf(changes: readonly Change[]): Turn[] {
  const turns: Turn[] = []
  for (const change of changes) {
    const { type, session } = change.event
    let turn = turns.at(-1)
    if (turn === undefined || turn.ended.has(session.exec)) {
      turn = { held: new Map(), ended: new Set(), changes: [] }
      turns.push(turn)
    }
    if (type === 'closed') turn.ended.add(session.exec)
    else turn.held.set(session.exec, change)
    turn.changes.push(change)
  }
  return turns
}

function rowOf({ event: { session }, epoch }: Change): HeldSession {
  const { exec, id, project_id, script_id, user_key, created_at, state } = session
  const detached = state === 'detached' ? 1 : 0
  return { exec, id, epoch, project_id, script_id, user_key, created_at, detached }
}

function sessionOf({ detached, ...row }: SessionRow): Session & { readonly process: string } {
  return { ...row, state: detached === 1 ? 'detached' : 'ready' }
}
