/**
 * Which dialect has which syntax: the table that the parser checks before it accepts a construct, and
 * lowering before it keeps one. `any` is the union, which authors upload.
 */

export type Dialect = 'lua51' | 'luajit' | 'luau' | 'any'

/** A construct that not all three dialects have. */
export type Feature = keyof typeof features

const luaJit: readonly Dialect[] = ['luajit', 'any']
const luau: readonly Dialect[] = ['luau', 'any']
const notLua51: readonly Dialect[] = ['luajit', 'luau', 'any']

const features = {
  goto: { words: "'goto' and labels", in: luaJit },
  int64: { words: '64-bit integer literals', in: luaJit },
  imaginary: { words: 'imaginary literals', in: luaJit },
  bytesInNames: { words: 'names with bytes above 127', in: luaJit },
  escapes: { words: "the escapes '\\x', '\\z' and '\\u'", in: notLua51 },
  hexFloat: { words: 'hexadecimal fractions and exponents', in: luaJit },
  binary: { words: 'binary literals', in: notLua51 },
  digitSeparator: { words: "'_' inside numbers", in: luau },
  floorDivision: { words: "the operator '//'", in: luau },
  compoundAssignment: { words: 'compound assignment', in: luau },
  continue: { words: "'continue'", in: luau },
  ifExpression: { words: 'if-expressions', in: luau },
  interpolation: { words: 'interpolated strings', in: luau },
  const: { words: "'const'", in: luau },
  attributes: { words: 'attributes', in: luau },
  types: { words: 'type annotations', in: luau },
} as const

/** Whether a source in this dialect may use the feature. */
export function accepts(dialect: Dialect, feature: Feature): boolean {
  return features[feature].in.includes(dialect)
}

/** The feature as a phrase that fits before "are not part of …". */
export function featureWords(feature: Feature): string {
  return features[feature].words
}

/** The dialect as its users write it. */
export const dialectWords: Readonly<Record<Dialect, string>> = {
  lua51: 'Lua 5.1',
  luajit: 'LuaJIT',
  luau: 'Luau',
  any: 'Lua 5.1, LuaJIT or Luau',
}
