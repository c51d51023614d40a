/** Limits how many messages this process sends to one host concurrently, across all projects. */
const MAX_PER_HOST = 4

export class HostConcurrency {
  readonly #inFlight = new Map<string, number>()

  /** Reserves up to `wanted` slots and returns how many were reserved. Each slot must be released. */
  reserve(host: string, wanted: number): number {
    const inFlight = this.#inFlight.get(host) ?? 0
    const reserved = Math.max(0, Math.min(wanted, MAX_PER_HOST - inFlight))
    if (reserved > 0) this.#inFlight.set(host, inFlight + reserved)
    return reserved
  }

  release(host: string, count: number): void {
    const left = (this.#inFlight.get(host) ?? 0) - count
    if (left > 0) this.#inFlight.set(host, left)
    else this.#inFlight.delete(host)
  }
}
