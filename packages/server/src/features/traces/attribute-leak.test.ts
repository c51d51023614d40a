/** Tracing finds the user who leaked a copy and never accuses another user. Uses real watermark payloads. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Copy, codeWord, isExecutionSlot, isSet, keyStreams } from '../builds/watermark.ts'
import {
  countDeviations,
  countMatches,
  isExecutionKnown,
  isSuspect,
  probabilityOfChance,
  splitEvidence,
} from './attribute-leak.ts'

const KEY = Buffer.alloc(16, 7)
const SLOTS = 1024
const USERS = 10_000
/** The first users have many runs each. All other users have one. */
const BUSY_USERS = 20
const RUNS = 100

const name = (text: string) =>
  createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
const copyOf = (user: number, run = 0): Copy => ({
  holder: name(`user ${user}`),
  exec: name(`${user} ${run}`),
})

type Served = { readonly user: number; readonly run: number }
const served: readonly Served[] = Array.from({ length: USERS }, (_, user) =>
  Array.from({ length: user < BUSY_USERS ? RUNS : 1 }, (_, run) => ({ user, run })),
).flat()
const holders = keyStreams(
  KEY,
  Array.from({ length: USERS }, (_, user) => copyOf(user).holder),
  SLOTS,
)
const execs = keyStreams(
  KEY,
  served.map(({ user, run }) => copyOf(user, run).exec),
  SLOTS / 8,
)

/** Returns numbers lower than `below` that are the same in every run. */
function chance(seed: string): (below: number) => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0)
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Chooses a slot's value as colluders would, given the slot's bits in their copies. */
type Strategy = (bits: readonly boolean[], next: (below: number) => number) => boolean
const strategies: Readonly<Record<string, Strategy>> = {
  any: (bits, next) => bits[next(bits.length)] === true,
  majority: (bits, next) => {
    const ones = bits.filter(Boolean).length
    return ones * 2 === bits.length ? next(2) === 1 : ones * 2 > bits.length
  },
  one: (bits) => bits.some(Boolean),
  minority: (bits) => {
    const ones = bits.filter(Boolean).length
    return ones > 0 && (ones === bits.length || ones * 2 < bits.length)
  },
}

type Mixing = { readonly destroyed?: number; readonly seed?: string; readonly strategy?: Strategy }

/** Returns what is read from a copy that was mixed from several copies and damaged. */
function leakOf(copies: readonly Copy[], { destroyed = 0, seed = 'leak', strategy }: Mixing = {}): Int8Array {
  const words = copies.map((copy) => codeWord(KEY, copy, SLOTS))
  const next = chance(`${seed} ${copies.map(({ exec }) => exec).join()}`)
  const choose = strategy ?? (strategies.any as Strategy)
  return Int8Array.from({ length: SLOTS }, (_, slot) => {
    const bit = choose(
      words.map((word) => isSet(word, slot)),
      next,
    )
    return next(100) < destroyed ? -1 : Number(bit)
  })
}

/** Returns the accused users and their runs. The run is null if the copy doesn't identify it. */
function accusedBy(reading: Int8Array): Map<number, number | null> {
  const evidence = splitEvidence(reading)
  const shared = holders.map((word) => countMatches(evidence.ofHolder, word))
  const accused = new Map<number, { matches: number; run: number | null }>()
  served.forEach(({ user, run }, i) => {
    const own = countMatches(evidence.ofExecution, execs[i] as Uint32Array)
    const matches = (shared[user] as number) + own
    if (!isSuspect(evidence, matches) || matches <= (accused.get(user)?.matches ?? 0)) return
    accused.set(user, { matches, run: isExecutionKnown(evidence, own, served.length) ? run : null })
  })
  return new Map([...accused].map(([user, { run }]) => [user, run]))
}

const usersIn = (reading: Int8Array) => [...accusedBy(reading).keys()]

test('key streams of many names form the watermark payloads, whatever the counter is', () => {
  const ids = [Buffer.alloc(16, 255), Buffer.from(`${'00'.repeat(14)}ffff`, 'hex'), Buffer.alloc(16, 3)]
  const names = ids.map((id) => id.toString('base64url'))
  for (const slots of [1, 100, 128, 129, 1024]) {
    const ofHolders = keyStreams(KEY, names, slots)
    const ofExecutions = keyStreams(KEY, names, Math.ceil(slots / 8))
    const bit = (words: readonly Uint32Array[], i: number, place: number) =>
      (((words[i]?.[place >> 5] ?? 0) >>> (place & 31)) & 1) === 1
    names.forEach((holder, i) => {
      const j = (i + 1) % names.length
      const word = codeWord(KEY, { holder, exec: names[j] ?? '' }, slots)
      for (let slot = 0; slot < slots; slot++)
        expect(isSet(word, slot)).toBe(
          isExecutionSlot(slot) ? bit(ofExecutions, j, slot >> 3) : bit(ofHolders, i, slot),
        )
    })
  }
})

