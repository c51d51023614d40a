/**
 * Server function calls of one session. Each call runs at most once, and its answer is repeated if the client
 * resends the call after a lost connection.
 */
import { type BeatAnswer, MAX_SESSION_CALLS, type SessionCall } from '@scriptward/client/live-messages'

const LOST: BeatAnswer = { problem: 'the connection was lost during the call' }
const CROWDED: BeatAnswer = { problem: 'too many calls at a time' }

export class Calls {
  readonly #firstEpoch: number
  readonly #running = new Set<string>()
  /**
   * The latest answers. A client has at most `MAX_SESSION_CALLS` calls in flight, so it has received all
   * earlier answers.
   */
  readonly #answers = new Map<string, BeatAnswer>()
  #last = 0

  /** `firstEpoch` is the number of the first connection that could send calls to this process. */
  constructor(firstEpoch: number) {
    this.#firstEpoch = firstEpoch
  }

  /**
   * Returns `new` if the call must run now, `running` if its answer will follow, and otherwise the answer.
   */
  begin({ id, epoch }: SessionCall): 'new' | 'running' | BeatAnswer {
    if (this.#running.has(id)) return 'running'
    const answer = this.#answers.get(id)
    if (answer) return answer
    // The call may have run in another process or in an earlier session.
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
