/** The payload cache stays within its size limit and evicts the least recently used entry. */
import { expect, it } from 'vitest'
import { PayloadCache } from './payload-cache.ts'

const MEGABYTE = 1024 * 1024
const payload = (megabytes: number) => ({
  block: Buffer.alloc(megabytes * MEGABYTE),
  size: 1,
  marks: null,
  split: null,
  locked: null,
  messages: [],
  callsServer: false,
})

it('the payload cache evicts the least recently used payload', () => {
  const cache = new PayloadCache()
  for (let version = 1; version <= 4; version++) cache.keepPayload('a', version, payload(8))
  expect(cache.findPayload('a', 1)).toBeDefined()
  cache.keepPayload('a', 5, payload(8))
  expect(cache.findPayload('a', 2)).toBeUndefined()
  for (const version of [1, 3, 4, 5]) expect(cache.findPayload('a', version)).toBeDefined()
  expect(cache.findPayload('b', 1)).toBeUndefined()
})

it('the payload cache evicts nothing for a payload larger than itself', () => {
  const cache = new PayloadCache()
  cache.keepPayload('a', 1, payload(1))
  cache.keepPayload('b', 1, payload(33))
  expect(cache.findPayload('a', 1)).toBeDefined()
  expect(cache.findPayload('b', 1)).toBeUndefined()
})
