/**
 * Limits the memory that each account's bodies occupy while they arrive and are processed. Sending a body may
 * take two minutes, so limiting only the number of bodies would let one account fill the memory.
 */
import type { ServerResponse } from 'node:http'

/** Smaller bodies are neither counted nor paced, since connection and rate limits bound them. */
export const SMALL_BYTES = 65_536
/** The limit per account: two imports or three scripts of the maximum size. */
const EACH_BYTES = 64 * 1_048_576
/**
 * The limit for all accounts combined. The first body of an account that has none in memory may exceed the
 * limit.
 */
const ALL_BYTES = 512 * 1_048_576

export class BodyRoom {
  readonly #held = new Map<string, number>()
  #all = 0

  /**
   * Reserves memory for a body until the response is sent or the connection closes. Returns false if the body
   * doesn't fit.
   */
  take(owner: string, bytes: number, answer: ServerResponse): boolean {
    // A connection that has already closed emits no further events, so its memory would never be released.
    if (bytes <= SMALL_BYTES || answer.closed || answer.destroyed) return true
    const held = this.#held.get(owner) ?? 0
    if (held > 0 && (held + bytes > EACH_BYTES || this.#all + bytes > ALL_BYTES)) return false
    this.#add(owner, bytes)
    answer.once('close', () => this.#add(owner, -bytes))
    return true
  }

  #add(owner: string, bytes: number): void {
    this.#all += bytes
    const held = (this.#held.get(owner) ?? 0) + bytes
    if (held === 0) this.#held.delete(owner)
    else this.#held.set(owner, held)
  }
}
