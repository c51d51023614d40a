/** The visitor's draft: a source and its protection options. */
import type { choices } from '@scriptward/obfuscator'

type Choices = typeof choices
/** Inserted into the page at build time. */
declare const OBFUSCATOR_CHOICES: Omit<Choices, 'macros'>
export const presets: Choices['presets'] = OBFUSCATOR_CHOICES.presets
export const targets: Choices['targets'] = OBFUSCATOR_CHOICES.targets
export const { defaultPreset } = OBFUSCATOR_CHOICES

export type Draft = {
  readonly source: string
  readonly preset: string
  readonly target: string
  readonly seed: string
  /** Passes toggled relative to the preset. */
  readonly switched: readonly string[]
}

/**
 * Maximum length of a source, in characters. Protecting a larger source takes more memory than phone browsers
 * have.
 */
export const MAX_SOURCE = 256_000

export const PASSES: Choices['options'] = OBFUSCATOR_CHOICES.options.filter(
  ({ id, type }) => type === 'boolean' && !id.includes('.'),
)

/**
 * The options for the obfuscator. A seed that consists of digits is passed as a number, as on the command
 * line.
 */
export function optionsOf({ preset, target, seed, switched }: Draft) {
  const passes = Object.fromEntries(switched.map((name) => [name, !isInPreset(preset, name)]))
  return { preset, target, seed: /^-?\d{1,15}$/.test(seed) ? Number(seed) : seed, passes }
}

export function isOn({ preset, switched }: Draft, name: string): boolean {
  return isInPreset(preset, name) !== switched.includes(name)
}

export function flip({ switched }: Draft, name: string): readonly string[] {
  return switched.includes(name) ? switched.filter((each) => each !== name) : [...switched, name]
}

function isInPreset(preset: string, name: string): boolean {
  return Object.hasOwn(presets.find(({ id }) => id === preset)?.passes ?? {}, name)
}

/** Whether the output runs in Luau, the only kind of Lua that the playground can run in a browser. */
export function runsInLuau({ target }: Draft): boolean {
  return target === 'any' || target === 'luau'
}
