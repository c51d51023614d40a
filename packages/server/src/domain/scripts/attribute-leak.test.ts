/** That the user who leaked a copy is found, and no other user ever is. Code words are the real ones. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { codeWord, codeWords, isSet } from '../../obfuscation/watermark.ts'
import { chanceOf, countMatches, deviationsOf, isSuspect, toEvidence } from './attribute-leak.ts'

const KEY = Buffer.alloc(16, 7)
const SLOTS = 1024
const USERS = 10_000

function bytesFor(name: string): Buffer {
  return createHash('sha256').update(name).digest().subarray(0, 16)
}

const execs = Array.from({ length: USERS }, (_, i) => bytesFor(`user ${i}`).toString('base64url'))
const words = codeWords(KEY, execs, SLOTS)

/** Numbers below `below` that are the same in every run. */
function chance(seed: string): (below: number) => number {
  let state = bytesFor(seed).readUInt32LE(0)
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function bytesOf(user: number): Uint8Array {
  const word = words[user] as Uint32Array
  return new Uint8Array(word.buffer, word.byteOffset, word.byteLength)
}

/** What can be read in a copy that some users mixed at will and damaged: where theirs differ, any of theirs. */
function leakOf(users: readonly number[], { destroyed = 0, seed = 'leak', slots = SLOTS } = {}): Int8Array {
  const next = chance(`${seed} ${users.join()}`)
  return Int8Array.from({ length: slots }, (_, slot) => {
    if (next(100) < destroyed) return -1
    const user = users[next(users.length)] ?? 0
    return isSet(bytesOf(user), slot) ? 1 : 0
  })
}

function accusedBy(reading: Int8Array): number[] {
  const evidence = toEvidence(reading)
  return words.flatMap((word, i) => (isSuspect(evidence, countMatches(evidence, word)) ? [i] : []))
}

test('code words are the same one by one and many at once, whatever the counter carries', () => {
  const ids = [Buffer.alloc(16, 255), Buffer.from(`${'00'.repeat(14)}ffff`, 'hex'), bytesFor('x')]
  const names = ids.map((id) => id.toString('base64url'))
  for (const slots of [1, 100, 128, 129, 1024]) {
    const many = codeWords(KEY, names, slots).map((word) =>
      Buffer.from(word.buffer, word.byteOffset, word.byteLength),
    )
    names.forEach((name, i) => {
      const one = codeWord(KEY, name, slots)
      expect(many[i]?.subarray(0, one.length)).toEqual(one)
    })
  }
})

describe('a copy of one user', () => {
  test.each([0, 30, 50, 60])(
    'names that user and none of 10,000 others, with %i per cent destroyed',
    (destroyed) => {
      for (const user of [0, 77, 5000, 9999]) expect(accusedBy(leakOf([user], { destroyed }))).toEqual([user])
    },
  )

  test('names no user when too little of it is left to be sure', () => {
    expect(accusedBy(leakOf([3]).map((bit, slot) => (slot < 35 ? bit : -1)))).toEqual([])
    expect(accusedBy(new Int8Array(SLOTS).fill(-1))).toEqual([])
  })
})

describe('a copy that users mixed', () => {
  test.each([2, 3])('of %i names some of them and no other user', (count) => {
    for (let round = 0; round < 40; round++) {
      const users = Array.from({ length: count }, (_, i) => (round * 211 + i * 37) % USERS)
      const accused = accusedBy(leakOf(users, { seed: `round ${round}` }))
      expect(accused.length).toBeGreaterThan(0)
      for (const one of accused) expect(users).toContain(one)
    }
  })

  test('of three, of which a fifth is destroyed, too', () => {
    for (let round = 0; round < 20; round++) {
      const users = [round * 13, round * 29 + 1, round * 31 + 5000]
      const accused = accusedBy(leakOf(users, { destroyed: 20 }))
      expect(accused.length).toBeGreaterThan(0)
      for (const one of accused) expect(users).toContain(one)
    }
  })
})

describe('no user is accused', () => {
  test('by texts that no user was served', () => {
    for (let round = 0; round < 100; round++) {
      const next = chance(`made up ${round}`)
      expect(accusedBy(Int8Array.from({ length: SLOTS }, () => next(2)))).toEqual([])
    }
  })

  test('by a copy from before there were code words, in which all slots are alike', () => {
    expect(accusedBy(new Int8Array(SLOTS))).toEqual([])
    expect(accusedBy(new Int8Array(SLOTS).fill(1))).toEqual([])
  })

  test('below six standard deviations, whatever the number of slots', () => {
    for (let read = 1; read <= SLOTS; read++) {
      const evidence = { read, known: new Uint32Array(), bits: new Uint32Array() }
      for (const matches of [read, Math.ceil(read * 0.6), Math.ceil(read / 2)]) {
        expect(isSuspect(evidence, matches)).toBe(deviationsOf(evidence, matches) >= 6)
      }
    }
  })
})

test('the bound that is told is above what chance does', () => {
  const evidence = toEvidence(leakOf([1]))
  expect(chanceOf(evidence, SLOTS, USERS)).toBeLessThan(1e-200)
  const atThreshold = Math.ceil(SLOTS / 2 + 3 * Math.sqrt(SLOTS))
  expect(chanceOf(evidence, atThreshold, 1)).toBeGreaterThan(1e-9)
  expect(chanceOf(evidence, atThreshold, 1)).toBeLessThan(2e-8)
  expect(chanceOf(evidence, SLOTS / 2, USERS)).toBe(1)
})
