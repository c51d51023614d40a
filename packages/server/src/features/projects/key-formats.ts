/**
 * Formats of user keys such as `HUB-XXXXX-XXXXX-XXXXX-XXXXX-X`. Each X is a symbol that can't be mistaken for
 * another. The last X is a check character over the others, which the loader verifies before it sends a
 * request. All functions are pure.
 */

import { type Refused, refuseMember } from '../../api/refusals.ts'
import { newUserKey, USER_KEY_LENGTH } from '../accounts/credentials.ts'
import type { ProjectRow } from './store/projects.ts'

/** 32 symbols of 5 bits each, without 0, 1, I and O. */
export const SYMBOLS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/**
 * The minimum gives a key 20 random symbols, which is 100 bits. Beyond 31 random symbols, the check character
 * couldn't detect all of these errors.
 */
const LEAST_SYMBOLS = 21
const MAX_SYMBOLS = 32
const MAX_PREFIX_LENGTH = 12
const LONGEST = 64
const BITS = 5

/** The format option of a request that creates keys. */
export type KeyDraft = { readonly format?: string }
type Random = (count: number) => Buffer
type Unfit = Refused<'invalid_request'>

/** Returns the format as stored, or null for an empty string, which selects keys of 32 letters and digits. */
export function readKeyFormat(member: string, given: string): string | null | Unfit {
  const format = given.trim()
  if (format === '') return null
  const wrong = complainOf(format)
  return wrong === undefined ? format : refuseMember(member, wrong)
}

/** Returns the format in the request, or by default the project's format. */
export function formatOf(
  { key_format }: Pick<ProjectRow, 'key_format'>,
  { format }: KeyDraft,
): string | null | Unfit {
  return format === undefined ? key_format : readKeyFormat('format', format)
}

/**
 * Returns whether loaders with this format would reject a key that was created elsewhere, or would send a
 * different key in its place.
 */
export function isMistaken(format: string, key: string): boolean {
  const typed = key.trim().toUpperCase()
  const isRight = isChecked(format, typed)
  return isRight === false || (isRight === true && typed !== key)
}

/** Returns a new key in this format, or a key of 32 letters and digits if there is no format. */
export function newKey(random: Random, format: string | null): string {
  if (format === null) return newUserKey(random)
  const { prefix, places } = partsOf(format)
  const symbols = [...random(countOf(places) - 1)].map((byte) => byte % SYMBOLS.length)
  const all = [...symbols, checkOf(symbols)]
  return prefix + places.replace(/X/g, () => SYMBOLS.charAt(all.shift() ?? 0))
}

/**
 * Returns whether a key in this format has the right check character, or undefined if it has a different
 * shape.
 */
export function isChecked(format: string, key: string): boolean | undefined {
  const { prefix, places } = partsOf(format)
  const rest = key.slice(prefix.length)
  const form = new RegExp(`^${places.replace(/X/g, `[${SYMBOLS}]`)}$`)
  if (!key.startsWith(prefix) || !form.test(rest)) return undefined
  const symbols = [...rest.replaceAll('-', '')].map((symbol) => SYMBOLS.indexOf(symbol))
  return checkOf(symbols.slice(0, -1)) === symbols.at(-1)
}

/** Converts keys in this format to uppercase, because they aren't case-sensitive. Other keys stay unchanged. */
export function keyAsIssued(format: string | null, key: string): string {
  const typed = key.toUpperCase()
  return format !== null && isChecked(format, typed) ? typed : key
}

/** Returns whether a key has this format but the wrong check character. */
export function isTypo(format: string | null, key: string): boolean {
  return format !== null && isChecked(format, key.toUpperCase()) === false
}

/**
 * Calculates the check character as an element of GF(32): the sum of the other symbols, each multiplied by a
 * different power of 2. This detects any single wrong symbol and any swap of two adjacent symbols.
 */
function checkOf(symbols: readonly number[]): number {
  return symbols.reduce((sum, symbol) => doubled(sum ^ symbol), 0)
}

/** Multiplies a symbol by 2 modulo x^5 + x^2 + 1. */
function doubled(symbol: number): number {
  return symbol < 16 ? symbol * 2 : (symbol * 2) ^ 0b100101
}

function partsOf(format: string): { readonly prefix: string; readonly places: string } {
  const [first = '', ...others] = format.split('-')
  return /^X*$/.test(first)
    ? { prefix: '', places: format }
    : { prefix: `${first}-`, places: others.join('-') }
}

const countOf = (places: string) => places.replaceAll('-', '').length

function complainOf(format: string): string | undefined {
  if (format.length > LONGEST) return `must have at most ${LONGEST} characters`
  const { prefix, places } = partsOf(format)
  if (prefix !== '' && !/^[A-Z0-9]+-$/.test(prefix)) return 'must have a prefix of A-Z and 0-9 only'
  if (prefix.length > MAX_PREFIX_LENGTH + 1)
    return `must have a prefix of at most ${MAX_PREFIX_LENGTH} characters`
  if (!/^X+(-X+)*$/.test(places)) return 'must be groups of X separated by -, optionally after a prefix'
  const missing = LEAST_SYMBOLS - countOf(places)
  if (missing > 0)
    return `must have at least ${LEAST_SYMBOLS} X (${(LEAST_SYMBOLS - 1) * BITS} random bits) so that keys can't be guessed: add ${missing} more`
  if (countOf(places) > MAX_SYMBOLS) return `must have at most ${MAX_SYMBOLS} X`
  // Without a prefix or groups, loaders would reject some keys of the default format as typos.
  return format === 'X'.repeat(USER_KEY_LENGTH) ? 'must have a prefix or be divided into groups' : undefined
}
