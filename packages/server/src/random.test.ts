/** The pool of chance against what it must never do: hand out the same bytes twice, or zeros. */
import { expect, it } from 'vitest'
import { makeRandom } from './random.ts'

it('hands out no bytes twice, over many fillings of its pool', () => {
  const random = makeRandom()
  const kept = Array.from({ length: 5000 }, (_, index) => random(12 + (index % 3) * 10))
  const all = kept.map((bytes) => bytes.toString('hex'))
  expect(new Set(all.map((text) => text.slice(0, 24))).size).toBe(all.length)
  expect(kept.map((bytes) => bytes.toString('hex'))).toEqual(all)
})

it('answers as many bytes as were asked for, also more than it keeps', () => {
  const random = makeRandom()
  for (const count of [0, 1, 32, 64, 65, 4096, 10_000]) expect(random(count)).toHaveLength(count)
})

it('leaves no gap of zeros in what is asked for at once', () => {
  const random = makeRandom()
  const zeros = [...random(64), ...random(10_000)].filter((byte) => byte === 0).length
  expect(zeros).toBeLessThan(200)
})
