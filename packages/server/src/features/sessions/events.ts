/**
 * Streams a project's session events as server-sent events. Nothing is replayed. A client that needs all
 * sessions must list them after the stream has started, and a stream that may have missed an event is ended.
 * User keys are masked, because a stream may outlive its permission by a second.
 */

import { type Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { SessionEvent } from '../../protocol/sessions/session.ts'
import type { ProjectSubject } from '../projects/store/subjects.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import { describeSession } from './sessions.ts'

const MAX_WATCHERS = 16
/** A watcher that falls this many events behind is disconnected. */
const MAX_QUEUED = 1000
/** Sent periodically, because proxies close idle connections. */
const KEEPALIVE_MS = 15_000
const RETRY_S = 30
const SIGN_OF_LIFE = ': still here\n\n'

export async function watchSessions(
  deps: Deps,
  { customer, project }: ProjectSubject,
): Promise<AsyncIterable<string> | Refused<'rate_limited' | 'account_expired'>> {
  if (customer.plan_expires <= deps.now()) return refuse('account_expired')
  const { hub, network } = deps.sessions
  if (hub.countListeners(project.id) >= MAX_WATCHERS) return refuse('rate_limited', { retry_after: RETRY_S })
  const queue = new Queue(KEEPALIVE_MS)
  const leave = await network.subscribe(project.id, {
    onEvent: (event) => queue.put(textOf(event)),
    end: () => void queue.return(),
  })
  queue.onOver(leave)
  return queue
}

function textOf({ type, session }: SessionEvent): string {
  const { user_key } = session
  const shown = { ...describeSession(session), user_key: user_key && maskKey(user_key) }
  return `event: ${type}\ndata: ${JSON.stringify(shown)}\n\n`
}

type Result = IteratorResult<string, undefined>

/** Queues events for one reader. It isn't a generator, because a generator that is waiting can't be ended. */
class Queue implements AsyncIterableIterator<string, undefined> {
  #leave: () => void = () => {}
  readonly #keepaliveMs: number
  /** The first message shows the reader that the stream has started. */
  readonly #texts: string[] = [SIGN_OF_LIFE]
  #isOver = false
  #wake: (() => void) | undefined

  constructor(keepaliveMs: number) {
    this.#keepaliveMs = keepaliveMs
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Calls `leave` when the queue ends, or immediately if it has already ended. */
  onOver(leave: () => void): void {
    this.#leave = leave
    if (this.#isOver) leave()
  }

  put(text: string): void {
    if (this.#texts.length >= MAX_QUEUED) void this.return()
    else this.#texts.push(text)
    this.#wake?.()
  }

  async next(): Promise<Result> {
    if (this.#texts.length === 0 && !this.#isOver) await this.#wait()
    if (this.#isOver) return { done: true, value: undefined }
    return { done: false, value: this.#texts.shift() ?? SIGN_OF_LIFE }
  }

  async return(): Promise<Result> {
    this.#isOver = true
    this.#leave()
    this.#wake?.()
    return { done: true, value: undefined }
  }

  /** Waits until there is an event or a keep-alive is due. */
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#keepaliveMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
