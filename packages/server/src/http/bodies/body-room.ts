/**
 * How much memory the bodies of each account take while they arrive and are worked on. A sender may take two minutes for a
 * body, so with their number alone limited, one account could fill the memory.
 */
import type { ServerResponse } from 'node:http'

/** Smaller bodies are neither counted nor paced: open connections and limits of requests bound them. */
export const SMALL_BYTES = 65_536
/** Two of the largest imports, or three of the largest scripts. */
const EACH_BYTES = 64 * 1_048_576
/** Of all accounts together. One that holds nothing gets its first body beyond it too. */
const ALL_BYTES = 512 * 1_048_576

export class BodyRoom {
  readonly #held = new Map<string, number>()
  #all = 0

  /** Whether a body fits. What it takes is free again when its answer is sent, or its connection closes. */
  take(owner: string, bytes: number, answer: ServerResponse): boolean {
    // A connection that closed before now closes no second time, and nothing would free its room.
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
