/**
 * Packed payloads are raw LZ4 blocks. The tests verify them with a decoder written from the format
 * specification alone.
 */
import { describe, expect, test } from 'vitest'
import { pack, unpack } from './lz4.ts'

const texts = [
  'x',
  'print("hi")',
  'ab'.repeat(5000),
  Array.from({ length: 3000 }, (_, i) => `v${i}=${i * 7}`).join('\n'),
]

describe('a compressed string', () => {
  test.each(texts)('is one raw LZ4 block', (text) => {
    expect(decodeBlock(Buffer.from(pack(text))).toString('latin1')).toBe(text)
  })

  test.each(texts)('decompresses to the original', (text) => {
    expect(unpack(pack(text), text.length)).toBe(text)
  })
})

function decodeBlock(block: Buffer): Buffer {
  const out: number[] = []
  let at = 0
  const byte = () => block.readUInt8(at++)
  const length = (nibble: number) => {
    let total = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = byte()
    return total
  }
  for (;;) {
    const token = byte()
    for (let literals = length(token >> 4); literals > 0; literals -= 1) out.push(byte())
    if (at === block.length) return Buffer.from(out)
    const offset = byte() | (byte() << 8)
    for (let match = length(token & 15) + 4; match > 0; match -= 1) out.push(out[out.length - offset] ?? 0)
  }
}
