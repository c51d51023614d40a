/** The payload cache stays within its bytes and keeps what is used. */
import { expect, it } from 'vitest'
import { PayloadCache } from './payload-cache.ts'

const MEGABYTE = 1024 * 1024
const payload = (megabytes: number) => ({
  block: Buffer.alloc(megabytes * MEGABYTE),
  size: 1,
  marks: null,
  split: null,
  serviceKey: null,
})

it('what was not used for longest makes room', () => {
  const cache = new PayloadCache()
  for (let version = 1; version <= 4; version++) cache.keep('a', version, payload(8))
  expect(cache.find('a', 1)).toBeDefined()
  cache.keep('a', 5, payload(8))
  expect(cache.find('a', 2)).toBeUndefined()
  for (const version of [1, 3, 4, 5]) expect(cache.find('a', version)).toBeDefined()
  expect(cache.find('b', 1)).toBeUndefined()
})

it('a payload that is larger than the whole cache pushes nothing out', () => {
  const cache = new PayloadCache()
  cache.keep('a', 1, payload(1))
  cache.keep('b', 1, payload(33))
  expect(cache.find('a', 1)).toBeDefined()
  expect(cache.find('b', 1)).toBeUndefined()
})
