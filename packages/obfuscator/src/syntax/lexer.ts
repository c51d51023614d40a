/**
 * Splits bytes into tokens, each with a start, an end and a kind. `literals.ts` computes the values of
 * numbers and strings.
 */

import type { Diagnostics } from '../diagnostics.ts'
import { type LexicalSyntax, lexicalSyntaxOf } from './dialect.ts'
import { keywords, Token, type TokenKind, type Tokens } from './tokens.ts'

/** Character classes, one bit each, so that reading a name tests one bit per byte. */
export const CharClass = { nameStart: 1, digit: 2, namePart: 4, hex: 8, space: 16 } as const

/**
 * The classes of every byte. Bytes above 127 count as letters, as in LuaJIT; the parser rejects them in
 * other dialects.
 */
export const charClasses: Uint8Array = makeCharClasses()

/** Splits an entire source into tokens. Invalid input is reported and becomes a `Broken` token. */
export function tokenize(
  source: string,
  diagnostics: Diagnostics,
  syntax: LexicalSyntax = lexicalSyntaxOf('any'),
): Tokens {
  return new Lexer(source, diagnostics, syntax).run()
}

/** The length of an opening long bracket at an offset: 2 for `[[`, 4 for `[==[`, and 0 if there is none. */
export function longBracketLength(source: string, at: number): number {
  let end = at + 1
  while (source.charCodeAt(end) === Char.equal) end += 1
  return source.charCodeAt(end) === Char.bracketOpen ? end + 1 - at : 0
}

const Char = {
  newline: 10,
  carriageReturn: 13,
  bang: 33,
  quote: 34,
  hash: 35,
  singleQuote: 39,
  minus: 45,
  dot: 46,
  zero: 48,
  equal: 61,
  bracketOpen: 91,
  backslash: 92,
  backtick: 96,
  braceOpen: 123,
  braceClose: 125,
} as const

/** Symbols by their first character, longest first. */
const symbols: readonly (readonly (readonly [string, TokenKind])[])[] = makeSymbols([
  ['+=', Token.PlusAssign],
  ['+', Token.Plus],
  ['-=', Token.MinusAssign],
  ['->', Token.Arrow],
  ['-', Token.Minus],
  ['*=', Token.StarAssign],
  ['*', Token.Star],
  ['//=', Token.FloorDivideAssign],
  ['//', Token.FloorDivide],
  ['/=', Token.SlashAssign],
  ['/', Token.Slash],
  ['%=', Token.PercentAssign],
  ['%', Token.Percent],
  ['^=', Token.CaretAssign],
  ['^', Token.Caret],
  ['#', Token.Hash],
  ['==', Token.Equal],
  ['=', Token.Assign],
  ['~=', Token.NotEqual],
  ['~', Token.Tilde],
  ['!=', Token.NotEqual],
  ['<=', Token.LessEqual],
  ['<', Token.Less],
  ['>=', Token.GreaterEqual],
  ['>', Token.Greater],
  ['(', Token.ParenOpen],
  [')', Token.ParenClose],
  ['{', Token.BraceOpen],
  ['}', Token.BraceClose],
  ['[', Token.BracketOpen],
  [']', Token.BracketClose],
  [';', Token.Semicolon],
  ['::', Token.DoubleColon],
  [':', Token.Colon],
  [',', Token.Comma],
  ['...', Token.Ellipsis],
  ['..=', Token.ConcatAssign],
  ['..', Token.Concat],
  ['.', Token.Dot],
  ['@', Token.At],
  ['?', Token.Question],
  ['||', Token.Or],
  ['|', Token.Bar],
  ['&&', Token.And],
  ['&', Token.Ampersand],
  ['!', Token.Not],
])

/** Operators of other languages, and their Lua equivalents. */
const foreign: ReadonlyMap<string, string> = new Map([
  ['!=', '~='],
  ['||', 'or'],
  ['&&', 'and'],
  ['!', 'not'],
])

