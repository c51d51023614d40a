/**
 * Decides whether a new version crashes for, or denies, more customers than the previous version. The two
 * versions are compared within the same executor, because executors differ more than versions. The test is
 * exact, so it works even for a handful of crashes (docs/decisions/0084-guard-statistics.md).
 */

/** Customers of one version in one executor. A version has at most one entry per executor. */
export type SideCounts = {
  readonly executor: string
  readonly customers: number
  /** Customers whose run crashed or was denied because of the version. */
  readonly bad: number
}

/**
 * Counts since the release began. Both versions must have the same opportunity to crash, so only each
 * customer's first run of each version counts.
 */
export type Evidence = { readonly fresh: readonly SideCounts[]; readonly former: readonly SideCounts[] }

/** The new version's result in one executor. */
type ExecutorFinding = SideCounts & {
  /** Number of affected customers expected at the previous version's failure rate. */
  readonly expected_bad: number
}

export type Judgement =
  | { readonly verdict: 'too_few' | 'healthy' }
  | {
      readonly verdict: 'suspicious' | 'worse'
      /** The executors that are probably affected, most certain first. */
      readonly executors: readonly ExecutorFinding[]
      /**
       * The fraction of affected customers on the new version, among the executors that both versions ran on.
       */
      readonly share: number
      /**
       * The fraction of affected customers on the previous version, with executors weighted as on the new
       * version.
       */
      readonly share_before: number
      /**
       * The probability that a version that is no worse than the previous one would look at least this bad.
       */
      readonly chance: number
    }

const MIN_CUSTOMERS = 50
const MAX_EXECUTORS = 40
const MAX_FINDINGS = 10
/**
 * The ramp is on hold while the probability is below this value. Repeated tests need no correction, because
 * the hold ends when the evidence clears. The exact test is conservative: for a version that is no worse,
 * about 1 in 20 tests puts the ramp on hold.
 */
const SUSPICIOUS = 0.07
/**
 * The fraction of the false-alarm probability that the test across all executors may use. The rest is for the
 * worst executor.
 */
const FOR_ALL = 0.9
/**
 * Probabilities of a false `worse` on reaching the 50th, 100th, 200th, 400th and 800th customer. They are
 * highest where an increase from 2 to 4% becomes visible.
 */
const AT_DOUBLINGS = [0.0005, 0.0005, 0.001, 0.0025, 0.0035]
/**
 * The combined probability of a false `worse` for all later doublings. Each doubling gets half of the rest.
 */
const LATER = 0.0005
/**
 * The combined probability of a false `worse` for all tests between doublings. These tests detect only severe
 * breakage.
 */
const BETWEEN = 0.0005
/** Smaller probabilities are reported as this value. */
const MIN_CHANCE = 1e-12

/**
 * Evaluates the evidence at one point in time.
 * @param judged `comparedCustomers` of the previous test of this release, or 0 before the first test
 */
export function judge(evidence: Evidence, judged: number): Judgement {
  const pairs = pairsOf(evidence)
  const customers = comparedIn(pairs)
  if (customers === 0) return { verdict: 'too_few' }
  const chance = chanceOf(pairs)
  if (chance >= SUSPICIOUS) return { verdict: 'healthy' }
  return {
    verdict: chance < spentAt(customers) - spentAt(judged) ? 'worse' : 'suspicious',
    executors: findingsOf(pairs),
    share: sumOf(pairs, ({ bad }) => bad) / customers,
    share_before: sumOf(pairs, expectedBad) / customers,
    chance: Math.max(chance, MIN_CHANCE),
  }
}

/**
 * Returns the number of customers on the new version that can be compared, or 0 if either version has too
 * few. The number never decreases during a release.
 */
export function comparedCustomers(evidence: Evidence): number {
  return comparedIn(pairsOf(evidence))
}

/**
 * Returns the probability of a false `worse` that the tests up to this number of customers may have used up.
 * It never reaches 1%, however often a release is tested.
 */
export function spentAt(customers: number): number {
  if (customers < MIN_CUSTOMERS) return 0
  const doublings = Math.floor(Math.log2(customers / MIN_CUSTOMERS))
  const listed = AT_DOUBLINGS.slice(0, doublings + 1).reduce((sum, each) => sum + each, 0)
  const later = Math.max(0, doublings + 1 - AT_DOUBLINGS.length)
  return listed + LATER * (1 - 0.5 ** later) + BETWEEN * (1 - MIN_CUSTOMERS / customers)
}

/** An executor that both versions ran on. */
type Pair = {
  readonly executor: string
  readonly customers: number
  readonly bad: number
  readonly customersBefore: number
  readonly badBefore: number
}

/**
 * Returns the executors that both versions ran on. If there are too many, returns those with the most
 * customers on the new version. Returns none while the previous version has too few customers.
 */
function pairsOf({ fresh, former }: Evidence): Pair[] {
  const before = new Map(former.map((each) => [each.executor, each]))
  const pairs: Pair[] = []
  for (const { executor, customers, bad } of fresh) {
    const other = before.get(executor)
    if (customers === 0 || other === undefined || other.customers === 0) continue
    pairs.push({ executor, customers, bad, customersBefore: other.customers, badBefore: other.bad })
  }
  if (sumOf(pairs, ({ customersBefore }) => customersBefore) < MIN_CUSTOMERS) return []
  return pairs.sort((a, b) => b.customers - a.customers).slice(0, MAX_EXECUTORS)
}

function comparedIn(pairs: readonly Pair[]): number {
  const customers = sumOf(pairs, (pair) => pair.customers)
  return customers < MIN_CUSTOMERS ? 0 : customers
}

function sumOf(pairs: readonly Pair[], amountOf: (pair: Pair) => number): number {
  return pairs.reduce((sum, pair) => sum + amountOf(pair), 0)
}

