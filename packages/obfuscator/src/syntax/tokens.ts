/**
 * The token kinds, and the arrays that the lexer fills. Kinds are small numbers in typed arrays because a
 * source of one megabyte has about 250,000 tokens, and the parser reads each token several times.
 */

/** Token kinds: keywords, then literals, then symbols. */
export const Token = {
  End: 0,
  And: 1,
  Break: 2,
  Do: 3,
  Else: 4,
  ElseIf: 5,
  EndBlock: 6,
  False: 7,
  For: 8,
  Function: 9,
  If: 10,
  In: 11,
  Local: 12,
  Nil: 13,
  Not: 14,
  Or: 15,
  Repeat: 16,
  Return: 17,
  Then: 18,
  True: 19,
  Until: 20,
  While: 21,

  Name: 22,
  Number: 23,
  String: 24,
  LongString: 25,
  /** A backtick string without values. */
  WholeInterpolated: 26,
  /**
   * The part from the backtick to the first `{`. It is followed by `Middle` tokens, from `}` to `{`, and a
   * `Last` token, from `}` to the backtick.
   */
  FirstInterpolated: 27,
  MiddleInterpolated: 28,
  LastInterpolated: 29,

  Plus: 30,
  Minus: 31,
  Star: 32,
  Slash: 33,
  FloorDivide: 34,
  Percent: 35,
  Caret: 36,
  Concat: 37,
  Hash: 38,
  Equal: 39,
  NotEqual: 40,
  Less: 41,
  LessEqual: 42,
  Greater: 43,
  GreaterEqual: 44,
  Assign: 45,
  PlusAssign: 46,
  MinusAssign: 47,
  StarAssign: 48,
  SlashAssign: 49,
  FloorDivideAssign: 50,
  PercentAssign: 51,
  CaretAssign: 52,
  ConcatAssign: 53,
  ParenOpen: 54,
  ParenClose: 55,
  BraceOpen: 56,
  BraceClose: 57,
  BracketOpen: 58,
  BracketClose: 59,
  Semicolon: 60,
  Colon: 61,
  DoubleColon: 62,
  Comma: 63,
  Dot: 64,
  Ellipsis: 65,
  Arrow: 66,
  At: 67,
  Question: 68,
  Bar: 69,
  Ampersand: 70,
  /** Lua 5.4 only, except in `~=`. */
  Tilde: 72,
  /** FiveM's backtick string, whose value is the hash of its contents. */
  HashedString: 73,
  /** An invalid lexeme. The lexer has already reported it, so the parser skips it silently. */
  Broken: 71,
} as const

export type TokenKind = (typeof Token)[keyof typeof Token]

/**
 * The words reserved in every dialect. Whether `continue`, `type`, `export`, `const` and `goto` are keywords
 * depends on their position.
 */
export const keywords: ReadonlyMap<string, TokenKind> = new Map<string, TokenKind>([
  ['and', Token.And],
  ['break', Token.Break],
  ['do', Token.Do],
  ['else', Token.Else],
  ['elseif', Token.ElseIf],
  ['end', Token.EndBlock],
  ['false', Token.False],
  ['for', Token.For],
  ['function', Token.Function],
  ['if', Token.If],
  ['in', Token.In],
  ['local', Token.Local],
  ['nil', Token.Nil],
  ['not', Token.Not],
  ['or', Token.Or],
  ['repeat', Token.Repeat],
  ['return', Token.Return],
  ['then', Token.Then],
  ['true', Token.True],
  ['until', Token.Until],
  ['while', Token.While],
])

/**
 * All tokens of a source, in parallel arrays. The last one is `End`, at the end of the source. `starts` and
 * `ends` are offsets; the parser slices the source only where needed.
 */
export type Tokens = {
  readonly kinds: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly count: number
  /** Luau's `--!` comments before the first token, without the `--!`. */
  readonly directives: readonly string[]
}
