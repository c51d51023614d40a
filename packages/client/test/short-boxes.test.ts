/** The cipher of short boxes is that of OpenSSL, which `wire.ts` uses for longer ones. */
import { createCipheriv, randomBytes, randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { authenticatorOf, openShort, SHORT_BYTES, sealShort } from '../src/short-boxes.ts'
import { open, seal } from '../src/wire.ts'

type Box = { readonly key: Buffer; readonly counter: number; readonly aad: Buffer; readonly text: Buffer }

const SIZES = [0, 1, 15, 16, 17, 63, 64, 65, 128, 500, SHORT_BYTES]

describe('a short box', () => {
  it.each(SIZES)('of %i bytes is what OpenSSL makes, whatever its additional text', (size) => {
    for (const aadSize of SIZES)
      for (const make of [randomBytes, (count: number) => Buffer.alloc(count, 0xff)]) {
        const sample = { key: make(32), counter: 2 ** 33 + 5, aad: make(aadSize), text: make(size) }
        const box = sealed(sample)
        expect(box.equals(byOpenSsl(sample))).toBe(true)
        expect(opened(sample, box)).toEqual(sample.text)
      }
  })

  it('is what OpenSSL makes for a thousand random keys and texts', () => {
    for (let i = 0; i < 1000; i += 1) {
      const [aad, text] = [randomBytes(randomInt(60)), randomBytes(randomInt(SHORT_BYTES + 1))]
      const sample = { key: randomBytes(32), counter: randomInt(2 ** 40), aad, text }
      expect(sealed(sample).equals(byOpenSsl(sample))).toBe(true)
    }
  })

  it('does not open when a single bit of anything is another one', () => {
    const sample = {
      key: randomBytes(32),
      counter: 7,
      aad: randomBytes(20),
      text: randomBytes(70),
    }
    const box = sealed(sample)
    for (let bit = 0; bit < 8 * box.length; bit += 1) expect(opened(sample, turned(box, bit))).toBeUndefined()
    expect(opened({ ...sample, counter: 8 }, box)).toBeUndefined()
    for (const part of ['key', 'aad'] as const)
      expect(opened({ ...sample, [part]: turned(sample[part], 5) }, box)).toBeUndefined()
    expect(opened({ ...sample, aad: Buffer.concat([sample.aad, Buffer.alloc(1)]) }, box)).toBeUndefined()
    expect(opened(sample, box)).toEqual(sample.text)
  })

  // RFC 8439, appendix A.3, vectors 7 to 11, and the sum 2^130 − 5 itself, which leaves nothing.
  it.each([
    ['02', 'ff'.repeat(16), '03'],
    ['02', '02', '03', 'ff'.repeat(16)],
    ['01', `${'ff'.repeat(16)}f0${'ff'.repeat(15)}11`, '05'],
    ['01', `${'ff'.repeat(16)}fb${'fe'.repeat(15)}${'01'.repeat(16)}`, '00'],
    ['02', `fd${'ff'.repeat(15)}`, `fa${'ff'.repeat(15)}`],
    [
      '01000000000000000400000000000000',
      'e33594d7505e43b900000000000000003394d7505e4379cd01000000000000000000000000000000000000000000000001000000000000000000000000000000',
      '14000000000000005500000000000000',
    ],
    [
      '01000000000000000400000000000000',
      'e33594d7505e43b900000000000000003394d7505e4379cd010000000000000000000000000000000000000000000000',
      '13',
    ],
  ])('has the tag of the standard where it carries: factor %s, text %s', (factor, text, tag, last = '') => {
    const key = Buffer.from(factor.padEnd(32, '0') + last.padEnd(32, '0'), 'hex')
    const blocks = Buffer.from(text.padEnd(Math.ceil(text.length / 32) * 32, '0'), 'hex')
    expect(authenticatorOf(key, blocks).toString('hex')).toBe(tag.padEnd(32, '0'))
  })
})

it('boxes around the longest short one open whichever way they were made', () => {
  const key = randomBytes(32)
  for (let size = SHORT_BYTES - 1; size <= SHORT_BYTES + 1; size += 1) {
    const text = 'ü'.repeat(size >> 1) + 'x'.repeat(size & 1)
    const box = seal(key, 2 ** 40 + 3, Buffer.from('aad'), text)
    expect(box).toEqual(
      byOpenSsl({ key, counter: 2 ** 40 + 3, aad: Buffer.from('aad'), text: Buffer.from(text) }),
    )
    expect(open(key, 2 ** 40 + 3, Buffer.from('aad'), box)?.toString()).toBe(text)
  }
})

function sealed({ key, counter, aad, text }: Box): Buffer {
  return sealShort(key, counter, aad, text)
}

function opened({ key, counter, aad }: Box, box: Buffer): Buffer | undefined {
  return openShort(key, counter, aad, box)
}

function byOpenSsl({ key, counter, aad, text }: Box): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64LE(BigInt(counter), 4)
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 })
  cipher.setAAD(aad, { plaintextLength: text.length })
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

function turned(bytes: Buffer, bit: number): Buffer {
  const other = Buffer.from(bytes)
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return other
}
