/**
 * Public keys of all bots. They are kept in memory, so that a flood of requests with wrong signatures costs
 * almost no database access.
 */
import type { KeyObject } from 'node:crypto'
import type { Database } from '../../database/engine/db.ts'
import { readPublicKey } from '../../platform/discord/signature.ts'
import { findBot, listPublicKeys } from './store/bots.ts'

/** Minimum interval between two reads. Reading again finds bots that other processes have connected. */
const FRESH_MS = 5000
/**
 * Minimum interval between two reads of one project's key, and the maximum number of projects whose keys are
 * read again in that time.
 */
const AGAIN_MS = 1000
const MAX_AGAIN = 100

/** Keys are parsed on first use, because parsing 10,000 of them takes a quarter of a second. */
type Known = { readonly hex: string; key?: KeyObject | undefined }

export class PublicKeys {
  #known: ReadonlyMap<string, Known> = new Map()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  /** The keys that have been read again since `#againFrom`, by project. */
  readonly #again = new Map<string, Promise<KeyObject | undefined>>()
  #againFrom = Number.NEGATIVE_INFINITY
  /** Counts the calls of `forget`. */
  #version = 0

  /** `now` is in milliseconds. */
  async find(db: Database, projectId: string, now: number): Promise<KeyObject | undefined> {
    const isFresh = Math.abs(now - this.#readAt) < FRESH_MS
    if (!isFresh) await this.#refresh(db, now)
    const known = this.#known.get(projectId)
    if (known) known.key ??= readPublicKey(known.hex)
    return known?.key
  }

  /**
   * Reads one project's key again, for a request that wasn't signed with the known key, because another
   * process may just have connected the bot. Requests within a second share the result, even if there is no
   * key.
   */
  findAgain(db: Database, projectId: string, now: number): Promise<KeyObject | undefined> {
    if (Math.abs(now - this.#againFrom) >= AGAIN_MS) {
      this.#again.clear()
      this.#againFrom = now
    }
    const known = this.#again.get(projectId)
    if (known === undefined && this.#again.size >= MAX_AGAIN) return Promise.resolve(undefined)
    const reading = known ?? readKey(db, projectId)
    this.#again.set(projectId, reading)
    return reading
  }

  /** Concurrent requests share one read. */
  async #refresh(db: Database, at: number): Promise<void> {
    this.#reading ??= this.#read(db, at)
    const reading = this.#reading
    try {
      await reading
    } finally {
      if (this.#reading === reading) this.#reading = undefined
    }
  }

  /** Makes the next lookup read the keys again, even if a read is in progress. */
  forget(): void {
    this.#version += 1
    this.#readAt = Number.NEGATIVE_INFINITY
    this.#reading = undefined
    this.#again.clear()
  }

  async #read(db: Database, at: number): Promise<void> {
    const version = this.#version
    const rows = await listPublicKeys(db.read)
    if (version !== this.#version) return
    const before = this.#known
    this.#known = new Map(
      rows.map(({ project_id, public_key: hex }) => {
        const same = before.get(project_id)
        return [project_id, same?.hex === hex ? same : { hex }]
      }),
    )
    this.#readAt = at
  }
}

async function readKey(db: Database, projectId: string): Promise<KeyObject | undefined> {
  const row = await findBot(db.readPoint, projectId)
  return row === null ? undefined : readPublicKey(row.public_key)
}
