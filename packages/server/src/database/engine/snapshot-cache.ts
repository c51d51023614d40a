/** Caches values read from one snapshot of the database, by name, until the next snapshot. */
import type { RowCache } from './db.ts'

const MAX_ENTRIES = 10_000

type Read<T> = () => Promise<T | undefined>

export class SnapshotCache implements RowCache {
  readonly #entries = new Map<string, object>()
  /** Counts invalidations. A read that started before an invalidation must not be cached after it. */
  #generation = 0

  async find<T extends object>(name: string, read: Read<T>): Promise<T | undefined> {
    const cached = this.#entries.get(name) as T | undefined
    return cached ?? this.#readAndCache(name, read)
  }

  clear(): void {
    this.#generation += 1
    this.#entries.clear()
  }

  async #readAndCache<T extends object>(name: string, read: Read<T>): Promise<T | undefined> {
    const generation = this.#generation
    const value = await read()
    if (value === undefined || generation !== this.#generation) return value
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear()
    this.#entries.set(name, value)
    return value
  }
}

/** Used for engines that do not report commits by other processes. */
export const noCache: RowCache = { find: (_, read) => read() }
