/**
 * Decides which executions a leaked copy came from, and how sure that is (client protocol §10). By chance a code word
 * agrees with the watermark in about half of the slots; one that agrees far more often belongs to the leaked copy.
 */
import type { Reading } from './decode-watermark.ts'

/** An execution is suspected from this many standard deviations above one half. */
const DEVIATIONS = 6
/** With fewer slots no execution can be that far above one half. */
export const MIN_SLOTS_READ = DEVIATIONS * DEVIATIONS

/** A reading in the form in which many code words are compared with it. */
export type Evidence = {
  /** Slots that were read. */
  readonly read: number
  readonly known: Uint32Array
  readonly bits: Uint32Array
}

export function toEvidence(reading: Reading): Evidence {
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

/** Slots that were read and agree with a code word of `codeWords`. */
export function countMatches({ known, bits }: Evidence, word: Uint32Array): number {
  let matches = 0
  for (let i = 0; i < known.length; i++) {
    matches += countBits(~((word[i] as number) ^ (bits[i] as number)) & (known[i] as number))
  }
  return matches
}

/** Whether a code word agrees so often that its execution is suspected: in `read / 2 + 3 * sqrt(read)` slots. */
export function isSuspect({ read }: Evidence, matches: number): boolean {
  return read >= MIN_SLOTS_READ && matches >= read / 2 + (DEVIATIONS / 2) * Math.sqrt(read)
}

/** How far above one half, in standard deviations. */
export function deviationsOf({ read }: Evidence, matches: number): number {
  return (2 * matches - read) / Math.sqrt(read)
}

/**
 * Upper bound for the probability that any of so many innocent executions agrees in so many slots (Hoeffding, union bound).
 */
export function chanceOf(evidence: Evidence, matches: number, executions: number): number {
  return Math.min(1, executions * Math.exp(-(deviationsOf(evidence, matches) ** 2) / 2))
}

function countBits(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
