/**
 * The state shared by all parser modules: the token position, the diagnostics, the nesting limit and the
 * current function. It contains no grammar.
 */

import type { DiagnosticArguments, DiagnosticName, Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Bytes, Expression } from './ast.ts'
import { accepts, type Dialect, dialectWords, type Escapes, type Feature, featureWords } from './dialect.ts'
import { Token, type TokenKind, type Tokens } from './tokens.ts'

/**
 * The nesting limit inside a top-level statement: 1,000 levels, five times Lua 5.1's limit. The statement
 * itself takes two levels.
 */
const MAX_NESTING = 1002

/**
 * Thrown after a diagnostic to abandon the current statement. The enclosing block continues after that
 * statement.
 */
export class SyntaxStop extends Error {}

/** Productions that refer to each other across files. They are passed in to avoid an import cycle. */
export type Grammar = {
  readonly block: (reader: Reader) => Block
  readonly expression: (reader: Reader) => Expression
  /** Parses a type. Only the names in it are kept, because types have no effect at run time. */
  readonly type: (reader: Reader) => void
}

/** The input of a parse, and the collector for its diagnostics. */
export type Input = {
  readonly source: Bytes
  readonly tokens: Tokens
  readonly dialect: Dialect
  readonly escapes: Escapes
  readonly diagnostics: Diagnostics
}

/** The constructs that are allowed in the body of a function. */
type FunctionState = { isVararg: boolean; loops: number; isMain?: true }

/** The state of one parse. */
export class Reader {
  readonly source: string
  readonly dialect: Dialect
  readonly escapes: Escapes
  readonly diagnostics: Diagnostics
  readonly grammar: Grammar
  /** The kind of the current token. */
  kind: TokenKind = Token.End
  /** The offset of the current token. */
  at = 0
  /**
   * The number of open constructs that need an `end` or `until`. Recovery uses it to count the constructs
   * that were abandoned.
   */
  open = 0
  /** The current function. The chunk itself takes `...`. */
  func: FunctionState = { isVararg: true, loops: 0, isMain: true }
  symbolCount = 0
  readonly functionEnds = new Map<number, number>()
  /** The names that the chunk exports, and the names of its classes. */
  readonly exports = new Set<Bytes>()
  readonly classes = new Set<Bytes>()
  /** The types that the source declares, generic ones included, with the types in their declarations. */
  readonly types = new Map<Bytes, readonly Bytes[]>()
  /** Collects the types in the current annotation; null outside of those that are kept. */
  mentioned: Bytes[] | null = null
  /** The first `return` at the top level of the chunk. */
  mainReturn: number | null = null
  /** Whether the source contains syntax that Lua 5.1 rejects. */
  isNewer = false
  /** Whether an escape was read as in Lua 5.1 although it has a different value in newer dialects. */
  hasDroppedEscapes = false
  /** The start of the last `DEFINE_BASECLASS` statement; -1 if there was none. */
  baseClassAt = -1
  /** The last expression in parentheses. It can be called or indexed, but not assigned to. */
  grouped: Expression | null = null

  readonly #tokens: Tokens
  #i = 0
  #depth = 0
  /**
   * The deepest level within the current expression. Chains such as `a.b.c` nest to the left, so their depth
   * is known only at the end.
   */
  #deepest = 0
  /** The position of the last diagnostic, whether or not it was dropped; -1 if there was none. */
  #lastComplaint = -1
  #isStopped = false

  constructor(input: Input, grammar: Grammar) {
    this.source = input.source
    this.#tokens = input.tokens
    this.dialect = input.dialect
    this.escapes = input.escapes
    this.diagnostics = input.diagnostics
    this.grammar = grammar
    this.#load()
  }

  // --- token position ---

  /** Skips the current token. @returns its offset. */
  advance(): number {
    const at = this.at
    if (this.kind !== Token.End) this.#i += 1
    this.#load()
    return at
  }

