/**
 * In complete, damaged and mixed copies, numbers identify the right key or none, however many keys there are.
 */
import { createSecretKey, hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { bitsOf, keyStreams, levelIn } from '../builds/watermark.ts'
import type { ExecutionMarkRow } from '../executions/store/execution-marks.ts'
import { NumberEvidence, type NumberReading, needed } from './number-evidence.ts'

const KEY = createSecretKey(Buffer.alloc(16, 7))
const SLOTS = 1024
const COUNTS = [2001, 2001, 10_001, 11]
const KEYS = 2000

const holders = Array.from({ length: KEYS }, (_, i) =>
  hash('sha256', `holder ${i}`, 'buffer').subarray(0, 16).toString('base64url'),
)
const streams = keyStreams(KEY, holders, bitsOf(SLOTS, COUNTS.length))
const levelsOf = (holder: number) =>
  COUNTS.map((count, i) => levelIn(streams[holder] as Uint32Array, SLOTS, i, count))

function matchesIn(levels: readonly (readonly number[])[], counts = COUNTS) {
  const evidence = new NumberEvidence(
    counts.map((count, i): NumberReading => ({ count, levels: levels[i] ?? [] })),
  )
  holders.forEach((holder, i) => {
    const row = { holder, user_key: `key ${i}` } as ExecutionMarkRow
    evidence.compare(row, streams[i] as Uint32Array, SLOTS)
  })
  return evidence.matches(KEYS)
}

const named = (levels: readonly (readonly number[])[]) =>
  matchesIn(levels)
    .filter(({ isNamed }) => isNamed)
    .map(({ row }) => row.user_key)

test('the levels of varied numbers are spread evenly', () => {
  const levels = holders.map((_, i) => levelsOf(i)[3] as number)
  const counts = Array.from({ length: 11 }, (_, level) => levels.filter((each) => each === level).length)
  // No key is assigned the author's own number.
  expect(counts[5]).toBe(0)
  for (const each of counts.toSpliced(5, 1)) expect(Math.abs(each - KEYS / 10)).toBeLessThan(60)
})

test('a complete set of varied numbers identifies its key, as does a set that lacks one number', () => {
  for (let i = 0; i < 100; i++) {
    const own = levelsOf(i).map((each) => [each])
    expect(named(own)).toEqual([`key ${i}`])
    expect(named(own.with(i % 3, []))).toEqual([`key ${i}`])
  }
})

test('numbers that no key has identify nobody', () => {
  for (let i = 0; i < 300; i++) {
    const foreign = COUNTS.map((count, j) => [(i * 7919 + j * 104_729 + 17) % count])
    expect(named(foreign)).toEqual([])
  }
})

test('a mix of numbers identifies only keys that are in it, each with its own evidence', () => {
  for (let i = 0; i < 50; i++) {
    const [a, b] = [levelsOf(i), levelsOf(i + 50)]
    const mixed = COUNTS.map((_, j) => [(j % 2 === 0 ? a : b)[j] as number])
    for (const each of named(mixed)) expect([`key ${i}`, `key ${i + 50}`]).toContain(each)
    const both = COUNTS.map((_, j) => [a[j] as number, b[j] as number])
    expect(new Set(named(both))).toEqual(new Set([`key ${i}`, `key ${i + 50}`]))
  }
})

test('a single number yields all keys that have it, equally likely and never certain', () => {
  const [level = 0] = levelsOf(5)
  const found = matchesIn([[level]])
  expect(found.map(({ row }) => row.user_key)).toContain('key 5')
  expect(new Set(found.map(({ likelihood }) => likelihood)).size).toBe(1)
  expect(found[0]?.likelihood).toBeLessThan(0.6)
  expect(
    needed(
      COUNTS.map((count) => ({ count, levels: [] })),
      KEYS,
    ),
  ).toBe(3)
})
