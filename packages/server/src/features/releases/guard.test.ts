/**
 * The guard detects broken versions, and almost never rolls back a working one. Customer populations are
 * simulated.
 */
import { describe, expect, test } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { comparedCustomers, type Evidence, type Judgement, judge, type SideCounts, spentAt } from './guard.ts'

const side = (...counts: readonly (readonly [customers: number, bad: number])[]): SideCounts[] =>
  counts.map(([customers, bad], i) => ({ executor: `executor ${i}`, customers, bad }))

function chanceIn(judgement: Judgement): number {
  return 'chance' in judgement ? judgement.chance : 1
}

const RANKS = ['too_few', 'healthy', 'suspicious', 'worse']

describe('the chance', () => {
  test('is that of the exact test, corrected for two comparisons', () => {
    const evidence = { fresh: side([50, 3]), former: side([100, 0]) }
    // All three crashes occurred among the same 50 of 150 customers.
    const exact = (50 * 49 * 48) / (150 * 149 * 148)
    expect(chanceIn(judge(evidence, 0))).toBeCloseTo(exact / 0.9, 12)
  })

  test('combines executors as if each had spread its crashes by chance', () => {
    const evidence = { fresh: side([40, 2], [30, 2]), former: side([80, 0], [90, 0]) }
    const first = (40 * 39) / (120 * 119)
    const second = (30 * 29) / (120 * 119)
    expect(chanceIn(judge(evidence, 0))).toBeCloseTo((first * second) / 0.9, 12)
  })

  test('is the same for many customers, where the exact distribution is not computed', () => {
    const former = side([10_000, 2660])
    const chances = Array.from({ length: 200 }, (_, i) => {
      return chanceIn(judge({ fresh: side([10_000, 2780 + i]), former }, 0))
    })
    for (const [i, chance] of chances.slice(1).entries()) {
      const ratio = chance / (chances[i] as number)
      // Each additional crash has a similar effect, even at the point where the method changes.
      expect(ratio).toBeGreaterThan(0.85)
      expect(ratio).toBeLessThan(1)
    }
  })

  test('of all false alarms of a release is below 1 %', () => {
    let last = 0
    for (let customers = 0; customers < 1e9; customers = Math.ceil(customers * 1.01) + 1) {
      expect(spentAt(customers)).toBeGreaterThanOrEqual(last)
      last = spentAt(customers)
    }
    expect(last).toBeLessThan(0.01)
  })
})

