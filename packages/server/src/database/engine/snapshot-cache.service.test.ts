/**
 * A snapshot cache shares values that were read once, and never returns a value that was read before the
 * cache was last cleared.
 */
import { expect, test } from 'vitest'
import { SnapshotCache } from './snapshot-cache.ts'

test('a value is read once and then served from the cache', async () => {
  const cache = new SnapshotCache()
  const first = await cache.find('name', async () => ({ reads: 1 }))
  expect(await cache.find('name', async () => ({ reads: 2 }))).toBe(first)
})

test('values with different names are cached separately', async () => {
  const cache = new SnapshotCache()
  await cache.find('name', async () => ({ reads: 1 }))
  expect(await cache.find('another', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
})

test('a value is read again after the cache is cleared', async () => {
  const cache = new SnapshotCache()
  await cache.find('name', async () => ({ reads: 1 }))
  cache.clear()
  expect(await cache.find('name', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
})

test('a read in flight when the cache is cleared is not cached', async () => {
  const cache = new SnapshotCache()
  const { promise: old, resolve } = Promise.withResolvers<{ reads: number }>()
  const reading = cache.find('name', () => old)
  cache.clear()
  resolve({ reads: 1 })
  expect(await reading).toEqual({ reads: 1 })
  expect(await cache.find('name', async () => ({ reads: 2 }))).toEqual({ reads: 2 })
})

test('missing values and failed reads are not cached', async () => {
  const cache = new SnapshotCache()
  expect(await cache.find('name', async () => undefined)).toBeUndefined()
  await expect(cache.find('name', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await cache.find('name', async () => ({ reads: 3 }))).toEqual({ reads: 3 })
})