function expectedBad({ customers, customersBefore, badBefore }: Pair): number {
  return (customers * badBefore) / customersBefore
}

/**
 * If no single executor stands out, the increase is general, so all executors with an increase are listed.
 */
function findingsOf(pairs: readonly Pair[]): ExecutorFinding[] {
  const increased = pairs
    .filter((pair) => pair.bad > expectedBad(pair))
    .map((pair) => ({ pair, chance: tailOf([pair]) }))
    .sort((a, b) => a.chance - b.chance)
  const conspicuous = increased.filter(({ chance }) => chance < SUSPICIOUS)
  return (conspicuous.length > 0 ? conspicuous : increased)
    .slice(0, MAX_FINDINGS)
    .map(({ pair }) => toFinding(pair))
}

function toFinding(pair: Pair): ExecutorFinding {
  const { executor, customers, bad } = pair
  return { executor, customers, bad, expected_bad: expectedBad(pair) }
}

/**
 * Only a test across all executors detects a small increase everywhere, and only a test of each executor
 * detects one broken executor among many. The smaller of the two probabilities counts, corrected for the
 * number of comparisons (Bonferroni).
 */
function chanceOf(pairs: readonly Pair[]): number {
  const worst = Math.min(...pairs.map((pair) => tailOf([pair])))
  return Math.min(1, tailOf(pairs) / FOR_ALL, (worst * pairs.length) / (1 - FOR_ALL))
}

/**
 * Above this variance, the normal distribution is as accurate as the exact one, which would take too long.
 */
const MAX_EXACT_VARIANCE = 1000

/**
 * Returns the probability of at least as many affected customers on the new version if each executor's
 * affected customers were spread over both versions by chance: Fisher's exact test, combined across executors
 * as in the Cochran–Mantel–Haenszel test.
 */
function tailOf(pairs: readonly Pair[]): number {
  const bad = sumOf(pairs, (pair) => pair.bad)
  const mean = sumOf(pairs, meanOf)
  // The probability is far from small, so its exact value doesn't matter.
  if (bad <= mean) return 1
  const variance = sumOf(pairs, varianceOf)
  if (variance > MAX_EXACT_VARIANCE) return normalTail((bad - 0.5 - mean) / Math.sqrt(variance))
  const { start, weights } = pairs.map(distributionOf).reduce(convolve)
  return Math.min(1, sumFrom(weights, bad - start))
}

function meanOf({ customers, bad, customersBefore, badBefore }: Pair): number {
  return (customers * (bad + badBefore)) / (customers + customersBefore)
}

function varianceOf(pair: Pair): number {
  const { customers, bad, customersBefore, badBefore } = pair
  const total = customers + customersBefore
  const good = total - bad - badBefore
  return (meanOf(pair) * (customersBefore / total) * good) / (total - 1)
}

/** `weights` contains the probabilities of `start`, `start + 1`, and so on. */
type Distribution = { readonly start: number; readonly weights: Float64Array }

/** Values that are less likely than the mode by more than this factor are omitted. */
const NEGLIGIBLE = 1e-14

/**
 * Returns the hypergeometric distribution of the bad customers on the new version, computed outward from its
 * mode.
 */
function distributionOf({ customers, bad, customersBefore, badBefore }: Pair): Distribution {
  const allBad = bad + badBefore
  const total = customers + customersBefore
  const lowest = Math.max(0, allBad - customersBefore)
  const highest = Math.min(allBad, customers)
  const mode = Math.floor(((customers + 1) * (allBad + 1)) / (total + 2))
  /** Returns the probability of the next value relative to that of `value`. */
  const growth = (value: number) =>
    ((allBad - value) * (customers - value)) / ((value + 1) * (customersBefore - allBad + value + 1))
  const below = descend(mode - lowest, (step) => 1 / growth(mode - step))
  const above = descend(highest - mode, (step) => growth(mode + step - 1))
  return normalized(mode - below.length, [...below.reverse(), 1, ...above])
}

/** Returns the weights relative to the mode, until they are negligible. */
function descend(steps: number, factorOf: (step: number) => number): number[] {
  const weights: number[] = []
  let weight = 1
  for (let step = 1; step <= steps; step++) {
    weight *= factorOf(step)
    if (weight < NEGLIGIBLE) break
    weights.push(weight)
  }
  return weights
}

function normalized(start: number, weights: readonly number[]): Distribution {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return { start, weights: Float64Array.from(weights, (weight) => weight / sum) }
}

/** Returns the distribution of the sum of two independent numbers. */
function convolve(a: Distribution, b: Distribution): Distribution {
  const weights = new Float64Array(a.weights.length + b.weights.length - 1)
  a.weights.forEach((weight, i) => {
    for (let j = 0; j < b.weights.length; j++) {
      weights[i + j] = (weights[i + j] as number) + weight * (b.weights[j] as number)
    }
  })
  return { start: a.start + b.start, weights }
}

/** Adds the smallest probabilities first, because adding them to large ones would lose them to rounding. */
function sumFrom(weights: Float64Array, from: number): number {
  let sum = 0
  for (let i = weights.length - 1; i >= Math.max(0, from); i--) sum += weights[i] as number
  return sum
}

/** Coefficients of the Chebyshev fit in Numerical Recipes, with a relative error below 1.2e-7. */
const ERFC = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
]

/** Returns the probability that a standard normal variable is at least `z`. `z` must be positive. */
function normalTail(z: number): number {
  const x = z / Math.SQRT2
  const t = 1 / (1 + x / 2)
  const exponent = ERFC.reduceRight((sum, coefficient) => sum * t + coefficient, 0)
  return (t * Math.exp(exponent - x * x)) / 2
}
