/**
 * Public keys of all bots. They are kept in memory, so that a request with a wrong signature costs no database
 * access.
 */
import type { KeyObject } from 'node:crypto'
import type { Database } from '../../database/engine/db.ts'
import { readPublicKey } from '../../platform/discord/signature.ts'
import { listPublicKeys } from './store/bots.ts'

/** The keys are read again at most this often, because another process may have connected a bot. */
const FRESH_MS = 5000

export class PublicKeys {
  #keys: ReadonlyMap<string, KeyObject> = new Map()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  /** `now` is in milliseconds. */
  async find(db: Database, projectId: string, now: number): Promise<KeyObject | undefined> {
    const isFresh = Math.abs(now - this.#readAt) < FRESH_MS
    if (!isFresh) await this.#refresh(db, now)
    return this.#keys.get(projectId)
  }

  /** Requests at the same time share one reading. */
  async #refresh(db: Database, at: number): Promise<void> {
    this.#reading ??= this.#read(db, at)
    try {
      await this.#reading
    } finally {
      this.#reading = undefined
    }
  }

  /** Makes the next search read the keys again. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  async #read(db: Database, at: number): Promise<void> {
    const rows = await listPublicKeys(db.read)
    this.#keys = new Map(
      rows.flatMap(({ project_id, public_key }) => {
        const key = readPublicKey(public_key)
        return key ? [[project_id, key] as const] : []
      }),
    )
    this.#readAt = at
  }
}
