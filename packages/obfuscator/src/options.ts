/**
 * Presets, targets and pass settings as data for the dashboard, the command line and the documentation.
 * Validates options against that data.
 */

import type { ServicePad } from './lock-keystream.ts'
import { optionalPasses } from './passes/list.ts'
import type { Pass, Setting, SettingValues } from './passes/pass.ts'
import { TARGETS, type Target } from './semantics/target.ts'
import { type Escapes, SOURCE_DIALECTS, type SourceDialect } from './syntax/dialect.ts'

/** Options of one build. All options have defaults. */
export type ObfuscateOptions = {
  /** ID of a preset, which selects the passes and their settings. Default: `strong`. */
  readonly preset?: string
  /** The hosts on which the output must run. Default: `any`. */
  readonly target?: string
  /** The Lua dialect of the source. Default: `any`. */
  readonly dialect?: string
  /** The same source, options and seed always produce the same bytes. Default: 0. */
  readonly seed?: number | string
  /**
   * Maps pass names to false to turn the pass off, true to turn it on, or settings that override the
   * preset's.
   */
  readonly passes?: Readonly<Record<string, boolean | Readonly<Record<string, unknown>>>>
  /**
   * Names of functions to run on the server, such as `price`, `Shop.price` or `lib/shop.lua:M.price`. They
   * are treated as if the author had written `WARD_SERVER(function … end)`. Requires a parameter named
   * `ward`. Default: none.
   */
  readonly server?: readonly string[]
  /**
   * Makes the output a chunk that returns a function. That function takes these parameters before the
   * script's own `...`, and the script sees the parameters as locals.
   */
  readonly parameters?: readonly string[]
  /** Number of watermark slots to create; see `watermark.ts`. Default: none. */
  readonly slots?: number
  /**
   * Provides the key streams derived from the server key. WARD_ENCFUNC functions and, with the `max` preset,
   * cold code are encrypted with key streams that the output does not contain. The second argument of the
   * chunk is then a function `(lock, size)` that returns the same key streams as strings. Requires
   * `parameters`. Without this option, the output contains the keys for those functions.
   */
  readonly servicePad?: ServicePad
}

/**
 * What a server adds to an author's options: scripts read their license from a local of the main chunk, not
 * from a global, and get the slots of the watermark (client protocol §10).
 */
export const SERVER_OPTIONS = { parameters: ['ward'], slots: 1024 } as const

/** An error about an option or, if `param` is `script`, about the source. */
export type Problem = { readonly param: string; readonly message: string }

export type Preset = {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The passes to run, with the settings that override the defaults of each pass. */
  readonly passes: Readonly<Record<string, SettingValues>>
}

const MAX_SLOTS = 4096

/** The presets, from the weakest to the strongest. */
export const presets: readonly Preset[] = [
  {
    id: 'light',
    name: 'Light',
    description: 'Hides names, strings, numbers and globals. No slowdown.',
    passes: {
      'hide-globals': {},
      integrity: {},
      'encode-numbers': {},
      'encrypt-strings': {},
    },
  },
  {
    id: 'balanced',
    name: 'Balanced',
    description: 'Virtualizes most code, leaves hot loops alone. About 1.4× slower.',
    passes: {
      'hide-globals': { slowLuau: true },
      integrity: {},
      virtualize: { strategy: 'balanced' },
      'encode-numbers': {},
      'encrypt-strings': { fields: 'warm' },
    },
  },
  {
    id: 'strong',
    name: 'Strong',
    description: 'Virtualizes everything. About 4× slower.',
    passes: {
      'hide-globals': { slowLuau: true },
      integrity: {},
      virtualize: {},
      'encode-numbers': {},
      'encrypt-strings': {},
      'split-data': {},
    },
  },
  {
    id: 'max',
    name: 'Max',
    description:
      "Everything in Strong, plus encryption of constants that are only used after a string comparison: the compared string is the key, and the output doesn't contain it. Server builds also lock rarely run code with a key that only the server has. Requires native tostring, pcall, string.gsub and table.concat functions.",
    passes: {
      'hide-globals': { slowLuau: true },
      'lock-values': {},
      integrity: { natives: 'all' },
      virtualize: {},
      'encode-numbers': {},
      'encrypt-strings': {},
      'split-data': {},
    },
  },
]

export const DEFAULT_PRESET = 'strong'

