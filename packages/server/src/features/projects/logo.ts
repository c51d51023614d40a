/**
 * Validates logos. A logo must be a complete still PNG or WebP of limited size without trailing data.
 * Animated images and formats that can contain a script, such as SVG, are rejected. Sources: PNG, third
 * edition; RFC 9649.
 */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export type Logo = {
  readonly bytes: Buffer
  /** The content's digest plus the file extension, so the content behind a name never changes. */
  readonly file: string
  readonly width: number
  readonly height: number
}

export const MAX_LOGO_BYTES = 64 * 1024
export const MIN_LOGO_PIXELS = 16
export const MAX_LOGO_PIXELS = 1024

const LOGO_TYPES = { png: 'image/png', webp: 'image/webp' } as const
type Ending = keyof typeof LOGO_TYPES

type Size = { readonly width: number; readonly height: number }
/** The size, or a description of the error. */
type Read = Size | string

/** `text` is base64. If the result is a string, it explains how to fix the error. */
export function readLogo(text: string): Logo | string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length === 0 || bytes.toString('base64') !== text) return 'must be a PNG or WebP image in base64'
  if (bytes.length > MAX_LOGO_BYTES) return `must be at most ${MAX_LOGO_BYTES} bytes, not ${bytes.length}`
  const ending = endingOf(bytes)
  if (ending === undefined) return 'must be a PNG or WebP image'
  const size = ending === 'png' ? readPng(bytes) : readWebp(bytes)
  if (typeof size === 'string') return size
  const { width, height } = size
  if (!isPossible(width) || !isPossible(height))
    return `must be ${MIN_LOGO_PIXELS} to ${MAX_LOGO_PIXELS} pixels wide and high, not ${width} × ${height}`
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, file: `logo.${digest}.${ending}`, width, height }
}

export function typeOfLogo(file: string): string | undefined {
  const [, ending] = /^logo\.[\w-]{22}\.(\w+)$/.exec(file) ?? []
  return ending === 'png' || ending === 'webp' ? LOGO_TYPES[ending] : undefined
}

function isPossible(pixels: number): boolean {
  return pixels >= MIN_LOGO_PIXELS && pixels <= MAX_LOGO_PIXELS
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function endingOf(bytes: Buffer): Ending | undefined {
  if (bytes.subarray(0, PNG_START.length).equals(PNG_START)) return 'png'
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isWebp ? 'webp' : undefined
}

const BROKEN = 'must be a complete image: save it again with an image editor'
const MOVING = 'must be a still image, without animation'

/** Each chunk has a length, type, content and checksum. */
function readPng(bytes: Buffer): Read {
  let at = PNG_START.length
  let size: Size | undefined
  let hasPixels = false
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    const end = at + 12 + length
    if (end > bytes.length) return BROKEN
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return BROKEN
    if ((size === undefined) !== (type === 'IHDR')) return BROKEN
    if (type === 'acTL') return MOVING
    if (type === 'IDAT') hasPixels = true
    if (type === 'IEND') return end === bytes.length && hasPixels && size !== undefined ? size : BROKEN
    if (type === 'IHDR') {
      if (length !== 13) return BROKEN
      size = { width: bytes.readUInt32BE(at + 8), height: bytes.readUInt32BE(at + 12) }
    }
    at = end
  }
  return BROKEN
}

/** Each chunk has a length, type and content, plus a padding byte if the length is odd. */
function readWebp(bytes: Buffer): Read {
  if (bytes.length < 20 || bytes.readUInt32LE(4) + 8 !== bytes.length) return BROKEN
  let at = 12
  let size: Size | undefined
  while (at + 8 <= bytes.length) {
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const content = bytes.subarray(at + 8, at + 8 + length)
    if (content.length < length) return BROKEN
    if (type === 'ANIM' || type === 'ANMF') return MOVING
    if (type === 'VP8 ' || type === 'VP8L') size = sizeOfPixels(type, content)
    at += 8 + length + (length % 2)
  }
  return at === bytes.length && size !== undefined ? size : BROKEN
}

/** Returns undefined if the pixel data does not start with a valid header. */
function sizeOfPixels(type: 'VP8 ' | 'VP8L', content: Buffer): Size | undefined {
  if (content.length < 10) return undefined
  if (type === 'VP8 ') {
    if (content.readUIntBE(3, 3) !== 0x9d012a) return undefined
    return { width: content.readUInt16LE(6) & 0x3fff, height: content.readUInt16LE(8) & 0x3fff }
  }
  if (content[0] !== 0x2f) return undefined
  const bits = content.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}