describe('the verdict', () => {
  test('waits for 50 customers on each side', () => {
    const verdictOf = (fresh: number, former: number) =>
      judge({ fresh: side([fresh, fresh]), former: side([former, 0]) }, 0).verdict
    expect(verdictOf(49, 1000)).toBe('too_few')
    expect(verdictOf(1000, 49)).toBe('too_few')
    expect(verdictOf(50, 50)).toBe('worse')
    expect(comparedCustomers({ fresh: side([49, 0]), former: side([1000, 0]) })).toBe(0)
  })

  test('is worse if a version crashes that never crashed before', () => {
    const judgement = judge({ fresh: side([60, 12]), former: side([3000, 0]) }, 0)
    expect(judgement).toEqual({
      verdict: 'worse',
      executors: [{ executor: 'executor 0', customers: 60, bad: 12, expected_bad: 0 }],
      share: 0.2,
      share_before: 0,
      chance: 1e-12,
    })
  })

  test('is worse only if customers were added since the previous judgment', () => {
    const evidence = { fresh: side([60, 12]), former: side([3000, 0]) }
    expect(judge(evidence, 59).verdict).toBe('worse')
    expect(judge(evidence, 60).verdict).toBe('suspicious')
  })

  test('is healthy if a version crashes less, or if both always or never crash', () => {
    for (const [fresh, former] of [
      [5, 2000],
      [100, 3000],
      [0, 0],
    ] as const) {
      const evidence = { fresh: side([100, fresh]), former: side([3000, former]) }
      expect(judge(evidence, 0)).toEqual({ verdict: 'healthy' })
    }
  })

  test('does not depend on which executors the customers of a version have', () => {
    const evidence = { fresh: side([100, 1], [900, 180]), former: side([9000, 90], [100, 20]) }
    expect(judge(evidence, 0).verdict).toBe('healthy')
  })

  test('ignores executors that only one side has', () => {
    const fresh = [...side([100, 1]), { executor: 'another', customers: 500, bad: 500 }]
    expect(judge({ fresh, former: side([1000, 10]) }, 0).verdict).toBe('healthy')
    expect(comparedCustomers({ fresh, former: side([1000, 10]) })).toBe(100)
  })

  test('names the broken executor of many, and every executor with an increase if it is general', () => {
    const before = [1000, 20] as const
    const oneBroken = judge(
      { fresh: side([100, 2], [100, 3], [10, 9]), former: side(before, before, before) },
      0,
    )
    expect(oneBroken).toMatchObject({ verdict: 'worse', executors: [{ executor: 'executor 2' }] })
    const general = judge(
      { fresh: side([100, 4], [100, 4], [100, 4]), former: side(before, before, before) },
      0,
    )
    expect(general).toMatchObject({
      verdict: 'suspicious',
      executors: { length: 3 },
      share: 0.04,
      share_before: 0.02,
    })
  })

  test('has finite numbers for any counts', () => {
    const sizes = [0, 1, 2, 49, 50, 3000, 1e7]
    const counts = sizes.flatMap((customers) =>
      [0, 0.01, 0.5, 1].map((share) => [customers, Math.floor(customers * share)] as const),
    )
    for (const count of counts) {
      for (const countBefore of counts) {
        const fresh = side(count, [60, 30], [0, 0])
        const judgement = judge({ fresh, former: side(countBefore, [60, 20], [0, 0]) }, 0)
        // JSON turns NaN and infinity into null.
        expect(JSON.parse(JSON.stringify(judgement))).toEqual(judgement)
        expect(chanceIn(judgement)).toBeGreaterThan(0)
      }
    }
  })

  test('compares at most 40 executors, those with the most customers', () => {
    const many = (bad: number) =>
      side(...Array.from({ length: 10_000 }, (_, i) => [10_000 - i, bad] as const))
    const evidence = { fresh: many(3), former: many(2) }
    expect(comparedCustomers(evidence)).toBe(40 * 10_000 - (40 * 39) / 2)
    expect(RANKS).toContain(judge(evidence, 0).verdict)
  })

  test('never improves with another crash of the new version', () => {
    const next = randomNumbers(7)
    const upTo = (limit: number) => Math.floor(next() * limit)
    const randomSide = (length: number, size: number, share: number) =>
      side(
        ...Array.from({ length }, () => {
          const customers = upTo(size)
          return [customers, Math.floor(customers * share * next())] as const
        }),
      )
    for (let i = 0; i < 300; i++) {
      const executors = 1 + upTo(6)
      const fresh = randomSide(executors, 200, 0.3)
      const former = randomSide(executors, 2000, 0.2)
      const at = upTo(executors)
      const changed = fresh[at] as SideCounts
      if (changed.bad >= changed.customers) continue
      const before = judge({ fresh, former }, 0)
      const after = judge({ fresh: fresh.with(at, { ...changed, bad: changed.bad + 1 }), former }, 0)
      expect(RANKS.indexOf(after.verdict)).toBeGreaterThanOrEqual(RANKS.indexOf(before.verdict))
      // Rounding may change the last digits.
      expect(chanceIn(after)).toBeLessThanOrEqual(chanceIn(before) * (1 + 1e-9))
    }
  })
})

describe('over an entire release', () => {
  const rates = [0, 0.005, 0.02, 0.2]
  const executorCounts = [1, 4, 12]

  test('fewer than 1 % of the versions that are no worse are rolled back', () => {
    const runsOfEach = effort({ day: 252, night: 3000 })
    const found = rates.map((rate, i) =>
      Array.from({ length: runsOfEach }, (_, run) =>
        release({
          seed: i * 100_003 + run,
          executors: executorCounts[run % 3] as number,
          rateBefore: rate,
          rateOf: () => rate,
          batch: 100,
          maxRuns: 6000,
          maxCustomers: UNLIMITED,
        }),
      ),
    )
    const shareOf = (runs: readonly Outcome[]) =>
      runs.filter(({ worseAt }) => worseAt > 0).length / runs.length
    expect(found.flat().length).toBeGreaterThan(1000)
    expect(shareOf(found.flat())).toBeLessThan(0.01)
    for (const runs of effort({ day: [], night: found })) expect(shareOf(runs)).toBeLessThan(0.01)
  })

  test('an increase from 2 to 4 % holds the ramp or rolls back within 800 customers in 90 % of releases', () => {
    const runs = Array.from({ length: effort({ day: 400, night: 2000 }) }, (_, run) =>
      release({
        seed: 9_000_000 + run,
        executors: executorCounts[run % 3] as number,
        rateBefore: 0.02,
        rateOf: () => 0.04,
        batch: 200,
        maxRuns: 50_000,
        maxCustomers: 800,
      }),
    )
    const found = runs.filter(({ worseAt, isHeld }) => worseAt > 0 || isHeld)
    expect(found.length / runs.length).toBeGreaterThanOrEqual(0.9)
  })

  test('two broken executors of twelve are found within 800 customers and named', () => {
    for (let run = 0; run < effort({ day: 150, night: 1000 }); run++) {
      const broken = [run % 12, (run + 1) % 12]
      const rateOf = (executor: number) => (broken.includes(executor) ? 1 : 0.02)
      const { judgement, worseAt } = release({
        seed: 5_000_000 + run,
        executors: 12,
        rateBefore: 0.02,
        rateOf,
        batch: 100,
        maxRuns: 50_000,
        maxCustomers: 800,
      })
      expect(worseAt).toBeGreaterThan(0)
      const named = 'executors' in judgement ? judgement.executors.map(({ executor }) => executor) : []
      expect(broken.some((executor) => named.includes(`executor ${executor}`))).toBe(true)
    }
  })
})

