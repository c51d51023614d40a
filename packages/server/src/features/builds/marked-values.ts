/**
 * Values of code that runs on the server, as JSON. Strings that start with U+0001 mark values that JSON can't
 * represent: `b` with bytes as U+0000 to U+00FF, `s` with a string that itself starts with U+0001, or `n`
 * with a number that is not finite or an integer beyond 2^53 (client protocol, Server code). Null is nil,
 * also in lists.
 */
import type { ServerValue } from '@scriptward/obfuscator'
import { luauOf, quoted, quotedBytes } from './luau-text.ts'

const MARK = '\u0001'
const NUMBERS = new Map([
  ['inf', '(1/0)'],
  ['-inf', '(-1/0)'],
  ['nan', '(0/0)'],
])
const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Writes a marked value as a Luau expression. Values with unknown marks become nil. */
export function luauOfMarked(value: unknown): string {
  if (typeof value === 'string') return value.startsWith(MARK) ? luauOfMark(value) : quoted(value)
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return luauOf(value)
  if (Array.isArray(value)) return `{${value.map(luauOfMarked).join(',')}}`
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return `{${members.map(([name, member]) => `[${luauOfMarked(name)}]=${luauOfMarked(member)}`).join(',')}}`
}

function luauOfMark(text: string): string {
  const [kind, rest] = [text[1], text.slice(2)]
  if (kind === 's') return quoted(rest)
  if (kind === 'b') return quotedBytes(Buffer.from(rest, 'latin1'))
  if (kind !== 'n') return 'nil'
  const number = Number(rest)
  return NUMBERS.get(rest) ?? (Number.isFinite(number) ? `(${number})` : 'nil')
}

/** Converts a value in a table to the marked form that a script receives. */
export function markedOf(value: ServerValue | null): unknown {
  if (value === null) return null
  if (typeof value === 'string') return markedBytes(value)
  if (typeof value === 'number') return markedNumber(value)
  if (typeof value === 'boolean') return value
  if ('list' in value) return value.list.map(markedOf)
  return Object.fromEntries(value.members.map(([name, member]) => [markedBytes(name), markedOf(member)]))
}

/** @param bytes one character per byte. */
export function markedBytes(bytes: string): string {
  try {
    const text = UTF8.decode(Buffer.from(bytes, 'latin1'))
    return text.startsWith(MARK) ? `${MARK}s${text}` : text
  } catch {
    return `${MARK}b${bytes}`
  }
}

function markedNumber(value: number): unknown {
  if (Number.isNaN(value)) return `${MARK}nnan`
  if (!Number.isFinite(value)) return `${MARK}n${value > 0 ? 'inf' : '-inf'}`
  return Number.isInteger(value) && Math.abs(value) > 2 ** 53 ? `${MARK}n${value}` : value
}
