/** How many messages this process is sending to one host at once, whichever projects they are of. */
const PLACES = 4

export class HostPlaces {
  readonly #taken = new Map<string, number>()

  /** Takes up to `wanted` places and answers how many that were; each of them is to be given back. */
  take(host: string, wanted: number): number {
    const taken = this.#taken.get(host) ?? 0
    const given = Math.max(0, Math.min(wanted, PLACES - taken))
    if (given > 0) this.#taken.set(host, taken + given)
    return given
  }

  giveBack(host: string, count: number): void {
    const left = (this.#taken.get(host) ?? 0) - count
    if (left > 0) this.#taken.set(host, left)
    else this.#taken.delete(host)
  }
}
