/**
 * Addresses with events since the last look, where an event does not make its address due itself: with one writer nobody can miss it,
 * and whoever asked for the change does not wait for two more pages.
 */
import type { Queries } from '../store/db.ts'
import { dialectOf } from '../store/dialect.ts'
import { findNewestEvent, listFreshWebhooks } from '../store/outbox.ts'

/** Events of one look; what is beyond them waits for the next. */
const MOST = 1000

export class FreshEvents {
  #newest: number | undefined

  /** The first look finds nothing: whoever begins looks at all addresses. */
  async take(db: Queries): Promise<number[]> {
    if (dialectOf(db).dataModifyingCtes) return []
    if (this.#newest === undefined) {
      this.#newest = await findNewestEvent(db)
      return []
    }
    const found = await listFreshWebhooks(db, this.#newest, MOST)
    this.#newest = found.at(-1)?.newest ?? this.#newest
    return found.flatMap(({ seq }) => seq ?? [])
  }
}
