/**
 * Packs the loader's text with LZ77 into printable ASCII, because the result is embedded in a Lua text that
 * many tools process. lua/unpack.lua unpacks it. The format is private to these two files and may change with
 * every release.
 *
 * A packed text is a list of `token, literals, distance`. Digits are the characters from 33 to 126, worth 0
 * to 93. A token is `9 * literals + length - 3`, with at most 9 for the literals and 8 for the rest of the
 * length. Digits for the excess follow, before the literals and after the distance respectively. The last of
 * them is below 93. A distance below 7,520 has two digits, the first below 80; any other distance has three.
 * The last entry may end after its literals.
 */

/** Accepts printable ASCII and line feeds, except a leading line feed, which a Lua string would drop. */
export function pack(text: string): string {
  if (!/^[ -~][ -~\n]*$/.test(text)) throw new Error('only printable ASCII can be packed')
  const steps = plan(text)
  const entries: string[] = []
  let literals = 0
  for (let place = 0; place < text.length; ) {
    const step = steps[place]
    if (!step) {
      literals++
      place++
      continue
    }
    entries.push(entry(text.slice(place - literals, place), step))
    literals = 0
    place += step.length
  }
  if (literals > 0) entries.push(entry(text.slice(-literals), undefined))
  return entries.join('')
}

/** A repetition of an earlier part of the text. */
interface Match {
  readonly length: number
  readonly distance: number
}

const BASE = 94
const MOST = BASE - 1
const SHORTEST = 3
const FEW_LITERALS = 9
const SHORT_REST = 8
const NEAR_DIGITS = 80
const NEAR = NEAR_DIGITS * BASE
const FARTHEST = NEAR + (BASE - NEAR_DIGITS) * BASE * BASE
/** Maximum number of earlier positions to compare. Comparing more positions barely reduces the size. */
const CANDIDATES = 48
/** A match of this length ends the search for longer matches. */
const LONG_ENOUGH = 256
/** Longer matches are never shortened. */
const CUT_BELOW = 48

function entry(literals: string, match: Match | undefined): string {
  const rest = match ? match.length - SHORTEST : 0
  const few = Math.min(literals.length, FEW_LITERALS)
  const head = digit(few * 9 + Math.min(rest, SHORT_REST)) + more(literals.length, FEW_LITERALS) + literals
  return match ? head + distanceDigits(match.distance) + more(rest, SHORT_REST) : head
}

function digit(value: number): string {
  return String.fromCharCode(33 + value)
}

function more(value: number, most: number): string {
  if (value < most) return ''
  return digit(MOST).repeat(digitsOf(value, most) - 1) + digit((value - most) % MOST)
}

/** Returns the number of digits that `more` writes. */
function digitsOf(value: number, most: number): number {
  return value < most ? 0 : 1 + Math.floor((value - most) / MOST)
}

function distanceDigits(distance: number): string {
  if (distance < NEAR) return digit(Math.floor(distance / BASE)) + digit(distance % BASE)
  const far = distance - NEAR
  const high = NEAR_DIGITS + Math.floor(far / (BASE * BASE))
  return digit(high) + digit(Math.floor(far / BASE) % BASE) + digit(far % BASE)
}

/** Chooses a match or none for each position, to minimize the total size. Works backward from the end. */
function plan(text: string): (Match | undefined)[] {
  const found = findMatches(text)
  const costs = new Float64Array(text.length + 1)
  const steps = new Array<Match | undefined>(text.length)
  for (let place = text.length - 1; place >= 0; place--) {
    const after = costs.subarray(place)
    costs[place] = 1 + (after[1] ?? 0)
    for (const match of found[place] ?? []) {
      const best = cheapestCut(match, after)
      if (best.cost >= (costs[place] ?? 0)) continue
      costs[place] = best.cost
      steps[place] = best.match
    }
  }
  return steps
}

/** Chooses how much of a match to use. `after` contains the cost of the remaining text from each position. */
function cheapestCut(
  { length, distance }: Match,
  after: Float64Array,
): { readonly match: Match; readonly cost: number } {
  const least = length > CUT_BELOW ? length : SHORTEST
  let best = length
  let lowest = Number.POSITIVE_INFINITY
  for (let cut = length; cut >= least; cut--) {
    const cost = costOf(cut, distance) + (after[cut] ?? 0)
    if (cost >= lowest) continue
    lowest = cost
    best = cut
  }
  return { match: { length: best, distance }, cost: lowest }
}

/** Cost in characters, including the token. */
function costOf(length: number, distance: number): number {
  return 1 + (distance < NEAR ? 2 : 3) + digitsOf(length - SHORTEST, SHORT_REST)
}

/** Finds the longest match for each position, and the longest one within a short distance. */
function findMatches(text: string): Match[][] {
  const heads = new Int32Array(2 ** 21).fill(-1)
  const earlier = new Int32Array(text.length)
  return Array.from(text, (_, place) => {
    if (place + SHORTEST > text.length) return []
    const key = (text.charCodeAt(place) * 128 + text.charCodeAt(place + 1)) * 128 + text.charCodeAt(place + 2)
    const candidate = heads[key] ?? -1
    earlier[place] = candidate
    heads[key] = place
    return longest(text, place, { candidate, earlier })
  })
}

function longest(
  text: string,
  place: number,
  { candidate, earlier }: { candidate: number; earlier: Int32Array },
): Match[] {
  const matches: Match[] = []
  let length = SHORTEST - 1
  let at = candidate
  for (let i = 0; i < CANDIDATES && at >= 0 && length < LONG_ENOUGH && place - at < FARTHEST; i++) {
    const common = commonLength(text, at, place)
    if (common > length) {
      length = common
      matches.push({ length, distance: place - at })
    }
    at = earlier[at] ?? -1
  }
  const near = matches.findLast(({ distance }) => distance < NEAR)
  const whole = matches.at(-1)
  return [near, near === whole ? undefined : whole].filter((match) => match !== undefined)
}

function commonLength(text: string, at: number, place: number): number {
  let length = SHORTEST
  while (place + length < text.length && text.charCodeAt(at + length) === text.charCodeAt(place + length))
    length++
  return length
}