describe('a copy of one user', () => {
  test.each([0, 30, 50, 60])(
    'identifies that user and the run, and none of 10,000 others, with %i %% destroyed',
    (destroyed) => {
      for (const user of [77, 5000, 9999])
        expect([...accusedBy(leakOf([copyOf(user)], { destroyed }))]).toEqual([[user, 0]])
      for (const run of [0, 42, 99])
        expect([...accusedBy(leakOf([copyOf(3, run)], { destroyed }))]).toEqual([[3, run]])
    },
  )

  test('names no one when too little of it is left', () => {
    expect(usersIn(leakOf([copyOf(3)]).map((bit, slot) => (slot < 35 ? bit : -1)))).toEqual([])
    expect(usersIn(new Int8Array(SLOTS).fill(-1))).toEqual([])
  })
})

describe('a mix of the runs of one user', () => {
  const runsOf = (user: number, count: number) => Array.from({ length: count }, (_, run) => copyOf(user, run))
  const cases = [2, 4, 8, 12, 100].flatMap((count) =>
    Object.keys(strategies).map((how) => [count, how] as const),
  )

  test.each(cases)('of %i runs, written by "%s", names that user and no other', (count, how) => {
    for (let user = 0; user < BUSY_USERS; user += 3) {
      for (const destroyed of [0, 50]) {
        const mixing = { destroyed, strategy: strategies[how] as Strategy }
        expect(usersIn(leakOf(runsOf(user, count), mixing))).toEqual([user])
      }
    }
  })

  test('names no run when it mixes a hundred', () => {
    expect([...accusedBy(leakOf(runsOf(5, RUNS)))]).toEqual([[5, null]])
  })
})

describe('a copy mixed by users', () => {
  const ROUNDS = 40

  /** Returns the number of rounds in which any of the colluding users is accused. */
  function countFound(count: number, how: string, runs: number): number {
    let found = 0
    for (let round = 0; round < ROUNDS; round++) {
      const users = Array.from({ length: count }, (_, i) => (round * 211 + i * 37) % USERS)
      const copies = users.flatMap((user) => Array.from({ length: runs }, (_, run) => copyOf(user, run)))
      const accused = usersIn(
        leakOf(copies, { seed: `round ${round}`, strategy: strategies[how] as Strategy }),
      )
      for (const one of accused) expect(users).toContain(one)
      if (accused.length > 0) found += 1
    }
    return found
  }

  test.each([
    [2, 'any', 1],
    [2, 'majority', 8],
    [2, 'one', 8],
    [2, 'minority', 1],
    [3, 'any', 1],
    [3, 'any', 8],
    [3, 'majority', 1],
    [3, 'one', 1],
    [5, 'any', 1],
    [5, 'any', 8],
    [5, 'majority', 1],
  ])('of %i users names some of them and no other, written by "%s" from %i runs each', (count, how, runs) => {
    expect(countFound(count, how, runs)).toBeGreaterThanOrEqual(ROUNDS - 2)
  })

  // Documented in docs/tracing.md. Update the guide if these copies become traceable.
  test.each([
    [3, 'minority'],
    [5, 'one'],
  ])('of %i users who hide their traces well identifies no user, written by "%s"', (count, how) => {
    expect(countFound(count, how, 1)).toBe(0)
  })

  test('of three users with a fifth destroyed names some of them and no other', () => {
    for (let round = 0; round < 20; round++) {
      const users = [round * 13, round * 29 + 1, round * 31 + 5000]
      const accused = usersIn(
        leakOf(
          users.map((user) => copyOf(user)),
          { destroyed: 20 },
        ),
      )
      expect(accused.length).toBeGreaterThan(0)
      for (const one of accused) expect(users).toContain(one)
    }
  })
})

describe('no one is accused', () => {
  test('by strings that were never served to a user', () => {
    for (let round = 0; round < 100; round++) {
      const next = chance(`made up ${round}`)
      expect(usersIn(Int8Array.from({ length: SLOTS }, () => next(2)))).toEqual([])
    }
  })

  test('by copies of others: 200 leaks with 9,999 innocent users each', () => {
    for (let round = 0; round < 200; round++) {
      const user = USERS - 1 - round
      expect(usersIn(leakOf([copyOf(user)], { destroyed: round % 80 }))).toEqual([user])
    }
  })

  test('by a copy older than watermark payloads, in which all slots are alike', () => {
    expect(usersIn(new Int8Array(SLOTS))).toEqual([])
    expect(usersIn(new Int8Array(SLOTS).fill(1))).toEqual([])
  })

  test('below six standard deviations, regardless of the number of slots', () => {
    for (let read = 1; read <= SLOTS; read++) {
      for (const matches of [read, Math.ceil(read * 0.6), Math.ceil(read / 2)]) {
        expect(isSuspect({ read }, matches)).toBe(countDeviations({ read }, matches) >= 6)
      }
    }
  })
})

test('the reported bound exceeds the measured probability of a chance match', () => {
  const evidence = splitEvidence(leakOf([copyOf(1)]))
  expect(probabilityOfChance(evidence, SLOTS, USERS)).toBeLessThan(1e-200)
  const atThreshold = Math.ceil(SLOTS / 2 + 3 * Math.sqrt(SLOTS))
  expect(probabilityOfChance(evidence, atThreshold, 1)).toBeGreaterThan(1e-9)
  expect(probabilityOfChance(evidence, atThreshold, 1)).toBeLessThan(2e-8)
  expect(probabilityOfChance(evidence, SLOTS / 2, USERS)).toBe(1)
})
