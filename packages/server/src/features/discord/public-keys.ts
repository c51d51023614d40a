/**
 * Public keys of all bots. They are cached in memory, so that requests with wrong signatures cost no database
 * access.
 */
import type { KeyObject } from 'node:crypto'
import type { Database } from '../../database/engine/db.ts'
import { readPublicKey } from '../../platform/discord/signature.ts'
import { listPublicKeys } from './store/bots.ts'

/** Minimum interval between two reads. Reading again finds bots that other processes have connected. */
const FRESH_MS = 5000

/** Keys are parsed on first use, because parsing 10,000 of them takes a quarter of a second. */
type Known = { readonly hex: string; key?: KeyObject | undefined }

export class PublicKeys {
  #known: ReadonlyMap<string, Known> = new Map()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined
  /** Number of calls to `forget`. */
  #version = 0

  /** `now` is in milliseconds. */
  async find(db: Database, projectId: string, now: number): Promise<KeyObject | undefined> {
    const isFresh = Math.abs(now - this.#readAt) < FRESH_MS
    if (!isFresh) await this.#refresh(db, now)
    const known = this.#known.get(projectId)
    if (known) known.key ??= readPublicKey(known.hex)
    return known?.key
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