export const targets: readonly {
  readonly id: Target
  readonly name: string
  readonly description: string
}[] = [
  { id: 'any', name: 'Any', description: 'Runs on Lua 5.1, LuaJIT and Luau.' },
  { id: 'lua51', name: 'Lua 5.1', description: 'Runs on Lua 5.1.' },
  { id: 'luajit', name: 'LuaJIT', description: 'Runs on LuaJIT. Keeps LuaJIT syntax.' },
  { id: 'luau', name: 'Luau', description: 'Runs on Luau. Keeps Luau syntax.' },
  {
    id: 'lua54',
    name: 'Lua 5.4',
    description:
      'Runs on Lua 5.4, for source written in Lua 5.4: integers, bitwise operators, <const> and <close>.',
  },
]

/**
 * One entry in the list of options: a setting of a pass, or `preset`, `target`, `seed`, `dialect` or
 * `server`.
 */
export type Option = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: 'choice' | 'boolean' | 'share' | 'seed' | 'names'
  readonly choices?: readonly string[]
  readonly default: string | number | boolean
}

/**
 * Every option with its choices and its default. The ID of a pass setting is `<pass>.<setting>`. The ID of
 * the option that turns a pass on or off is `<pass>`.
 */
export const options: readonly Option[] = [
  {
    id: 'preset',
    name: 'Preset',
    description: 'Protection strength, traded for speed and size.',
    type: 'choice',
    choices: presets.map(({ id }) => id),
    default: DEFAULT_PRESET,
  },
  {
    id: 'target',
    name: 'Target',
    description: 'Where the output must run.',
    type: 'choice',
    choices: TARGETS,
    default: 'any',
  },
  {
    id: 'seed',
    name: 'Seed',
    description: 'A number or text. The same source, options and seed give the same output.',
    type: 'seed',
    default: 0,
  },
  {
    id: 'dialect',
    name: 'Dialect',
    description:
      "Language of the source. any: Lua 5.1, LuaJIT or Luau. gmod: Garry's Mod, with !=, &&, ||, !, continue and C comments. fivem: FiveM, which is Lua 5.4 with +=, `hash`, a?.b, local x in t, { .x } and C comments; the target is then lua54.",
    type: 'choice',
    choices: SOURCE_DIALECTS,
    default: 'any',
  },
  {
    id: 'server',
    name: 'Functions to move to the server',
    description:
      "Functions that run on the server, as if marked with WARD_SERVER: names such as price or Shop.price, separated by commas, with the path of the file if several files use the name (lib/shop.lua:M.price). An upload without this option keeps the script's list.",
    type: 'names',
    default: '',
  },
  ...optionalPasses.flatMap(optionsOfPass),
]

function optionsOfPass(pass: Pass): Option[] {
  const onOff = {
    id: pass.name,
    name: pass.name,
    description: pass.summary,
    type: 'boolean',
    default: true,
  } as const
  const settings = pass.settings.map((setting) => ({ ...setting, id: `${pass.name}.${setting.id}` }))
  return [onOff, ...settings]
}

/** The options of a build, with all defaults filled in. */
export type Plan = {
  readonly preset: string
  readonly target: Target
  readonly dialect: SourceDialect
  readonly escapes: Escapes
  readonly seed: number | string
  /** The passes to run, with their settings. */
  readonly passes: ReadonlyMap<string, SettingValues>
  readonly server: readonly string[]
  readonly parameters: readonly string[] | null
  readonly slots: number
  readonly servicePad: ServicePad | null
}

/** Fills in the defaults. Returns the errors if any option is invalid. */
export function planRun(asked: ObfuscateOptions): Plan | { readonly errors: readonly Problem[] } {
  const errors: Problem[] = []
  const preset = presets.find(({ id }) => id === (asked.preset ?? DEFAULT_PRESET))
  const target = targetOf(asked)
  if (!preset)
    errors.push(
      unknown(
        'preset',
        asked.preset,
        presets.map(({ id }) => id),
      ),
    )
  const dialect = SOURCE_DIALECTS.find((id) => id === (asked.dialect ?? 'any'))
  if (!dialect) errors.push(unknown('dialect', asked.dialect, SOURCE_DIALECTS))
  if (dialect === 'gmod' && target === 'lua54') {
    errors.push({
      param: 'dialect',
      message: "the dialect 'gmod' cannot run on 'lua54': choose another target",
    })
  }
  if (dialect === 'fivem' && target && target !== 'lua54') {
    errors.push({
      param: 'target',
      message: `the dialect 'fivem' cannot run on '${target}': choose 'lua54', or leave the target out`,
    })
  }
  if (!target) errors.push(unknown('target', asked.target, TARGETS))
  if (!isSeed(asked.seed ?? 0)) {
    errors.push({ param: 'seed', message: 'the seed must be a whole number or a string' })
  }
  errors.push(...wrongParameters(asked.parameters), ...wrongSlots(asked.slots ?? 0))
  if (asked.servicePad && !asked.parameters) {
    errors.push({ param: 'parameters', message: 'parameters must be given together with servicePad' })
  }
  const passes = planPasses(asked.passes ?? {}, preset, errors)
  if (errors.length > 0 || !preset || !target || !dialect) return { errors }
  const { seed = 0, server = [], parameters = null, slots = 0, servicePad = null } = asked
  const escapes = escapesOf(target, dialect)
  return { preset: preset.id, target, dialect, escapes, seed, passes, server, parameters, slots, servicePad }
}

