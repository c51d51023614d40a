/** Converts sources to and from the form that the lexer reads: one character per byte. */

import type { Bytes } from './syntax/ast.ts'

/** Encodes a string as UTF-8. Lone surrogates become U+FFFD. */
export function bytesOf(source: string | Uint8Array): Bytes {
  if (typeof source !== 'string') return fromBytes(source)
  if (!/[\u0080-\uffff]/.test(source)) return source
  let text = ''
  for (const character of source.toWellFormed()) text += encoded(character.codePointAt(0) ?? 0)
  return text
}

/** Decodes UTF-8. Returns the input unchanged if it is not valid UTF-8. */
export function textOf(bytes: Bytes): string {
  if (!/[\u0080-\u00ff]/.test(bytes)) return bytes
  const hex = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  try {
    return decodeURIComponent(bytes.replaceAll(/[\s\S]/g, hex))
  } catch {
    return bytes
  }
}

const PIECE = 8192

function fromBytes(bytes: Uint8Array): Bytes {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  }
  return text
}

function encoded(point: number): Bytes {
  const tail = (shift: number) => 0x80 | ((point >> shift) & 0x3f)
  if (point < 0x80) return String.fromCharCode(point)
  if (point < 0x800) return String.fromCharCode(0xc0 | (point >> 6), tail(0))
  if (point < 0x10000) return String.fromCharCode(0xe0 | (point >> 12), tail(6), tail(0))
  return String.fromCharCode(0xf0 | (point >> 18), tail(12), tail(6), tail(0))
}
