/**
 * The syntax of each dialect. The parser checks this table before it accepts a construct, and lowering checks
 * it before it keeps a construct. `any` is the union of the dialects that authors upload, with three
 * exceptions: Garry's Mod, where `//` starts a comment, and Lua 5.4 and FiveM, whose numbers have different
 * semantics.
 */

export type Dialect = 'lua51' | 'luajit' | 'luau' | 'gmod' | 'lua54' | 'fivem' | 'any'

/** A construct that not all dialects support. */
export type Feature = keyof typeof features

const fivem: readonly Dialect[] = ['fivem']
const lua54: readonly Dialect[] = ['lua54', 'fivem']
const luaJit: readonly Dialect[] = ['luajit', 'gmod', 'any']
const jumping: readonly Dialect[] = [...luaJit, ...lua54]
const notPlain: readonly Dialect[] = ['luau', 'gmod', 'any']
const luau: readonly Dialect[] = ['luau', 'any']
const notLua51: readonly Dialect[] = ['luajit', 'luau', 'gmod', 'any', ...lua54]

const features = {
  goto: { words: "'goto' and labels", in: jumping },
  int64: { words: '64-bit integer literals', in: luaJit },
  imaginary: { words: 'imaginary literals', in: luaJit },
  integer: { words: "integers with 'i'", in: luau },
  bytesInNames: { words: 'names with bytes above 127', in: luaJit },
  escapes: { words: "the escapes '\\x', '\\z' and '\\u'", in: notLua51 },
  hexFloat: { words: 'hexadecimal fractions and exponents', in: jumping },
  binary: { words: 'binary literals', in: ['luajit', 'luau', 'gmod', 'any'] },
  digitSeparator: { words: "'_' inside numbers", in: luau },
  floorDivision: { words: "the operator '//'", in: [...luau, ...lua54] },
  bits: { words: 'bitwise operators', in: lua54 },
  emptyStatements: { words: "';' alone", in: lua54 },
  compoundAssignment: { words: 'compound assignment', in: [...luau, ...fivem] },
  continue: { words: "'continue'", in: notPlain },
  ifExpression: { words: 'if-expressions', in: luau },
  interpolation: { words: 'interpolated strings', in: luau },
  const: { words: "'const'", in: luau },
  exports: { words: "'export' of values", in: luau },
  classes: { words: 'classes', in: luau },
  attributes: { words: 'attributes', in: luau },
  types: { words: 'type annotations', in: luau },
  safeNavigation: { words: "'?' after an expression", in: fivem },
  unpacking: { words: "'in' as an assignment", in: fivem },
  sets: { words: 'fields without a value', in: fivem },
} as const

/** Whether a source in this dialect may use the feature. */
export function accepts(dialect: Dialect, feature: Feature): boolean {
  const list: readonly Dialect[] = features[feature].in
  return list.includes(dialect)
}

/** Returns the feature as a phrase for messages such as "…: not supported in Luau". */
export function featureWords(feature: Feature): string {
  return features[feature].words
}

/** The name of each dialect, for messages to authors. */
export const dialectWords: Readonly<Record<Dialect, string>> = {
  lua51: 'Lua 5.1',
  luajit: 'LuaJIT',
  luau: 'Luau',
  gmod: "Garry's Mod Lua",
  lua54: 'Lua 5.4',
  fivem: "FiveM's Lua",
  any: 'Lua 5.1, LuaJIT or Luau',
}

/** The dialects that authors can choose for a source. */
export const SOURCE_DIALECTS = ['any', 'gmod', 'fivem'] as const

export type SourceDialect = (typeof SOURCE_DIALECTS)[number]

/**
 * How escape sequences in quoted strings are read. In Lua 5.1, `\x`, `\z` and `\u` only lose their backslash.
 * Lua 5.4 allows code points of up to 31 bits.
 */
export type Escapes = 'lua51' | 'lua54' | 'any'

/** Whether the dialect is Lua 5.4, with or without extensions. */
export function isLua54(dialect: Dialect): boolean {
  return dialect === 'lua54' || dialect === 'fivem'
}

/** Extensions of Lua's lexical syntax. */
export type LexicalSyntax = {
  /** Comments between `/*` and `*\/`. */
  readonly blockComments: boolean
  /** `//` as a comment, and the C operators for `~=`, `and`, `or` and `not`. */
  readonly operatorsOfC: boolean
  /** Strings in backticks. Their value is a hash of the string. */
  readonly hashes: boolean
}

export function lexicalSyntaxOf(dialect: Dialect): LexicalSyntax {
  const operatorsOfC = dialect === 'gmod'
  const hashes = dialect === 'fivem'
  return { blockComments: operatorsOfC || hashes, operatorsOfC, hashes }
}
