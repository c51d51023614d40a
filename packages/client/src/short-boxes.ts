// ChaCha20-Poly1305 (RFC 8439) for texts of a few hundred bytes, which is what beats and frames are. The objects that Node
// makes for one of them, and their removal, cost five times the arithmetic; longer texts are better off with OpenSSL.
// Nothing here looks anything up in a table or branches by a key or a text.

/** Longest text; the additional one may have as many bytes. */
export const SHORT_BYTES = 512

/** The text and its 16-byte tag. */
export function sealShort(key: Uint8Array, counter: number, aad: Uint8Array, text: Uint8Array): Buffer {
  const size = text.length
  const box = Buffer.allocUnsafe(size + TAG_BYTES)
  begin(key, nonceOf(counter))
  applyStream(text, box, size)
  tagOf(aad, box, size)
  box.set(TAG_VIEW, size)
  return box
}

/** The text of a box of at least 16 bytes, or undefined when anything about it was changed. */
export function openShort(
  key: Uint8Array,
  counter: number,
  aad: Uint8Array,
  box: Uint8Array,
): Buffer | undefined {
  const size = box.length - TAG_BYTES
  begin(key, nonceOf(counter))
  tagOf(aad, box, size)
  let difference = 0
  for (let i = 0; i < TAG_BYTES; i += 1) difference |= (box[size + i] ?? 0) ^ (TAG_VIEW[i] ?? 0)
  if (difference !== 0) return undefined
  const text = Buffer.allocUnsafe(size)
  applyStream(box, text, size)
  return text
}

/** 4 zero bytes and u64le(counter). */
export function nonceOf(counter: number): Buffer {
  if (counter === 0) return FIRST_NONCE
  const nonce = Buffer.from(FIRST_NONCE)
  nonce.writeUInt32LE(counter % TWO_TO_32, 4)
  nonce.writeUInt32LE(Math.floor(counter / TWO_TO_32), 8)
  return nonce
}

const FIRST_NONCE = Buffer.alloc(12)
const TWO_TO_32 = 2 ** 32
const TAG_BYTES = 16
const STREAM_BYTES = 64
/** Additional text, text and both lengths, each filled up to blocks of 16 bytes. */
const MOST_AUTHENTICATED = 2 * SHORT_BYTES + 3 * TAG_BYTES

// One at a time: nothing here waits. All machines that Node runs on store the lowest byte first, as the cipher does.
const INPUT = new Int32Array(16)
const STREAM = new Int32Array(16)
const STREAM_VIEW = new Uint8Array(STREAM.buffer)
const AUTHENTICATED = new Uint8Array(MOST_AUTHENTICATED)
const WORDS = new Int32Array(AUTHENTICATED.buffer)
const POLY_KEY = new Int32Array(8)
const TAG = new Uint32Array(4)
const TAG_VIEW = new Uint8Array(TAG.buffer)
const INPUT_VIEW = new Uint8Array(INPUT.buffer)

/** "expand 32-byte k" */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const

/** Sets key and nonce; the first block of the stream is the key of the tag. */
function begin(key: Uint8Array, nonce: Uint8Array): void {
  INPUT.set(CONSTANTS)
  for (let i = 0; i < 32; i += 1) INPUT_VIEW[16 + i] = key[i] ?? 0
  for (let i = 0; i < 12; i += 1) INPUT_VIEW[52 + i] = nonce[i] ?? 0
  nextBlock(0)
  for (let i = 0; i < 8; i += 1) POLY_KEY[i] = STREAM[i] ?? 0
}

function applyStream(from: Uint8Array, to: Uint8Array, size: number): void {
  for (let at = 0, block = 1; at < size; at += STREAM_BYTES, block += 1) {
    nextBlock(block)
    const end = Math.min(STREAM_BYTES, size - at)
    for (let i = 0; i < end; i += 1) to[at + i] = (from[at + i] ?? 0) ^ (STREAM_VIEW[i] ?? 0)
  }
}

