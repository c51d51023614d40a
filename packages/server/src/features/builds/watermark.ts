/**
 * The watermark of a payload (client protocol §10): a copy's fingerprint ID, and how it is written into the
 * packed payload. The obfuscator chooses the slots, and the database records which executions were served.
 * Most of a fingerprint ID depends only on the key holder, so comparing copies from many runs reveals little.
 * One slot in `EXECUTION_STRIDE` belongs to the execution and distinguishes a key holder's runs.
 */
import { type CipherKey, createCipheriv, createSecretKey, hash, hkdfSync } from 'node:crypto'
import {
  levelAt,
  NO_SERVED_NUMBERS,
  type ServedNumbers,
  type Slot,
  writeNumber,
} from '@scriptward/obfuscator'
import { literalRuns } from './lz4.ts'

const CIPHER = 'aes-128-ctr'
const BLOCK_CIPHER = 'aes-128-ecb'
const BLOCK_BYTES = 16
const KEY_BYTES = 16
/**
 * In each group of this many slots, the last one belongs to the execution. `codeWord` requires one such slot
 * per byte.
 */
const EXECUTION_STRIDE = 8

export type WatermarkKey = CipherKey

/** The key that a project's fingerprint IDs are derived from. */
export function watermarkKey(root: Buffer, projectId: string): WatermarkKey {
  return createSecretKey(Buffer.from(hkdfSync('sha256', root, projectId, 'scriptward watermark', KEY_BYTES)))
}

/** A version's recipient: a user, or a guest's device. */
export type Served = {
  readonly scriptId: string
  readonly version: number
  readonly userKey: string | null
  readonly device: string | null
}

/** Returns a pseudonym for the holder of a version's copies: 22 characters that don't reveal the key. */
export function nameHolder({ scriptId, version, userKey, device }: Served): string {
  const holder = userKey === null ? ['guest', device] : ['user', userKey]
  const digest = hash('sha256', JSON.stringify([scriptId, version, ...holder]), 'buffer')
  return digest.subarray(0, BLOCK_BYTES).toString('base64url')
}

/** A copy, identified by its holder and the execution that served it. Both are 16 bytes in base64url. */
export type Copy = { readonly holder: string; readonly exec: string }

/** Whether a slot belongs to the execution. All others belong to the holder. */
export function isExecutionSlot(slot: number): boolean {
  return slot % EXECUTION_STRIDE === EXECUTION_STRIDE - 1
}

/** Returns the fingerprint ID: one bit per slot, starting with the least significant bit of each byte. */
export function codeWord(key: WatermarkKey, { holder, exec }: Copy, slots: number): Buffer {
  const word = keyStream(key, holder, slots)
  const own = keyStream(key, exec, word.length)
  for (let i = 0; i < word.length; i++) word[i] = ((word[i] as number) & 0x7f) | (isSet(own, i) ? 0x80 : 0)
  return word
}

/** The AES-128-CTR key stream with the name as its first counter block. */
function keyStream(key: WatermarkKey, name: string, bits: number): Buffer {
  const cipher = createCipheriv(CIPHER, key, Buffer.from(name, 'base64url'))
  return cipher.update(Buffer.alloc(Math.ceil(bits / 8)))
}

/**
 * The key streams of many names, 32 bits per array element. A holder's stream has one bit per slot, and an
 * execution's stream has one bit per execution slot. Encrypting all counter blocks in one call is several
 * times faster than one call per name.
 */
export function keyStreams(key: WatermarkKey, names: readonly string[], bits: number): Uint32Array[] {
  const blocks = Math.ceil(bits / 8 / BLOCK_BYTES)
  const counters = Buffer.alloc(names.length * blocks * BLOCK_BYTES)
  names.forEach((name, i) => {
    const first = Buffer.from(name, 'base64url')
    for (let j = 0; j < blocks; j++) writeCounter(counters, (i * blocks + j) * BLOCK_BYTES, first, j)
  })
  const cipher = createCipheriv(BLOCK_CIPHER, key, null).setAutoPadding(false)
  const stream = new Uint8Array(cipher.update(counters)).buffer
  const length = blocks * (BLOCK_BYTES / 4)
  return names.map((_, i) => new Uint32Array(stream, i * length * 4, length))
}

/** Writes the counter block `steps` after `first`, as a 16-byte big-endian number. */
function writeCounter(into: Buffer, at: number, first: Buffer, steps: number): void {
  let carry = steps
  for (let i = BLOCK_BYTES - 1; i >= 0; i--) {
    const sum = (first[i] ?? 0) + carry
    into[at + i] = sum & 255
    carry = sum >> 8
  }
}

