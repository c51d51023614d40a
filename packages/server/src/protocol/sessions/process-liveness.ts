/**
 * Detects dead processes by a counter that each process increments in its row once a second. Each process
 * measures silence in its own rounds, so clocks are never compared. While a process can't reach the database,
 * it doesn't count silence.
 */
import type { Database } from '../../database/engine/db.ts'
import { deleteProcessSessions } from '../../features/sessions/store/sessions.ts'
import {
  countProcesses,
  deleteEndedProcess,
  deleteProcess,
  listProcessBeats,
  type ProcessBeat,
  putProcess,
  updateProcessBeat,
  updateProcessEnded,
} from '../../features/system/store/processes.ts'

type Peer = { beat: number; silentRounds: number }

/** Rounds are about a second apart. */
const DEAD_ROUNDS = 10

export class Heartbeat {
  readonly #db: Database
  readonly #id: string
  #peers = new Map<string, Peer>()

  /** `id` identifies this process. */
  constructor(db: Database, id: string) {
    this.#db = db
    this.#id = id
  }

  open(now: number): Promise<void> {
    return this.#db.transaction((tx) => putProcess(tx, this.#id, now))
  }

  /**
   * Increments this process's counter. Returns false if other processes have declared this process dead. In
   * that case, it is registered again without its sessions.
   */
  async beat(now: number): Promise<boolean> {
    return this.#db.transaction(async (tx) => {
      if (await updateProcessBeat(tx, this.#id, now)) return true
      // Deletes and recreates the rows of this process's sessions, so that a process that is still ending the
      // old sessions doesn't affect the new rows.
      await deleteProcessSessions(tx, this.#id)
      await putProcess(tx, this.#id, now)
      return false
    })
  }

  /** Counts the silent rounds of other processes, and returns the dead processes. */
  async findDead(): Promise<string[]> {
    const all = await listProcessBeats(this.#db.read)
    const others = all.filter(({ id }) => id !== this.#id)
    this.#peers = new Map(others.map((one) => [one.id, this.#judged(one)]))
    const silent = others.filter(({ id }) => (this.#peers.get(id)?.silentRounds ?? 0) > DEAD_ROUNDS)
    const dead: string[] = []
    for (const one of silent)
      if (await this.#db.transaction((tx) => updateProcessEnded(tx, one))) dead.push(one.id)
    return dead
  }

  /** Call this after the process's sessions have been ended. */
  forget(process: string): Promise<void> {
    return this.#db.transaction((tx) => deleteEndedProcess(tx, process))
  }

  count(): Promise<number> {
    return countProcesses(this.#db.read)
  }

  /** Call this once this process has no sessions left. */
  close(): Promise<void> {
    return this.#db.transaction((tx) => deleteProcess(tx, this.#id))
  }

  #judged({ id, beat }: ProcessBeat): Peer {
    const known = this.#peers.get(id)
    const isSilent = known?.beat === beat
    return { beat, silentRounds: isSilent ? known.silentRounds + 1 : 0 }
  }
}
