/**
 * Decides to whom a leaked copy was served, and how sure that is (client protocol §10). By chance a code word agrees with
 * the watermark in about half of the slots; one that agrees far more often belongs to the leaked copy. All code words of
 * a holder agree in the slots that are not the execution's, so a mix of a holder's copies agrees with each of them.
 */
import { isExecutionSlot } from '../builds/watermark.ts'
import type { Reading } from './decode-watermark.ts'

/** A holder is suspected from this many standard deviations above one half. */
const DEVIATIONS = 6
/** An execution is named when it is less probable than this that any would agree so often by chance. */
const MAX_EXECUTION_CHANCE = 1e-3
/** With fewer slots no code word can be that far above one half. */
export const MIN_SLOTS_READ = DEVIATIONS * DEVIATIONS

type Read = { readonly read: number }

/** A reading in the form in which many code words are compared with it. */
export type Evidence = {
  /** Slots that were read. */
  readonly read: number
  readonly known: Uint32Array
  readonly bits: Uint32Array
}

/** The same slots in two parts: those of holders, and those of executions, which are numbered without the others. */
export type SplitEvidence = {
  /** Slots that were read, of both. */
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

/** Slots that were read and agree with a key stream of `keyStreams`. */
export function countMatches({ known, bits }: Evidence, word: Uint32Array): number {
  let matches = 0
  for (let i = 0; i < known.length; i++) {
    matches += countBits(~((word[i] as number) ^ (bits[i] as number)) & (known[i] as number))
  }
  return matches
}

/** Whether a code word agrees so often that its holder is suspected: in `read / 2 + 3 * sqrt(read)` slots. */
export function isSuspect({ read }: Read, matches: number): boolean {
  return read >= MIN_SLOTS_READ && matches >= read / 2 + (DEVIATIONS / 2) * Math.sqrt(read)
}

/** How far above one half, in standard deviations. */
export function deviationsOf({ read }: Read, matches: number): number {
  if (read === 0) return 0
  return (2 * matches - read) / Math.sqrt(read)
}

/** Whether the slots of an execution alone show that the text was taken from it. A mix of many runs shows none. */
export function isExecutionKnown(
  { ofExecution }: SplitEvidence,
  matches: number,
  executions: number,
): boolean {
  return chanceOf(ofExecution, matches, executions) < MAX_EXECUTION_CHANCE
}

/**
 * Upper bound for the probability that any of so many innocent executions agrees in so many slots (Hoeffding, union bound).
 */
export function chanceOf(evidence: Read, matches: number, executions: number): number {
  return Math.min(1, executions * Math.exp(-(deviationsOf(evidence, matches) ** 2) / 2))
}

function countBits(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