class Lexer {
  readonly #source: string
  readonly #diagnostics: Diagnostics
  readonly #syntax: LexicalSyntax
  readonly #kinds: Uint8Array
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  readonly #directives: string[] = []
  /** The number of open braces inside the current `{` of each open interpolated string. */
  readonly #braces: number[] = []
  #count = 0
  #at = 0

  constructor(source: string, diagnostics: Diagnostics, syntax: LexicalSyntax) {
    this.#source = source
    this.#diagnostics = diagnostics
    this.#syntax = syntax
    // Every token has at least one byte, so this size is sufficient. The operating system never allocates the
    // untouched pages of these arrays.
    this.#kinds = new Uint8Array(source.length + 1)
    this.#starts = new Int32Array(source.length + 1)
    this.#ends = new Int32Array(source.length + 1)
  }

  run(): Tokens {
    this.#skipHead()
    const length = this.#source.length
    while (true) {
      this.#skipBlanks()
      if (this.#at >= length) break
      this.#token(this.#at)
    }
    this.#emit(Token.End, length, length)
    return {
      kinds: this.#kinds,
      starts: this.#starts,
      ends: this.#ends,
      count: this.#count,
      directives: this.#directives,
    }
  }

  /** Skips a byte order mark and a shebang line. */
  #skipHead(): void {
    if (this.#source.startsWith('\xef\xbb\xbf')) this.#at = 3
    if (this.#source.charCodeAt(this.#at) === Char.hash) this.#at = this.#lineEnd(this.#at)
  }

  #skipBlanks(): void {
    const source = this.#source
    while (true) {
      let at = this.#at
      while (((charClasses[source.charCodeAt(at)] ?? 0) & CharClass.space) !== 0) at += 1
      this.#at = at
      if (source.charCodeAt(at) === Char.minus && source.charCodeAt(at + 1) === Char.minus) this.#comment(at)
      else if (!this.#syntax.blockComments || !this.#commentOfC(at)) return
    }
  }

  /** Skips a C comment, if there is one. */
  #commentOfC(at: number): boolean {
    const source = this.#source
    if (this.#syntax.operatorsOfC && source.startsWith('//', at)) this.#at = this.#lineEnd(at)
    else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at + 2)
      if (end < 0) this.#diagnostics.report(at, 'unfinishedComment', '*/')
      this.#at = end < 0 ? source.length : end + 2
    }
    return this.#at > at
  }

  #comment(start: number): void {
    const at = start + 2
    const open = this.#source.charCodeAt(at) === Char.bracketOpen ? longBracketLength(this.#source, at) : 0
    if (open > 0) {
      this.#at = this.#longEnd(at, open, 'unfinishedComment')
      return
    }
    this.#at = this.#lineEnd(at)
    if (this.#count > 0 || this.#source.charCodeAt(at) !== Char.bang) return
    this.#directives.push(this.#source.slice(at + 1, this.#at).trim())
  }

