/**
 * Previews key formats with an example key or an error. The server has the final say; its rules are in
 * `packages/server/src/features/projects/key-formats.ts`.
 */
import { text } from '../messages/text.ts'

const SYMBOLS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LEAST = 21
const MAX_RANDOM = 32

export type Preview = { readonly example: string } | { readonly error: string }

/** Normalizes a format for the API. */
export const tidyFormat = (typed: string): string => typed.trim().toUpperCase()

/** Returns undefined if the input is empty. */
export function previewOf(typed: string): Preview | undefined {
  const format = tidyFormat(typed)
  if (format === '') return undefined
  const error = formatError(format)
  return error === undefined ? { example: exampleOf(format) } : { error }
}

function formatError(format: string): string | undefined {
  const t = text.keyFormats
  const { prefix, places } = partsOf(format)
  if (!/^([A-Z0-9]{1,12}-)?$/.test(prefix)) return t.prefixWrong
  if (!/^X+(-X+)*$/.test(places)) return t.groupsWrong
  const count = places.replaceAll('-', '').length
  if (count < LEAST) return t.missing(LEAST - count)
  if (count > MAX_RANDOM || format.length > 64) return t.tooMany
  return format === 'X'.repeat(MAX_RANDOM) ? t.noGroups : undefined
}

function partsOf(format: string): { readonly prefix: string; readonly places: string } {
  const end = format.indexOf('-') + 1
  const prefix = format.slice(0, end)
  return /^X*-?$/.test(prefix) || end === 0
    ? { prefix: '', places: format }
    : { prefix, places: format.slice(end) }
}

/** Returns a random example key with a valid check character. */
function exampleOf(format: string): string {
  const { prefix, places } = partsOf(format)
  const random = crypto.getRandomValues(new Uint8Array(places.replaceAll('-', '').length - 1))
  const symbols = Array.from(random, (byte) => byte % SYMBOLS.length)
  const check = symbols.reduce((sum, symbol) => doubled(sum ^ symbol), 0)
  const all = [...symbols, check]
  return prefix + places.replace(/X/g, () => SYMBOLS.charAt(all.shift() ?? 0))
}

/** Doubles an element of the field GF(32), modulo x^5 + x^2 + 1. */
const doubled = (symbol: number) => (symbol < 16 ? symbol * 2 : (symbol * 2) ^ 0b100101)
