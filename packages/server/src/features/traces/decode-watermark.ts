/**
 * Decodes a watermark from a text that leaked: a protected script, or pieces of one, in any order and with any quotes.
 * `traces.ts` finds the executions that it points to.
 */
import type { Slot } from '@scriptward/obfuscator'

/** What was read: for each slot 0, 1, or -1 where nothing could be read. */
export type Reading = Int8Array

/** Edits shorter than this are only read where longer ones say what stands where. */
const GRAM = 3
const GRAM_BITS = 7
/** So many edits must agree on where a piece of the text belongs. By chance it is two of a megabyte. */
const MIN_VOTES = 6
/** Pieces that a text can be in. */
const MAX_PIECES = 2000
/** A megabyte of ordinary text has fewer than a million. */
const MAX_VOTES = 8_000_000

/** @param template the text whose slots these are, all of them at 0 */
export function readMarks(leak: string, template: string, slots: readonly Slot[]): Reading {
  const text = withStrings(leak)
  const shifts = findShifts(text, template, slots)
  return Int8Array.from(slots, (slot) => readSlot(slot, { text, template, shifts }))
}

/** Adds what the order of the text tells, where its numbers tell nothing. `order` is of the first slots. */
export function withOrder(numbers: Reading, order: Reading): Reading {
  return numbers.map((bit, i) => (bit === -1 ? (order[i] ?? -1) : bit))
}

type Pages = { readonly text: string; readonly template: string; readonly shifts: readonly number[] }

/** All edits that can be read must say the same. */
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

/** How far pieces of the text are from their places in the template, the largest piece first. */
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

/** Grams of the edits and of what they replace → where these are in the template. */
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
 * The grams with the fewest votes, up to `MAX_VOTES` of all. In a repetitive text some grams are
 * everywhere and do not help to locate a piece. Without this limit, the number of votes grows quadratically.
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

/** The text, and behind it what its quoted strings with escapes mean. */
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
