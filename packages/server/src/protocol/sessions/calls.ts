/**
 * Server function calls that the client of one session makes: runs each at most once, and repeats answers that a lost
 * connection may have swallowed.
 */
import { type BeatAnswer, MAX_SESSION_CALLS, type SessionCall } from '@scriptward/client/live-messages'

const LOST: BeatAnswer = { problem: 'the connection was lost during the call' }
const CROWDED: BeatAnswer = { problem: 'too many calls at a time' }

export class Calls {
  readonly #firstEpoch: number
  readonly #running = new Set<string>()
  /** The client has at most as many calls without an answer, so no earlier answer can have been lost. */
  readonly #answers = new Map<string, BeatAnswer>()
  #last = 0

  /** `firstEpoch` is that of the first connection that can have sent calls here. */
  constructor(firstEpoch: number) {
    this.#firstEpoch = firstEpoch
  }

  /** Returns `new` if the call must run now; otherwise its answer, or `running` if that will follow. */
  begin({ id, epoch }: SessionCall): 'new' | 'running' | BeatAnswer {
    if (this.#running.has(id)) return 'running'
    const answer = this.#answers.get(id)
    if (answer) return answer
    // Another process or an earlier session may have run it.
    if (epoch < this.#firstEpoch || Number(id) <= this.#last) return LOST
    if (this.#running.size >= MAX_SESSION_CALLS) return CROWDED
    this.#last = Number(id)
    this.#running.add(id)
    return 'new'
  }

  settle(id: string, answer: BeatAnswer): void {
    this.#running.delete(id)
    this.#answers.set(id, answer)
    const [oldest = id] = this.#answers.keys()
    if (this.#answers.size > MAX_SESSION_CALLS) this.#answers.delete(oldest)
  }
}
