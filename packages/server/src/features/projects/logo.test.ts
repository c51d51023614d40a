/** Logos: which images are accepted, and how errors for the others explain what to fix. */
import { describe, expect, it } from 'vitest'
import { png, pngOf, VP8, VP8L, webpOf } from '../../../test/images.ts'
import { MAX_LOGO_BYTES, readLogo } from './logo.ts'

const read = (bytes: Buffer) => readLogo(bytes.toString('base64'))
const chunk = (type: string, size = 4) => [type, Buffer.alloc(size)] as const
const cut = (bytes: Buffer, end: number) => bytes.subarray(0, end)
const changed = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

describe('a logo', () => {
  it.each([
    ['PNG', png(), 'png'],
    ['lossy WebP', webpOf([VP8]), 'webp'],
    ['lossless WebP', webpOf([VP8L]), 'webp'],
    ['WebP with a profile', webpOf([chunk('VP8X', 10), chunk('ICCP', 5), VP8]), 'webp'],
  ])('may be a %s, and its file name is derived from its content', (_, bytes, ending) => {
    const logo = read(bytes)
    expect(logo).toMatchObject({ bytes, width: 16, height: 20 })
    expect(logo).toHaveProperty('file', expect.stringMatching(new RegExp(`^logo\\.[\\w-]{22}\\.${ending}$`)))
    expect(read(bytes)).toEqual(logo)
    expect(read(png(17, 20))).not.toHaveProperty('file', (logo as { file: string }).file)
  })

  it.each([
    ['invalid base64', 'not base64!', 'must be a PNG or WebP image in base64'],
    ['a data URL', `data:image/png;base64,${png().toString('base64')}`, 'in base64'],
    ['an SVG', Buffer.from('<svg onload="alert(1)"/>'), 'must be a PNG or WebP image'],
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100', 'hex'), 'must be a PNG or WebP image'],
    ['HTML after a PNG signature', Buffer.concat([cut(png(), 8), Buffer.from('<script>')]), 'complete image'],
    ['a PNG with trailing data', Buffer.concat([png(), Buffer.from('<script>')]), 'complete image'],
    ['a truncated PNG', cut(png(), png().length - 1), 'complete image'],
    ['a PNG with changed content', changed(png(), 50), 'complete image'],
    [
      'a PNG without pixels',
      pngOf([['IHDR', cut(png(), 29).subarray(16)], chunk('IEND', 0)]),
      'complete image',
    ],
    ['a PNG that begins with another chunk', pngOf([chunk('IDAT'), chunk('IEND', 0)]), 'complete image'],
    ['an animated PNG', png(16, 16, [chunk('acTL', 8)]), 'still image'],
    ['a WebP with trailing data', Buffer.concat([webpOf([VP8]), Buffer.alloc(2)]), 'complete image'],
    ['a truncated WebP', cut(webpOf([VP8]), 40), 'complete image'],
    ['a WebP without pixels', webpOf([chunk('VP8X', 10)]), 'complete image'],
    ['a WebP with invalid pixels', webpOf([chunk('VP8 ', 30)]), 'complete image'],
    ['an animated WebP', webpOf([chunk('VP8X', 10), chunk('ANIM', 6), VP8]), 'still image'],
    ['an image that is too narrow', png(15, 16), '16 to 1024 pixels wide and high, not 15 × 16'],
    ['an image that is too high', png(16, 1025), '16 to 1024 pixels wide and high, not 16 × 1025'],
    ['an image without a size', png(0, 0), 'not 0 × 0'],
    [
      'an image that is too large',
      png(16, 16, [chunk('tEXt', MAX_LOGO_BYTES)]),
      `at most ${MAX_LOGO_BYTES} bytes, not`,
    ],
  ])('cannot be %s', (_, given, fix) => {
    expect(typeof given === 'string' ? readLogo(given) : read(given)).toContain(fix)
  })
})
