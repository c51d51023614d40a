/** What is read once for many, and never given to anybody who could know better. */
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { BrieflyKept, Kept } from '../../src/store/kept.ts'

const NEVER_MS = 1e9

describe.each([
  ['as long as nothing changes', () => new Kept()],
  ['for a while', () => new BrieflyKept(NEVER_MS)],
])('what is kept %s', (_, make) => {
  test('is read once', async () => {
    const kept = make()
    const first = await kept.find('name', async () => ({ reads: 1 }))
    expect(kept.find('name', async () => ({ reads: 2 }))).toBe(first)
  })

  test('has its own name', async () => {
    const kept = make()
    await kept.find('name', async () => ({ reads: 1 }))
    expect(await kept.find('another', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
  })

  test('is read again when it was forgotten', async () => {
    const kept = make()
    await kept.find('name', async () => ({ reads: 1 }))
    kept.forget()
    expect(await kept.find('name', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
  })

  test('is not what was being read when everything was forgotten', async () => {
    const kept = make()
    const { promise: old, resolve } = Promise.withResolvers<{ reads: number }>()
    const reading = kept.find('name', () => old)
    kept.forget()
    resolve({ reads: 1 })
    expect(await reading).toEqual({ reads: 1 })
    expect(await kept.find('name', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
  })

  test('is neither what is missing nor what failed', async () => {
    const kept = make()
    expect(await kept.find('name', async () => undefined)).toBeUndefined()
    await expect(kept.find('name', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await kept.find('name', async () => ({ reads: 3 }))).toEqual({ reads: 3 })
  })
})

test('what is kept for a while is read again after it', async () => {
  const kept = new BrieflyKept(5)
  await kept.find('name', async () => ({ reads: 1 }))
  await setTimeout(10)
  expect(await kept.find('name', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
})
