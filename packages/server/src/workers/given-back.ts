/**
 * Addresses that were served lately, to be looked at once more. With row locks, an event that is being committed while its address
 * is given back is seen by neither: the event finds the address still due, and whoever gives it back finds no event.
 */
const EVERY_MS = 2000

export class GivenBack {
  #lately = new Set<number>()
  #before = new Set<number>()
  #takenAt = 0

  add(seq: number): void {
    this.#lately.add(seq)
  }

  /** Once in two seconds: those that were given back at least so long ago, by when their changes are committed. */
  take(now: number): number[] {
    if (Math.abs(now - this.#takenAt) < EVERY_MS) return []
    this.#takenAt = now
    const taken = [...this.#before]
    this.#before = this.#lately
    this.#lately = new Set()
    return taken
  }
}