/**
 * Fills STREAM with the block of this number: ten times columns and diagonals, and what it began with. The words are
 * variables, since V8 keeps those in registers, which is three times as fast as in the list.
 */
// biome-ignore format: half a quarter round (RFC 8439 §2.1) is a line; a statement each would be a hundred lines, and a
// function of its own that answers four words makes a list of them each time, which took longer than lists throughout.
function nextBlock(number: number): void {
  INPUT[12] = number
  let x0 = INPUT[0] ?? 0, x1 = INPUT[1] ?? 0, x2 = INPUT[2] ?? 0, x3 = INPUT[3] ?? 0
  let x4 = INPUT[4] ?? 0, x5 = INPUT[5] ?? 0, x6 = INPUT[6] ?? 0, x7 = INPUT[7] ?? 0
  let x8 = INPUT[8] ?? 0, x9 = INPUT[9] ?? 0, x10 = INPUT[10] ?? 0, x11 = INPUT[11] ?? 0
  let x12 = INPUT[12] ?? 0, x13 = INPUT[13] ?? 0, x14 = INPUT[14] ?? 0, x15 = INPUT[15] ?? 0
  for (let round = 0; round < 10; round += 1) {
    x0 = (x0 + x4) | 0; x12 = rotated(x12 ^ x0, 16); x8 = (x8 + x12) | 0; x4 = rotated(x4 ^ x8, 12)
    x0 = (x0 + x4) | 0; x12 = rotated(x12 ^ x0, 8); x8 = (x8 + x12) | 0; x4 = rotated(x4 ^ x8, 7)
    x1 = (x1 + x5) | 0; x13 = rotated(x13 ^ x1, 16); x9 = (x9 + x13) | 0; x5 = rotated(x5 ^ x9, 12)
    x1 = (x1 + x5) | 0; x13 = rotated(x13 ^ x1, 8); x9 = (x9 + x13) | 0; x5 = rotated(x5 ^ x9, 7)
    x2 = (x2 + x6) | 0; x14 = rotated(x14 ^ x2, 16); x10 = (x10 + x14) | 0; x6 = rotated(x6 ^ x10, 12)
    x2 = (x2 + x6) | 0; x14 = rotated(x14 ^ x2, 8); x10 = (x10 + x14) | 0; x6 = rotated(x6 ^ x10, 7)
    x3 = (x3 + x7) | 0; x15 = rotated(x15 ^ x3, 16); x11 = (x11 + x15) | 0; x7 = rotated(x7 ^ x11, 12)
    x3 = (x3 + x7) | 0; x15 = rotated(x15 ^ x3, 8); x11 = (x11 + x15) | 0; x7 = rotated(x7 ^ x11, 7)
    x0 = (x0 + x5) | 0; x15 = rotated(x15 ^ x0, 16); x10 = (x10 + x15) | 0; x5 = rotated(x5 ^ x10, 12)
    x0 = (x0 + x5) | 0; x15 = rotated(x15 ^ x0, 8); x10 = (x10 + x15) | 0; x5 = rotated(x5 ^ x10, 7)
    x1 = (x1 + x6) | 0; x12 = rotated(x12 ^ x1, 16); x11 = (x11 + x12) | 0; x6 = rotated(x6 ^ x11, 12)
    x1 = (x1 + x6) | 0; x12 = rotated(x12 ^ x1, 8); x11 = (x11 + x12) | 0; x6 = rotated(x6 ^ x11, 7)
    x2 = (x2 + x7) | 0; x13 = rotated(x13 ^ x2, 16); x8 = (x8 + x13) | 0; x7 = rotated(x7 ^ x8, 12)
    x2 = (x2 + x7) | 0; x13 = rotated(x13 ^ x2, 8); x8 = (x8 + x13) | 0; x7 = rotated(x7 ^ x8, 7)
    x3 = (x3 + x4) | 0; x14 = rotated(x14 ^ x3, 16); x9 = (x9 + x14) | 0; x4 = rotated(x4 ^ x9, 12)
    x3 = (x3 + x4) | 0; x14 = rotated(x14 ^ x3, 8); x9 = (x9 + x14) | 0; x4 = rotated(x4 ^ x9, 7)
  }
  STREAM[0] = x0; STREAM[1] = x1; STREAM[2] = x2; STREAM[3] = x3
  STREAM[4] = x4; STREAM[5] = x5; STREAM[6] = x6; STREAM[7] = x7
  STREAM[8] = x8; STREAM[9] = x9; STREAM[10] = x10; STREAM[11] = x11
  STREAM[12] = x12; STREAM[13] = x13; STREAM[14] = x14; STREAM[15] = x15
  for (let i = 0; i < 16; i += 1) STREAM[i] = (STREAM[i] ?? 0) + (INPUT[i] ?? 0)
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by))
}

