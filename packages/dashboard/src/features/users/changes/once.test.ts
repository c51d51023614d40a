/** Tests calls that many users share. */
import { ServiceError } from '@scriptward/sdk'
import { describe, expect, it } from 'vitest'
import { once, oncePer } from './once.ts'
import { runMany } from './run-many.ts'

const run = (items: readonly string[], work: (item: string) => Promise<string>) =>
  runMany({ items, work, onProgress: () => {}, isStopped: () => false })

/** Rejects the first call with this error type, and accepts all others. */
const failingOnce = (status: number, type: string) => {
  let calls = 0
  const call = async () => {
    calls += 1
    if (calls === 1) throw new ServiceError(status, { type, retry_after: 0.01 })
    return 'done'
  }
  return { call, calls: () => calls }
}

describe('a shared call', () => {
  it('is made again after a rate limit, once for all users', async () => {
    const { call, calls } = failingOnce(429, 'rate_limited')
    const { done, failed } = await run(['a', 'b', 'c'], once(call))
    expect({ done, failed, calls: calls() }).toEqual({ done: ['done', 'done', 'done'], failed: [], calls: 2 })
  })

  it('is not made again after another error', async () => {
    const { call, calls } = failingOnce(403, 'forbidden')
    const { failed } = await run(['a', 'b', 'c'], once(call))
    expect({ failed: failed.length, calls: calls() }).toEqual({ failed: 3, calls: 1 })
  })

  it('is made again after a rate limit if each user has an own one', async () => {
    const { call } = failingOnce(429, 'rate_limited')
    const each = oncePer(call)
    const { done, failed } = await run(['a', 'b'], (item) => each(item, item))
    expect({ done, failed }).toEqual({ done: ['done', 'done'], failed: [] })
  })
})