/** The bytes of a packed payload that each 1 bit of a fingerprint ID changes, and their new values. */
export type Marks = {
  readonly slots: number
  /** The edits of slot `i` start at `starts[i]` and end before `starts[i + 1]`. */
  readonly starts: Int32Array
  readonly places: Int32Array
  readonly bytes: Uint8Array
  /** Numbers that differ between keys. Null if there are none. */
  readonly numbers: NumberMarks | null
}

type NumberMarks = {
  readonly served: ServedNumbers
  /**
   * Positions in the block of the bytes that each number's edits change, in the order used by `writeNumber`.
   */
  readonly places: readonly Int32Array[]
}

/** Finds the positions of slots and numbers in a block. Throws if one of them is not a literal. */
export function findMarks(block: Buffer, slots: readonly Slot[], served = NO_SERVED_NUMBERS): Marks {
  const written = served.list.map((each) => writeNumber(served, each, 0))
  const placeOf = literalPlaces(block, [...slots, ...written])
  const starts = new Int32Array(slots.length + 1)
  const places: number[] = []
  const bytes: number[] = []
  slots.forEach((slot, i) => {
    for (const { at, text } of slot) {
      for (let j = 0; j < text.length; j++) {
        places.push(placeOf(at + j))
        bytes.push(text.charCodeAt(j))
      }
    }
    starts[i + 1] = places.length
  })
  const numbers =
    written.length > 0 ? { served, places: written.map((slot) => placesIn(slot, placeOf)) } : null
  return {
    slots: slots.length,
    starts,
    places: Int32Array.from(places),
    bytes: Uint8Array.from(bytes),
    numbers,
  }
}

function placesIn(slot: Slot, placeOf: (at: number) => number): Int32Array {
  return Int32Array.from(slot.flatMap(({ at, text }) => Array.from(text, (_, i) => placeOf(at + i))))
}

/** Writes a fingerprint ID into a block. */
export function mark(block: Buffer, marks: Marks, word: Buffer): void {
  const { starts, places, bytes } = marks
  for (let i = 0; i < marks.slots; i++) {
    if (!isSet(word, i)) continue
    const end = starts[i + 1] as number
    for (let j = starts[i] as number; j < end; j++) block[places[j] as number] = bytes[j] as number
  }
}

/** Writes a key's numbers into a block. */
export function markNumbers(block: Buffer, { served, places }: NumberMarks, levels: readonly number[]): void {
  served.list.forEach((each, i) => {
    const text = writeNumber(served, each, levels[i] as number)
      .map((edit) => edit.text)
      .join('')
    places[i]?.forEach((at, j) => {
      block[at] = text.charCodeAt(j)
    })
  })
}

/**
 * Position in 32-bit units at which a holder's key stream continues for numbers, after the blocks for the
 * slots.
 */
const firstNumber = (slots: number) => Math.ceil(slots / 8 / BLOCK_BYTES) * (BLOCK_BYTES / 4)

/** Number of bits that the slots and numbers use from a holder's key stream. */
export function bitsOf(slots: number, numbers: number): number {
  return 32 * (firstNumber(slots) + numbers)
}

/** Returns the level of one of a holder's numbers. `stream` comes from `keyStreams`. */
export function levelIn(stream: Uint32Array, slots: number, number: number, count: number): number {
  return levelAt({ count }, (stream[firstNumber(slots) + number] as number) / 2 ** 32)
}

export function levelsOf(key: WatermarkKey, holder: string, { slots, numbers }: Marks): number[] {
  const list = numbers?.served.list ?? []
  const [stream] = keyStreams(key, [holder], bitsOf(slots, list.length))
  return list.map(({ count }, i) => levelIn(stream as Uint32Array, slots, i, count))
}

export function isSet(word: Uint8Array, slot: number): boolean {
  return (((word[slot >> 3] ?? 0) >> (slot & 7)) & 1) === 1
}

/** Maps positions in the payload to positions in the block, for literals only. */
function literalPlaces(block: Buffer, slots: readonly Slot[]): (at: number) => number {
  const wanted = slots.flatMap((slot) => slot.flatMap(({ at, text }) => Array.from(text, (_, j) => at + j)))
  const places = new Map<number, number>()
  const sorted = Int32Array.from(wanted).sort()
  let next = 0
  for (const { from, to, shift } of literalRuns(block)) {
    for (; next < sorted.length && (sorted[next] as number) < to; next++) {
      const at = sorted[next] as number
      if (at >= from) places.set(at, at + shift)
    }
  }
  return (at) => {
    const place = places.get(at)
    if (place === undefined) throw new Error(`byte ${at} of a payload is a slot, not a literal`)
    return place
  }
}