/**
 * For the Lua 5.1 target, sources are read with Lua 5.1's escape sequences. With `any`, the output may run on
 * Luau, so newer escape sequences are also supported.
 */
function escapesOf(target: Target, dialect: SourceDialect): Escapes {
  if (target === 'lua54') return 'lua54'
  return dialect === 'any' && target === 'lua51' ? 'lua51' : 'any'
}

/** FiveM is the only host of its dialect, so callers don't need to choose a target. */
function targetOf({ target = 'any', dialect }: ObfuscateOptions): Target | undefined {
  if (dialect === 'fivem' && target === 'any') return 'lua54'
  return TARGETS.find((id) => id === target)
}

function unknown(param: string, found: unknown, choices: readonly string[]): Problem {
  const list = choices.map((each) => `'${each}'`).join(', ')
  return {
    param,
    message: `there is no ${param === 'passes' ? 'pass or setting' : param} ${show(found)}: choose one of ${list}`,
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? `'${value.slice(0, 40)}'` : `of type ${typeof value}`
}

function isSeed(seed: unknown): boolean {
  return typeof seed === 'string' || Number.isSafeInteger(seed)
}

function wrongParameters(parameters: readonly string[] | undefined): Problem[] {
  const isName = (each: unknown) => typeof each === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(each)
  const isRight = parameters === undefined || (Array.isArray(parameters) && parameters.every(isName))
  if (isRight && new Set(parameters).size === (parameters?.length ?? 0)) return []
  return [{ param: 'parameters', message: 'parameters must be distinct names of letters, digits and _' }]
}

function wrongSlots(slots: unknown): Problem[] {
  if (Number.isInteger(slots) && Number(slots) >= 0 && Number(slots) <= MAX_SLOTS) return []
  return [{ param: 'slots', message: `slots must be a whole number from 0 to ${MAX_SLOTS}` }]
}

function planPasses(
  asked: NonNullable<ObfuscateOptions['passes']>,
  preset: Preset | undefined,
  errors: Problem[],
): Map<string, SettingValues> {
  const known = optionalPasses.map(({ name }) => name)
  for (const name of Object.keys(asked)) {
    if (!known.includes(name)) errors.push(unknown('passes', name, known))
  }
  const plan = new Map<string, SettingValues>()
  for (const pass of optionalPasses) {
    const wanted = Object.hasOwn(asked, pass.name) ? asked[pass.name] : undefined
    const inPreset = preset?.passes[pass.name]
    if (wanted === false || (wanted === undefined && !inPreset)) continue
    const own = typeof wanted === 'object' && wanted !== null ? wanted : {}
    plan.set(pass.name, settle(pass, { ...inPreset, ...own }, errors))
  }
  return plan
}

function settle(pass: Pass, given: Readonly<Record<string, unknown>>, errors: Problem[]): SettingValues {
  const values: Record<string, boolean | string | number> = {}
  for (const setting of pass.settings) {
    const value = given[setting.id] ?? setting.default
    if (fits(setting, value)) values[setting.id] = value as boolean | string | number
    else
      errors.push({ param: 'passes', message: `${pass.name}.${setting.id} must be ${expectation(setting)}` })
  }
  for (const id of Object.keys(given)) {
    if (!pass.settings.some((setting) => setting.id === id)) {
      errors.push(
        unknown(
          'passes',
          `${pass.name}.${id}`,
          pass.settings.map((each) => `${pass.name}.${each.id}`),
        ),
      )
    }
  }
  return values
}

function fits(setting: Setting, value: unknown): boolean {
  if (setting.type === 'boolean') return typeof value === 'boolean'
  if (setting.type === 'choice') return typeof value === 'string' && setting.choices.includes(value)
  return typeof value === 'number' && value >= 0 && value <= 1
}

function expectation(setting: Setting): string {
  if (setting.type === 'boolean') return 'true or false'
  if (setting.type === 'choice') return `one of ${setting.choices.map((each) => `'${each}'`).join(', ')}`
  return 'a number from 0 to 1'
}