  #load(): void {
    this.kind = this.#tokens.kinds[this.#i] as TokenKind
    this.at = this.#tokens.starts[this.#i] as number
  }

  /** The kind of a token after the current one; 1 is the next token. */
  peek(ahead: number): TokenKind {
    const i = this.#i + ahead
    return i < this.#tokens.count ? (this.#tokens.kinds[i] as TokenKind) : Token.End
  }

  /** The index of the current token. Callers compare it to detect whether any token was consumed. */
  get index(): number {
    return this.#i
  }

  text(ahead = 0): Bytes {
    const i = this.#i + ahead
    return this.source.slice(this.#tokens.starts[i], this.#tokens.ends[i])
  }

  /**
   * Whether a token is this contextual keyword, which the lexer treats as a name. `ahead` is 0 for the
   * current token.
   */
  isWord(word: string, ahead = 0): boolean {
    const i = this.#i + ahead
    if (this.peek(ahead) !== Token.Name) return false
    const start = this.#tokens.starts[i] as number
    return this.#tokens.ends[i] === start + word.length && this.source.startsWith(word, start)
  }

  /** Whether the current token is a name that Garry's Mod replaces with the start of a statement. */
  isBaseClass(): boolean {
    return this.dialect === 'gmod' && this.isWord('DEFINE_BASECLASS')
  }

  /** Whether the current token is the first on its line. */
  startsLine(): boolean {
    return this.#i === 0 || this.#hasLineEnd(this.#tokens.ends[this.#i - 1] as number, this.at)
  }

  /** Whether the next token directly follows the current one. */
  isJoined(): boolean {
    return this.#tokens.ends[this.#i] === this.#tokens.starts[this.#i + 1]
  }

  /** Skips the current token if it is of this kind. */
  take(kind: TokenKind): boolean {
    if (this.kind !== kind) return false
    this.advance()
    return true
  }

  /** Skips a required token. The message is `expected {what} {where}`. */
  expect(kind: TokenKind, what: string, where: string): void {
    if (!this.take(kind)) this.fail('expected', what, where, this.found())
  }

  /**
   * Like `expect`, but a missing keyword is reported and parsing continues as if it were present. Used for
   * keywords that are often forgotten.
   */
  expectWord(kind: TokenKind, what: string, where: string): void {
    if (this.take(kind)) return
    if (this.kind === Token.Assign) this.fail('assignInCondition')
    this.complain(this.at, 'expected', what, where, this.found())
    if (!this.startsLine()) throw new SyntaxStop()
  }

  /** Skips the token that closes a construct opened at `from`. */
  close(kind: TokenKind, close: string, opener: string, from: number): void {
    if (this.take(kind)) return
    this.fail('unclosed', close, opener, this.diagnostics.lineOf(from), this.found())
  }

  /** Reads a name. `where` describes its role in the error message. */
  name(where: string): Bytes {
    if (this.kind !== Token.Name) this.fail('expected', 'a name', where, this.found())
    if (this.isBaseClass()) this.fail('baseClassPlace')
    const name = this.text()
    this.#checkBytes(name)
    this.advance()
    return name
  }

  #checkBytes(name: Bytes): void {
    if (this.dialect !== 'any' && /[\x80-\xff]/.test(name)) this.needs('bytesInNames', this.at)
  }

  /** Declares a symbol for a name at an offset. */
  bind(name: Bytes, at: number, isConst: boolean): Binding {
    return { kind: 'Binding', at, symbol: this.symbolCount++, name, isConst }
  }

  // --- diagnostics ---

  /** The current token as quoted in messages. */
  found(): string {
    if (this.kind === Token.End) return 'the end of the file'
    const text = this.text().replace(/[^\x20-\x7e]+/g, ' ')
    return text.length > 24 ? `'${text.slice(0, 21)}...'` : `'${text}'`
  }

  /** Reports a diagnostic at the current token and abandons the statement. */
  fail<N extends DiagnosticName>(name: N, ...words: DiagnosticArguments<N>): never {
    this.complain(this.at, name, ...words)
    throw new SyntaxStop()
  }

  /** Reports a diagnostic at an earlier position and abandons the statement. */
  failAt<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): never {
    this.complain(at, name, ...words)
    throw new SyntaxStop()
  }

  /**
   * Reports a diagnostic and continues. A second diagnostic on the same line is usually a consequence of
   * the first, so it is dropped.
   */
  complain<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): void {
    if (this.#isStopped || this.kind === Token.Broken) return
    const isShadow = this.#lastComplaint >= 0 && !this.#hasLineEnd(this.#lastComplaint, at)
    this.#lastComplaint = at
    if (!isShadow) this.diagnostics.report(at, name, ...words)
    if (this.diagnostics.isFull) this.#stop()
  }

  #hasLineEnd(from: number, to: number): boolean {
    for (let at = Math.min(from, to); at < Math.max(from, to); at++) {
      const code = this.source.charCodeAt(at)
      if (code === 10 || code === 13) return true
    }
    return false
  }

  /** Skips to the end of the source, because further diagnostics would be redundant. */
  #stop(): void {
    this.#isStopped = true
    this.#i = this.#tokens.count - 1
    this.#load()
  }

  /** Reports a feature that the dialect of the source does not support. */
  needs(feature: Feature, at: number): void {
    this.isNewer ||= !accepts('lua51', feature)
    if (accepts(this.dialect, feature)) return
    this.complain(at, 'notInDialect', featureWords(feature), dialectWords[this.dialect])
  }

  // --- nesting ---

  /** Enters a nesting level. Every recursive production calls this, and `leave` at its end. */
  enter(): void {
    this.#depth += 1
    if (this.#depth > this.#deepest) this.#deepest = this.#depth
    if (this.#deepest > MAX_NESTING) this.#tooDeep()
  }

  leave(): void {
    this.#depth -= 1
  }

  /**
   * Starts an expression that can become the left operand of a longer one. @returns the argument for
   * `endChain`.
   */
  beginChain(): number {
    const outer = this.#deepest
    this.#deepest = this.#depth
    return outer
  }

  /** Makes the expression so far the left operand of a longer one, and thus one level deeper. */
  wrap(): void {
    this.#deepest += 1
    if (this.#deepest > MAX_NESTING) this.#tooDeep()
  }

  endChain(outer: number): void {
    if (outer > this.#deepest) this.#deepest = outer
  }

  /** The deepest level so far, when no expression is open. */
  get deepest(): number {
    return this.#deepest
  }

  #tooDeep(): never {
    this.complain(this.at, 'tooDeep')
    this.#stop()
    throw new SyntaxStop()
  }

  /** Whether the parser is at the top level of the chunk, outside of all blocks and functions. */
  get isTopLevel(): boolean {
    return this.#depth === 1
  }

  // --- recovery ---

  /** The state that a block restores after an error. */
  mark(): Mark {
    return {
      open: this.open,
      depth: this.#depth,
      deepest: this.#deepest,
      func: this.func,
      loops: this.func.loops,
    }
  }

  restore(mark: Mark): void {
    this.open = mark.open
    this.#depth = mark.depth
    this.#deepest = mark.deepest
    this.func = mark.func
    this.func.loops = mark.loops
  }
}

/**
 * Copies a list without spare capacity. A grown array has room for sixteen more items, which would use most
 * of the memory of a large tree.
 */
export function fitted<T>(list: readonly T[]): readonly T[] {
  return list.slice()
}

export type Mark = {
  readonly open: number
  readonly depth: number
  readonly deepest: number
  readonly func: FunctionState
  readonly loops: number
}
