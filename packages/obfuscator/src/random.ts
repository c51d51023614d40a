/** The only source of randomness in the obfuscator. Each generator depends only on a seed and a name. */

/** A sequence of random numbers. The same seed and name produce the same sequence on every machine. */
export type Random = {
  /** Returns an integer from `low` to `high`, inclusive. The range must contain fewer than 2^32 values. */
  int(low: number, high: number): number
  /** Returns true with probability `share`, a number from 0 to 1. */
  chance(share: number): boolean
  /** Returns one of the items. `items` must not be empty. */
  pick<T>(items: readonly T[]): T
  /** Returns a shuffled copy of the items. */
  shuffle<T>(items: readonly T[]): T[]
}

/**
 * Creates a generator. Each pass uses its own name, so adding a pass does not change the random numbers of
 * the other passes.
 */
export function createRandom(seed: number | string, name: string): Random {
  const next = sequence(`${typeof seed}:${seed}/${name}`)
  const int = (low: number, high: number) => low + Math.floor((next() / 4294967296) * (high - low + 1))
  return {
    int,
    chance: (share) => next() < share * 4294967296,
    pick: <T>(items: readonly T[]) => items[int(0, items.length - 1)] as T,
    shuffle: <T>(items: readonly T[]) => shuffled(items, int),
  }
}

/**
 * The sfc32 generator from PractRand. Its initial state consists of hashes of the seed text, with different
 * start values.
 */
function sequence(text: string): () => number {
  let a = hash(text, 0x9e3779b9)
  let b = hash(text, 0x243f6a88)
  let c = hash(text, 0xb7e15162)
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return sum >>> 0
  }
  // The first outputs are discarded, because they are still similar for similar seeds.
  for (let i = 0; i < 12; i++) next()
  return next
}

/** FNV-1a over UTF-16 code units, with the finalizer of MurmurHash3. */
function hash(text: string, start: number): number {
  let h = start
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

function shuffled<T>(items: readonly T[], int: (low: number, high: number) => number): T[] {
  const copy = [...items]
  for (let i = copy.length - 1; i > 0; i--) {
    const j = int(0, i)
    const kept = copy[i] as T
    copy[i] = copy[j] as T
    copy[j] = kept
  }
  return copy
}
