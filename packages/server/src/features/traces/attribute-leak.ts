/**
 * Determines the recipient of a leaked copy, and how certain the result is (client protocol §10). By chance,
 * any watermark payload agrees with the reading in about half of the slots. A payload that agrees in far more
 * slots belongs to the leaked copy. A key holder's payloads differ only in the execution slots, so a mix of
 * their copies agrees with each of them.
 */
import { MIN_TRACED_SLOTS } from '@scriptward/obfuscator'
import { isExecutionSlot } from '../builds/watermark.ts'
import type { Reading } from './decode-watermark.ts'

/** A key holder is suspected if the match rate is at least this many standard deviations above one half. */
const DEVIATIONS = Math.sqrt(MIN_TRACED_SLOTS)
/**
 * An execution is reported only if the probability that any execution matches this well by chance is below
 * this value.
 */
const MAX_EXECUTION_CHANCE = 1e-3
/** With fewer slots, no match rate can be `DEVIATIONS` standard deviations above one half. */
export const MIN_SLOTS_READ = MIN_TRACED_SLOTS

type Read = { readonly read: number }

/** A reading in a form that can be compared quickly with many payloads. */
export type Evidence = {
  /** Number of slots that were read. */
  readonly read: number
  readonly known: Uint32Array
  readonly bits: Uint32Array
}

/**
 * A reading split into two parts, each with its own numbering: the slots of key holders and the slots of
 * executions.
 */
export type SplitEvidence = {
  /** Total number of slots that were read in both parts. */
  readonly read: number
  readonly ofHolder: Evidence
  readonly ofExecution: Evidence
}

export function splitEvidence(reading: Reading): SplitEvidence {
  const ofHolder = toEvidence(reading.map((bit, slot) => (isExecutionSlot(slot) ? -1 : bit)))
  const ofExecution = toEvidence(reading.filter((_, slot) => isExecutionSlot(slot)))
  return { read: ofHolder.read + ofExecution.read, ofHolder, ofExecution }
}

function toEvidence(reading: Reading): Evidence {
  const known = new Uint8Array(Math.ceil(reading.length / 32) * 4)
  const bits = new Uint8Array(known.length)
  let read = 0
  reading.forEach((bit, slot) => {
    if (bit === -1) return
    read += 1
    known[slot >> 3] = (known[slot >> 3] as number) | (1 << (slot & 7))
    if (bit === 1) bits[slot >> 3] = (bits[slot >> 3] as number) | (1 << (slot & 7))
  })
  return { read, known: new Uint32Array(known.buffer), bits: new Uint32Array(bits.buffer) }
}

/** Returns how many of the slots that were read agree with `word`, a key stream from `keyStreams`. */
export function countMatches({ known, bits }: Evidence, word: Uint32Array): number {
  let matches = 0
  for (let i = 0; i < known.length; i++) {
    matches += countBits(~((word[i] as number) ^ (bits[i] as number)) & (known[i] as number))
  }
  return matches
}

/**
 * Returns whether a payload agrees often enough to suspect its key holder: in at least `read / 2 + 3 *
 * sqrt(read)` slots.
 */
export function isSuspect({ read }: Read, matches: number): boolean {
  return read >= MIN_SLOTS_READ && matches >= read / 2 + (DEVIATIONS / 2) * Math.sqrt(read)
}

/** Returns the distance above one half, in standard deviations. */
export function countDeviations({ read }: Read, matches: number): number {
  if (read === 0) return 0
  return (2 * matches - read) / Math.sqrt(read)
}

/**
 * Returns whether the execution slots prove on their own that the copy came from this execution. A mix of
 * many runs doesn't prove anything.
 */
export function isExecutionKnown(
  { ofExecution }: SplitEvidence,
  matches: number,
  executions: number,
): boolean {
  return probabilityOfChance(ofExecution, matches, executions) < MAX_EXECUTION_CHANCE
}

/**
 * Returns an upper bound for the probability that any of this many innocent executions agrees in this many
 * slots (Hoeffding, union bound).
 */
export function probabilityOfChance(evidence: Read, matches: number, executions: number): number {
  return Math.min(1, executions * Math.exp(-(countDeviations(evidence, matches) ** 2) / 2))
}

function countBits(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
