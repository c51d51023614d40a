/**
 * Mapped reports, so that an error that many runs report is mapped once. The least recently used one is dropped.
 * Entries never go stale, because stored versions never change.
 */
import type { MappedReport } from './map-reports.ts'

/** A report has a few kilobytes. */
const MAX_REPORTS = 2000

export class MappedCache {
  readonly #reports = new Map<string, MappedReport>()

  find(name: string): MappedReport | undefined {
    const found = this.#reports.get(name)
    if (found) this.keep(name, found)
    return found
  }

  keep(name: string, report: MappedReport): void {
    this.#reports.delete(name)
    this.#reports.set(name, report)
    const [oldest] = this.#reports.keys()
    if (this.#reports.size > MAX_REPORTS && oldest !== undefined) this.#reports.delete(oldest)
  }
}
