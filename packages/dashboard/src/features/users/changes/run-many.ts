/** Calls the API once per item with limited concurrency, respects rate limits, and reports all results. */
import { isServiceError } from '@scriptward/sdk'

export type Failure<Item> = { readonly item: Item; readonly error: unknown }
export type Report<Item, Done> = {
  readonly done: readonly Done[]
  readonly failed: readonly Failure<Item>[]
  /** Items that were not processed because the run was stopped. */
  readonly left: readonly Item[]
}

type Work<Item, Done> = {
  readonly items: readonly Item[]
  readonly work: (item: Item) => Promise<Done>
  readonly onProgress: (finished: number) => void
  readonly isStopped: () => boolean
}

/** Stays below the rate limit of a hundred requests per second; each request takes a few milliseconds. */
const AT_ONCE = 6
const MAX_WAITS = 20
const FALLBACK_WAIT_S = 1

export async function runMany<Item, Done>(given: Work<Item, Done>): Promise<Report<Item, Done>> {
  const { items, work, onProgress, isStopped } = given
  const done: Done[] = []
  const failed: Failure<Item>[] = []
  let next = 0
  const worker = async () => {
    while (next < items.length && !isStopped()) {
      const item = items[next] as Item
      next += 1
      try {
        done.push(await patiently(() => work(item), isStopped))
      } catch (error) {
        failed.push({ item, error })
      }
      onProgress(done.length + failed.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return { done, failed, left: items.slice(next) }
}

/** Rate limiting is not a failure: the call is retried after the delay that the API specifies. */
async function patiently<T>(work: () => Promise<T>, isStopped: () => boolean): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isServiceError(error, 'rate_limited') || waits >= MAX_WAITS || isStopped()) throw error
      const seconds = Number(error.members.retry_after) || FALLBACK_WAIT_S
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}