// Poly1305 in six limbs of 22 bits: their products, and the sums of six of them of which five are folded, are whole
// numbers below 2^53.
const LIMB = 2 ** 22
const LIMB_MASK = LIMB - 1
/** 2^132 is so much modulo 2^130 − 5. */
const FOLD = 20
const SUM = new Float64Array(6)
const FACTOR = new Float64Array(6)
const FOLDED = new Float64Array(6)

/** Puts the tag of both texts into TAG. */
function tagOf(aad: Uint8Array, box: Uint8Array, size: number): void {
  const textAt = filled(aad.length)
  const end = textAt + filled(size)
  AUTHENTICATED.fill(0, 0, end + TAG_BYTES)
  AUTHENTICATED.set(aad)
  for (let i = 0; i < size; i += 1) AUTHENTICATED[textAt + i] = box[i] ?? 0
  WORDS[end / 4] = aad.length
  WORDS[end / 4 + 2] = size
  authenticate(end + TAG_BYTES)
}

/** Poly1305 of whole blocks, for vectors that no key of the cipher leads to; `key` are 32 bytes. */
export function authenticatorOf(key: Uint8Array, blocks: Uint8Array): Buffer {
  POLY_KEY.set(new Int32Array(Uint8Array.from(key).buffer))
  AUTHENTICATED.set(blocks)
  authenticate(blocks.length)
  return Buffer.from(TAG_VIEW)
}

/** Puts the tag of so many bytes, whole blocks, into TAG. */
function authenticate(size: number): void {
  takeFactor()
  addBlocks(size / 4)
  finishTag()
}

function filled(size: number): number {
  return Math.ceil(size / TAG_BYTES) * TAG_BYTES
}

function takeFactor(): void {
  const w0 = (POLY_KEY[0] ?? 0) & 0x0fffffff
  const w1 = (POLY_KEY[1] ?? 0) & 0x0ffffffc
  const w2 = (POLY_KEY[2] ?? 0) & 0x0ffffffc
  const w3 = (POLY_KEY[3] ?? 0) & 0x0ffffffc
  FACTOR[0] = w0 & LIMB_MASK
  FACTOR[1] = ((w0 >>> 22) | (w1 << 10)) & LIMB_MASK
  FACTOR[2] = ((w1 >>> 12) | (w2 << 20)) & LIMB_MASK
  FACTOR[3] = (w2 >>> 2) & LIMB_MASK
  FACTOR[4] = ((w2 >>> 24) | (w3 << 8)) & LIMB_MASK
  FACTOR[5] = w3 >>> 14
  for (let i = 0; i < 6; i += 1) FOLDED[i] = FOLD * (FACTOR[i] ?? 0)
}

