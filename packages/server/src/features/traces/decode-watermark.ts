/**
 * Decodes the watermark of a leaked copy: a protected script, or pieces of one, in any order and with any
 * quotes. `traces.ts` finds the executions that the watermark identifies.
 */
import type { Slot } from '@scriptward/obfuscator'

/** The value of each slot: 0, 1, or -1 where nothing could be read. */
export type Reading = Int8Array

/**
 * Minimum length of edits that are used to locate a piece. Shorter edits are read once the piece is located.
 */
const GRAM = 3
const GRAM_BITS = 7
/**
 * Number of edits that must agree on the position of a piece. In a megabyte of text, two edits can agree by
 * chance.
 */
const MIN_VOTES = 6
/** Maximum number of pieces that a copy can be split into. */
const MAX_PIECES = 2000
/** Maximum number of votes. A megabyte of ordinary text has fewer than a million. */
const MAX_VOTES = 8_000_000

/** @param template the protected script with all of these slots set to 0 */
export function readMarks(leak: string, template: string, slots: readonly Slot[]): Reading {
  const text = withStrings(leak)
  const shifts = findShifts(text, template, slots)
  return Int8Array.from(slots, (slot) => readSlot(slot, { text, template, shifts }))
}

/**
 * Fills the slots that the numbers don't reveal with the values in `order`, which are read from the order of
 * statements. `order` covers the first slots.
 */
export function withOrder(numbers: Reading, order: Reading): Reading {
  return numbers.map((bit, i) => (bit === -1 ? (order[i] ?? -1) : bit))
}

type Pages = { readonly text: string; readonly template: string; readonly shifts: readonly number[] }

/** Returns a bit only if all readable edits agree. */
function readSlot(slot: Slot, { text, template, shifts }: Pages): -1 | 0 | 1 {
  let found: -1 | 0 | 1 = -1
  for (const { at, text: one } of slot) {
    const zero = template.slice(at, at + one.length)
    const shift = shifts.find((by) => text.startsWith(zero, at + by) || text.startsWith(one, at + by))
    if (shift === undefined) continue
    const bit = text.startsWith(one, at + shift) ? 1 : 0
    if (found !== -1 && found !== bit) return -1
    found = bit
  }
  return found
}

/**
 * Returns how far each piece of the copy is shifted from its position in the template, largest piece first.
 */
function findShifts(text: string, template: string, slots: readonly Slot[]): number[] {
  const places = rarest(placesOf(template, slots), text)
  // A shift is at least minus the length of the template.
  const votes = new Uint32Array(text.length + template.length + 1)
  for (let i = 0; i + GRAM <= text.length; i++) {
    for (const at of places.get(gramAt(text, i)) ?? []) {
      const shift = i - at + template.length
      votes[shift] = (votes[shift] as number) + 1
    }
  }
  const found: { readonly shift: number; readonly count: number }[] = []
  votes.forEach((count, shift) => {
    if (count >= MIN_VOTES) found.push({ shift: shift - template.length, count })
  })
  found.sort((a, b) => b.count - a.count)
  return found.slice(0, MAX_PIECES).map(({ shift }) => shift)
}

/** Maps grams of the edits, and of the text that the edits replace, to their positions in the template. */
function placesOf(template: string, slots: readonly Slot[]): Map<number, number[]> {
  const places = new Map<number, number[]>()
  for (const { at, text: one } of slots.flat()) {
    for (const spelling of [one, template.slice(at, at + one.length)]) {
      if (spelling.length < GRAM) continue
      const gram = gramAt(spelling, 0)
      const known = places.get(gram)
      if (known === undefined) places.set(gram, [at])
      else known.push(at)
    }
  }
  return places
}

/**
 * Returns the grams with the fewest votes, up to `MAX_VOTES` in total. In a repetitive copy, some grams occur
 * everywhere and don't help to locate a piece. Without this limit, the number of votes would grow
 * quadratically.
 */
function rarest(places: ReadonlyMap<number, readonly number[]>, text: string) {
  const counts = new Uint32Array(1 << (GRAM * GRAM_BITS))
  for (let i = 0; i + GRAM <= text.length; i++) {
    const gram = gramAt(text, i)
    counts[gram] = (counts[gram] as number) + 1
  }
  const costs = [...places].map(([gram, at]) => ({ gram, at, votes: at.length * (counts[gram] as number) }))
  let sum = 0
  const kept = costs
    .sort((a, b) => a.votes - b.votes)
    .filter(({ votes }) => {
      sum += votes
      return sum <= MAX_VOTES
    })
  return new Map(kept.map(({ gram, at }) => [gram, at]))
}

function gramAt(text: string, at: number): number {
  const code = (i: number) => text.charCodeAt(at + i) & 127
  return (code(0) << (2 * GRAM_BITS)) | (code(1) << GRAM_BITS) | code(2)
}

/** Returns the copy, followed by the unescaped values of its quoted strings. */
function withStrings(text: string): string {
  const strings: string[] = []
  for (const [whole] of text.matchAll(/"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?/g)) {
    if (whole.length > GRAM && whole.includes('\\')) strings.push(unescaped(whole.slice(1, -1)))
  }
  return [text, ...strings].join('\n')
}

function unescaped(text: string): string {
  return text.replace(/\\(?:(\d{1,3})|x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|z\s*|([\s\S]))/g, decode)
}

function decode(_: string, ...parts: readonly (string | undefined)[]): string {
  const [decimal, hex, point, other = ''] = parts
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  const code = hex ?? point
  return code === undefined ? other : String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
}