  #lineEnd(from: number): number {
    const source = this.#source
    let at = from
    while (at < source.length) {
      const code = source.charCodeAt(at)
      if (code === Char.newline || code === Char.carriageReturn) break
      at += 1
    }
    return at
  }

  #longEnd(at: number, open: number, diagnostic: 'unfinishedComment' | 'unfinishedLongString'): number {
    const close = `]${'='.repeat(open - 2)}]`
    const found = this.#source.indexOf(close, at + open)
    if (found >= 0) return found + close.length
    this.#diagnostics.report(at, diagnostic, close)
    return this.#source.length
  }

  #token(at: number): void {
    const code = this.#source.charCodeAt(at)
    const classes = charClasses[code] ?? 0
    if ((classes & CharClass.nameStart) !== 0) this.#name(at)
    else if ((classes & CharClass.digit) !== 0) this.#number(at)
    else if (code === Char.dot && this.#isDigit(at + 1)) this.#number(at)
    else if (code === Char.quote || code === Char.singleQuote) this.#string(at, code)
    else if (code === Char.backtick) this.#backtick(at)
    else if (code === Char.bracketOpen) this.#bracket(at)
    else if (code === Char.braceClose && this.#braces.at(-1) === 0) this.#interpolated(at, true)
    else this.#symbol(at, code)
  }

  #isDigit(at: number): boolean {
    return ((charClasses[this.#source.charCodeAt(at)] ?? 0) & CharClass.digit) !== 0
  }

  #emit(kind: TokenKind, start: number, end: number): void {
    const i = this.#count++
    this.#kinds[i] = kind
    this.#starts[i] = start
    this.#ends[i] = end
    this.#at = end
  }

  #name(start: number): void {
    const source = this.#source
    let end = start + 1
    while (((charClasses[source.charCodeAt(end)] ?? 0) & CharClass.namePart) !== 0) end += 1
    // Keywords have 2 to 8 characters, from `do` to `function`.
    const length = end - start
    const kind = length >= 2 && length <= 8 ? keywords.get(source.slice(start, end)) : undefined
    this.#emit(kind ?? Token.Name, start, end)
  }

  /**
   * Like Lua, reads every character that could belong to a number, so that `3x` and `1..2` are single
   * malformed numbers. A sign after the exponent marker is included: after `e` in decimal, after `p` in
   * hexadecimal.
   */
  #number(start: number): void {
    const source = this.#source
    const second = source.charCodeAt(start + 1) | 32
    const exponent = source.charCodeAt(start) === Char.zero && second === 120 ? 112 : 101
    let end = start + 1
    while (true) {
      const code = source.charCodeAt(end)
      const isPart = ((charClasses[code] ?? 0) & CharClass.namePart) !== 0 || code === Char.dot
      const isSign = (code === 43 || code === 45) && (source.charCodeAt(end - 1) | 32) === exponent
      if (!isPart && !isSign) break
      end += 1
    }
    this.#emit(Token.Number, start, end)
  }

  #backtick(at: number): void {
    if (this.#syntax.hashes) this.#string(at, Char.backtick, Token.HashedString)
    else this.#interpolated(at, false)
  }

  #string(start: number, quote: number, kind: TokenKind = Token.String): void {
    const source = this.#source
    let at = start + 1
    while (at < source.length) {
      const code = source.charCodeAt(at)
      if (code === quote || code === Char.newline || code === Char.carriageReturn) break
      at = code === Char.backslash ? this.#escapeEnd(at) : at + 1
    }
    if (source.charCodeAt(at) === quote) this.#emit(kind, start, at + 1)
    else this.#unfinished(start, at, String.fromCharCode(quote))
  }

  #unfinished(start: number, end: number, quote: string): void {
    this.#diagnostics.report(start, 'unfinishedString', quote)
    this.#emit(Token.Broken, start, Math.min(end, this.#source.length))
  }

  /**
   * The offset at which a string continues after an escape. CR LF and LF CR count as one line break, and `\z`
   * skips whitespace and line breaks.
   */
  #escapeEnd(at: number): number {
    const source = this.#source
    const code = source.charCodeAt(at + 1)
    if (code === Char.carriageReturn && source.charCodeAt(at + 2) === Char.newline) return at + 3
    if (code === Char.newline && source.charCodeAt(at + 2) === Char.carriageReturn) return at + 3
    if (code !== 122) return at + 2
    let end = at + 2
    while (((charClasses[source.charCodeAt(end)] ?? 0) & CharClass.space) !== 0) end += 1
    return end
  }

  /**
   * Reads a piece of an interpolated string, starting from its backtick or from the `}` that closes a
   * value.
   */
  #interpolated(start: number, isContinued: boolean): void {
    const source = this.#source
    if (isContinued) this.#braces.pop()
    let at = start + 1
    while (at < source.length) {
      const code = source.charCodeAt(at)
      if (code === Char.backtick || code === Char.braceOpen) break
      if (code === Char.newline || code === Char.carriageReturn) break
      at = this.#interpolatedEscapeEnd(at, code)
    }
    const code = source.charCodeAt(at)
    if (code === Char.braceOpen) this.#interpolatedValue(start, at, isContinued)
    else if (code !== Char.backtick) this.#unfinished(start, at, '`')
    else this.#emit(isContinued ? Token.LastInterpolated : Token.WholeInterpolated, start, at + 1)
  }

  /** The brace of `\u{…}` does not open a value. */
  #interpolatedEscapeEnd(at: number, code: number): number {
    if (code !== Char.backslash) return at + 1
    const isUnicode = this.#source.startsWith('u{', at + 1)
    return isUnicode ? at + 3 : this.#escapeEnd(at)
  }

  #interpolatedValue(start: number, brace: number, isContinued: boolean): void {
    if (this.#source.charCodeAt(brace + 1) === Char.braceOpen) this.#diagnostics.report(brace, 'doubleBrace')
    this.#emit(isContinued ? Token.MiddleInterpolated : Token.FirstInterpolated, start, brace + 1)
    this.#braces.push(0)
  }

  #bracket(start: number): void {
    const open = longBracketLength(this.#source, start)
    if (open > 0) {
      this.#emit(Token.LongString, start, this.#longEnd(start, open, 'unfinishedLongString'))
      return
    }
    if (this.#source.charCodeAt(start + 1) === Char.equal) this.#diagnostics.report(start, 'badLongBracket')
    this.#emit(Token.BracketOpen, start, start + 1)
  }

  #symbol(start: number, code: number): void {
    for (const [text, kind] of symbols[code] ?? []) {
      if (text.length > 1 && !this.#source.startsWith(text, start)) continue
      const lua = foreign.get(text)
      if (lua !== undefined && !this.#syntax.operatorsOfC)
        this.#diagnostics.report(start, 'foreignOperator', text, lua)
      if (kind === Token.BraceOpen || kind === Token.BraceClose) this.#countBrace(kind)
      this.#emit(kind, start, start + text.length)
      return
    }
    this.#diagnostics.report(start, 'unexpectedCharacter', describeCharacter(code))
    let end = start + 1
    while (this.#isUnknown(this.#source.charCodeAt(end))) end += 1
    this.#emit(Token.Broken, start, end)
  }

  #isUnknown(code: number): boolean {
    if (Number.isNaN(code) || charClasses[code] !== 0 || symbols[code] !== undefined) return false
    return code !== Char.quote && code !== Char.singleQuote && code !== Char.backtick
  }

  #countBrace(kind: TokenKind): void {
    const last = this.#braces.length - 1
    if (last < 0) return
    this.#braces[last] = (this.#braces[last] ?? 0) + (kind === Token.BraceOpen ? 1 : -1)
  }
}

function describeCharacter(code: number): string {
  const isPrintable = code > 32 && code < 127
  return isPrintable ? `'${String.fromCharCode(code)}'` : `the byte ${code}`
}

function makeSymbols(list: readonly (readonly [string, TokenKind])[]) {
  const table: (readonly [string, TokenKind])[][] = []
  for (const symbol of list) {
    const code = symbol[0].charCodeAt(0)
    const sameStart = table[code] ?? []
    sameStart.push(symbol)
    table[code] = sameStart
  }
  return table
}

function makeCharClasses(): Uint8Array {
  const classes = new Uint8Array(256)
  const add = (from: number, to: number, bits: number) => {
    for (let code = from; code <= to; code++) classes[code] = (classes[code] ?? 0) | bits
  }
  const letter = CharClass.nameStart | CharClass.namePart
  add(65, 90, letter)
  add(97, 122, letter)
  add(95, 95, letter)
  add(128, 255, letter)
  add(48, 57, CharClass.digit | CharClass.namePart | CharClass.hex)
  add(65, 70, CharClass.hex)
  add(97, 102, CharClass.hex)
  add(9, 13, CharClass.space)
  add(32, 32, CharClass.space)
  return classes
}
