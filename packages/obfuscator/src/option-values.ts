/** Options as users enter them: a flat object of values by option ID. */

import { type ObfuscateOptions, type Option, options, type Problem } from './options.ts'

/**
 * Values by option ID, such as `{ preset: 'light', 'encode-numbers.share': 0.5 }`. Missing options use their
 * defaults.
 */
export type OptionValues = Readonly<Record<string, string | number | boolean>>

/**
 * Validates untrusted values against the list of options.
 *
 * @returns the options for `obfuscate`, or errors whose `param` is the ID of an option.
 */
export function readOptions(
  values: unknown,
): { readonly options: ObfuscateOptions } | { readonly errors: readonly Problem[] } {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    return { errors: [{ param: 'options', message: 'options must be an object of values by option id' }] }
  }
  const given = Object.entries(values)
  const errors = given.flatMap(([id, value]) => problemWith(id, value) ?? [])
  return errors.length > 0 ? { errors } : { options: arranged(given) }
}

/**
 * Options for a script's next version: those given with its source, or otherwise those of its last version.
 * Options without `server` keep the list of server functions. Otherwise, code on the server would move back
 * into the script.
 */
export function nextOptions(given: OptionValues | undefined, stored: OptionValues): OptionValues {
  if (given === undefined) return stored
  return stored.server === undefined ? given : { server: stored.server, ...given }
}

/** Parses `<id>=<value>` from the command line and converts the value to the option's type. */
export function parseOption(text: string): readonly [id: string, value: unknown] {
  const at = text.includes('=') ? text.indexOf('=') : text.length
  const id = text.slice(0, at)
  const value = text.slice(at + 1)
  const type = options.find((each) => each.id === id)?.type
  if (type === 'boolean' && /^(true|false)$/.test(value)) return [id, value === 'true']
  if (type === 'share' && value !== '' && Number.isFinite(Number(value))) return [id, Number(value)]
  if (type === 'seed' && /^-?\d{1,15}$/.test(value)) return [id, Number(value)]
  return [id, value]
}

function problemWith(id: string, value: unknown): Problem | null {
  const option = options.find((each) => each.id === id)
  if (!option) {
    const known = options.map((each) => `'${each.id}'`).join(', ')
    return { param: id, message: `there is no option '${id.slice(0, 60)}': choose from ${known}` }
  }
  return accepts(option, value) ? null : { param: id, message: `${id} must be ${expectation(option)}` }
}

function accepts({ type, choices }: Option, value: unknown): boolean {
  if (type === 'boolean') return typeof value === 'boolean'
  if (type === 'choice') return typeof value === 'string' && (choices ?? []).includes(value)
  if (type === 'share') return typeof value === 'number' && value >= 0 && value <= 1
  if (type === 'names') return typeof value === 'string' && value.length <= MAX_NAMES_LENGTH
  return typeof value === 'string' || Number.isSafeInteger(value)
}

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

function expectation({ type, choices }: Option): string {
  if (type === 'boolean') return 'true or false'
  if (type === 'choice') return `one of ${(choices ?? []).map((each) => `'${each}'`).join(', ')}`
  if (type === 'names') return `a list of names separated by commas, at most ${MAX_NAMES_LENGTH} characters`
  return type === 'share' ? 'a number from 0 to 1' : 'a whole number or a string'
}

/** IDs of options that do not belong to a pass. */
const OWN: readonly string[] = ['preset', 'target', 'seed', 'dialect']

/**
 * Maximum length of a list of names, in characters. Leaves enough room for the names of all functions that a
 * script can move to the server.
 */
const MAX_NAMES_LENGTH = 4000

/** Setting a pass's option also turns the pass on, unless the pass itself is turned off. */
function arranged(given: readonly (readonly [string, unknown])[]): ObfuscateOptions {
  const own: Record<string, unknown> = {}
  const passes: Record<string, Record<string, unknown> | boolean> = {}
  for (const [id, value] of given) {
    if (OWN.includes(id)) own[id] = value
    else if (id === 'server') own.server = namesIn(String(value))
    else if (!id.includes('.')) passes[id] = typeof value === 'boolean' && value
  }
  for (const [id, value] of given) {
    const [pass = '', setting] = id.split('.')
    if (setting === undefined || passes[pass] === false) continue
    const before = passes[pass]
    passes[pass] = { ...(typeof before === 'object' ? before : {}), [setting]: value }
  }
  return Object.keys(passes).length > 0 ? { ...own, passes } : own
}
