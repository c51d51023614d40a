/**
 * Opened and closed sessions of a project as server-sent events. Past events are not stored: to know all sessions, list
 * them after the stream has begun.
 */
import type { Deps } from '../../deps.ts'
import type { SessionEvent } from '../../protocol/session-hub.ts'
import type { ProjectRow } from '../../store/tables/projects.ts'
import { type Refused, refuse } from '../refusals.ts'
import { describeSession } from './sessions.ts'

const MOST_WATCHERS = 16
/** A watcher that is this many events behind is let go; he lists again and goes on from there. */
const MOST_WAITING = 1000
/** Proxies cut connections on which nothing is said. */
const SILENCE_MS = 15_000
const RETRY_S = 30
const SIGN_OF_LIFE = ': still here\n\n'

export async function watchSessions(
  deps: Deps,
  project: ProjectRow,
): Promise<AsyncIterable<string> | Refused<'rate_limited'>> {
  const { sessions } = deps.protocol
  if (sessions.countListeners(project.id) >= MOST_WATCHERS)
    return refuse('rate_limited', { retry_after: RETRY_S })
  const queue = new Queue(SILENCE_MS)
  queue.end = sessions.subscribe(project.id, {
    tell: (event) => queue.put(textOf(event)),
    end: () => void queue.return(),
  })
  return queue
}

function textOf({ type, session }: SessionEvent): string {
  return `event: ${type}\ndata: ${JSON.stringify(describeSession(session))}\n\n`
}

type Result = IteratorResult<string, undefined>

/** Texts for one reader. It is no generator, because one that waits cannot be told to stop. */
class Queue implements AsyncIterableIterator<string, undefined> {
  end: () => void = () => {}
  readonly #silenceMs: number
  /** The first text lets the reader know that it has begun. */
  readonly #texts: string[] = [SIGN_OF_LIFE]
  #isOver = false
  #wake: (() => void) | undefined

  constructor(silenceMs: number) {
    this.#silenceMs = silenceMs
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  put(text: string): void {
    if (this.#texts.length >= MOST_WAITING) void this.return()
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
    this.end()
    this.#wake?.()
    return { done: true, value: undefined }
  }

  /** Until there is something to say, or nothing was said for too long. */
  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#silenceMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