type Release = {
  readonly seed: number
  readonly executors: number
  readonly rateBefore: number
  readonly rateOf: (executor: number) => number
  /** Number of runs between two tests. */
  readonly batch: number
  /** The guard stops after this many runs, or this many customers on the new version. */
  readonly maxRuns: number
  readonly maxCustomers: number
}

type Outcome = {
  /** The number of customers at which the version was rolled back, or 0. */
  readonly worseAt: number
  /** Whether the ramp was on hold when the simulation ended. */
  readonly isHeld: boolean
  readonly judgement: Judgement
}

const PERCENTS = [5, 25, 100]
const BATCHES_PER_STEP = 15
const UNLIMITED = 1e9

/**
 * Runs a release until the guard rolls it back or stops. The ramp advances after some batches unless it is on
 * hold.
 */
function release(options: Release): Outcome {
  const { evidence, runOnce } = makePopulation(options)
  let [step, batches, judged, fresh] = [0, 0, 0, 0]
  let judgement: Judgement = { verdict: 'too_few' }
  for (let runs = 0; runs < options.maxRuns && fresh < options.maxCustomers; ) {
    for (let end = runs + options.batch; runs < end && fresh < options.maxCustomers; runs++) {
      fresh += runOnce(PERCENTS[step] as number)
    }
    judgement = judge(evidence, judged)
    judged = comparedCustomers(evidence)
    if (judgement.verdict === 'worse') break
    const isHeld = judgement.verdict === 'suspicious'
    batches += 1
    if (isHeld || batches < BATCHES_PER_STEP || step === PERCENTS.length - 1) continue
    step += 1
    batches = 0
  }
  const worseAt = judgement.verdict === 'worse' ? judged : 0
  return { worseAt, isHeld: judgement.verdict === 'suspicious', judgement }
}

const POPULATION = 15_000

/**
 * Simulates customers who run the script repeatedly, so that many of them count for both versions during the
 * ramp.
 */
function makePopulation({ seed, executors, rateBefore, rateOf }: Release) {
  const next = randomNumbers(seed)
  const percentiles = Float64Array.from({ length: POPULATION }, () => next() * 100)
  const countsOf = () => side(...Array.from({ length: executors }, () => [0, 0] as const)) as Writable[]
  const pickExecutor = executorPicker(next, executors)
  const executorsOf = Uint8Array.from({ length: POPULATION }, pickExecutor)
  const sides = [false, true].map((isFresh) => ({
    counts: countsOf(),
    seen: new Uint8Array(POPULATION),
    rates: Array.from({ length: executors }, (_, i) => (isFresh ? rateOf(i) : rateBefore)),
  }))
  /** Returns 1 if the run was a customer's first run of the new version. */
  const runOnce = (percent: number) => {
    const customer = Math.floor(next() * POPULATION)
    const on = (percentiles[customer] as number) < percent ? 1 : 0
    const { counts, seen, rates } = sides[on] as (typeof sides)[number]
    if (seen[customer] === 1) return 0
    seen[customer] = 1
    const executor = executorsOf[customer] as number
    const count = counts[executor] as Writable
    count.customers += 1
    if (next() < (rates[executor] as number)) count.bad += 1
    return on
  }
  const [former, fresh] = sides.map(({ counts }) => counts) as [Writable[], Writable[]]
  return { evidence: { former, fresh } satisfies Evidence, runOnce }
}

type Writable = { -readonly [Key in keyof SideCounts]: SideCounts[Key] }

/**
 * The first executor has the most customers, the second has half as many, and the third has a third as many.
 */
function executorPicker(next: () => number, executors: number): () => number {
  const weights = Array.from({ length: executors }, (_, i) => 1 / (i + 1))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return () => {
    let rest = next() * sum
    const found = weights.findIndex((weight) => {
      rest -= weight
      return rest < 0
    })
    return found === -1 ? 0 : found
  }
}

/** The Mulberry32 generator. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