/** Every block is added to the sum, which is multiplied with the factor then. */
function addBlocks(words: number): void {
  const [r0, r1, r2, r3, r4, r5] = FACTOR as unknown as Limbs
  const [, s1, s2, s3, s4, s5] = FOLDED as unknown as Limbs
  let [h0, h1, h2, h3, h4, h5] = NONE
  for (let at = 0; at < words; at += 4) {
    const w0 = WORDS[at] ?? 0
    const w1 = WORDS[at + 1] ?? 0
    const w2 = WORDS[at + 2] ?? 0
    const w3 = WORDS[at + 3] ?? 0
    h0 += w0 & LIMB_MASK
    h1 += ((w0 >>> 22) | (w1 << 10)) & LIMB_MASK
    h2 += ((w1 >>> 12) | (w2 << 20)) & LIMB_MASK
    h3 += (w2 >>> 2) & LIMB_MASK
    h4 += ((w2 >>> 24) | (w3 << 8)) & LIMB_MASK
    h5 += (w3 >>> 14) | (1 << 18)
    const d0 = h0 * r0 + h1 * s5 + h2 * s4 + h3 * s3 + h4 * s2 + h5 * s1
    const d1 = h0 * r1 + h1 * r0 + h2 * s5 + h3 * s4 + h4 * s3 + h5 * s2
    const d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s5 + h4 * s4 + h5 * s3
    const d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s5 + h5 * s4
    const d4 = h0 * r4 + h1 * r3 + h2 * r2 + h3 * r1 + h4 * r0 + h5 * s5
    const d5 = h0 * r5 + h1 * r4 + h2 * r3 + h3 * r2 + h4 * r1 + h5 * r0
    const c0 = Math.floor(d0 / LIMB)
    const c1 = Math.floor((d1 + c0) / LIMB)
    const c2 = Math.floor((d2 + c1) / LIMB)
    const c3 = Math.floor((d3 + c2) / LIMB)
    const c4 = Math.floor((d4 + c3) / LIMB)
    const c5 = Math.floor((d5 + c4) / LIMB)
    const folded = d0 - c0 * LIMB + c5 * FOLD
    const over = Math.floor(folded / LIMB)
    h0 = folded - over * LIMB
    h1 = d1 + c0 - c1 * LIMB + over
    h2 = d2 + c1 - c2 * LIMB
    h3 = d3 + c2 - c3 * LIMB
    h4 = d4 + c3 - c4 * LIMB
    h5 = d5 + c4 - c5 * LIMB
  }
  SUM.set([h0, h1, h2, h3, h4, h5])
}

type Limbs = readonly [number, number, number, number, number, number]
const NONE: Limbs = [0, 0, 0, 0, 0, 0]

/** The sum modulo 2^130 − 5, and the second half of the key added to it modulo 2^128. */
function finishTag(): void {
  // Two rounds, because what is folded can carry through all limbs once more.
  carryThrough(1)
  carryThrough(1)
  const [h0, h1, h2, h3, h4, h5] = SUM as unknown as Limbs
  // The sum and 5 reach 2^130 just when the sum is no remainder yet.
  SUM[0] = h0 + 5
  const isOver = carryThrough(0)
  SUM.set([h0 + 5 * isOver, h1, h2, h3, h4, h5])
  carryThrough(0)
  const [t0, t1, t2, t3, t4, t5] = SUM as unknown as Limbs
  const words = [
    t0 | (t1 << 22),
    (t1 >>> 10) | (t2 << 12),
    (t2 >>> 20) | (t3 << 2) | (t4 << 24),
    (t4 >>> 8) | (t5 << 14),
  ]
  let carry = 0
  for (let i = 0; i < 4; i += 1) {
    const word = ((words[i] ?? 0) >>> 0) + ((POLY_KEY[4 + i] ?? 0) >>> 0) + carry
    TAG[i] = word
    carry = Math.floor(word / 2 ** 32)
  }
}

/** Makes every limb one again, the last of 20 bits; answers what is beyond, folded in if `fold` is 1. */
function carryThrough(fold: 0 | 1): number {
  let carry = 0
  for (let i = 0; i < 6; i += 1) {
    const limb = (SUM[i] ?? 0) + carry
    const size = i < 5 ? LIMB : LIMB / 4
    carry = Math.floor(limb / size)
    SUM[i] = limb - carry * size
  }
  SUM[0] = (SUM[0] ?? 0) + 5 * carry * fold
  return carry
}
