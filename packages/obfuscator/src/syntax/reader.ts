// What all parts of the parser share: the place in the tokens, the complaints, the nesting limit and what is
// known about the function being read. It knows no grammar.

import type { DiagnosticArguments, DiagnosticName, Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Bytes, Expression } from './ast.ts'
import { accepts, type Dialect, dialectWords, type Feature, featureWords } from './dialect.ts'
import { Token, type TokenKind, type Tokens } from './tokens.ts'

/** Nesting that is accepted: 1,000, five times what Lua 5.1 takes, inside a statement of the chunk, which are two more. */
export const MAX_NESTING = 1002

/** Thrown after a complaint to leave the statement being read; the block around it goes on behind it. */
export class SyntaxStop extends Error {}

/** The productions that refer to each other across files, handed in so that the files need not import in a circle. */
export type Grammar = {
  readonly block: (reader: Reader) => Block
  readonly expression: (reader: Reader) => Expression
  /** Reads a type and forgets it: types have no effect when a script runs. */
  readonly type: (reader: Reader) => void
}

/** What is read, and who hears of what is wrong with it. */
export type Input = {
  readonly source: Bytes
  readonly tokens: Tokens
  readonly dialect: Dialect
  readonly diagnostics: Diagnostics
}

/** What a function allows in its body. */
type FunctionState = { isVararg: boolean; loops: number }

/** The state of one parse. */
export class Reader {
  readonly source: string
  readonly dialect: Dialect
  readonly diagnostics: Diagnostics
  readonly grammar: Grammar
  /** The kind of the current token. */
  kind: TokenKind = Token.End
  /** The offset of the current token. */
  at = 0
  /** How many constructs that need an `end` or `until` are open; recovery counts what it left. */
  open = 0
  /** The function being read; the chunk itself takes `...`. */
  func: FunctionState = { isVararg: true, loops: 0 }
  symbolCount = 0
  /** The last expression that was read in parentheses: it may be called or indexed, but not assigned to. */
  grouped: Expression | null = null

  readonly #tokens: Tokens
  #i = 0
  #depth = 0
  /** The deepest level below the expression being read: chains such as `a.b.c` nest to the left. */
  #deepest = 0
  /** Where the last complaint was made or dropped; -1 before the first. */
  #lastComplaint = -1
  #isStopped = false

  constructor(input: Input, grammar: Grammar) {
    this.source = input.source
    this.#tokens = input.tokens
    this.dialect = input.dialect
    this.diagnostics = input.diagnostics
    this.grammar = grammar
    this.#load()
  }

  // --- place in the tokens ---

  /** Steps over the current token; returns its offset. */
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

  /** The kind of a later token, 1 being the next. */
  peek(ahead: number): TokenKind {
    const i = this.#i + ahead
    return i < this.#tokens.count ? (this.#tokens.kinds[i] as TokenKind) : Token.End
  }

  /** The number of the current token, to see whether anything was consumed. */
  get index(): number {
    return this.#i
  }

  text(ahead = 0): Bytes {
    const i = this.#i + ahead
    return this.source.slice(this.#tokens.starts[i], this.#tokens.ends[i])
  }

  /** Whether a later token is this word, 0 being the current: `type` and its like are names to the lexer. */
  isWord(word: string, ahead = 0): boolean {
    const i = this.#i + ahead
    if (this.peek(ahead) !== Token.Name) return false
    const start = this.#tokens.starts[i] as number
    return this.#tokens.ends[i] === start + word.length && this.source.startsWith(word, start)
  }

  /** Whether the current token is the first of its line. */
  startsLine(): boolean {
    return this.#i === 0 || this.#hasLineEnd(this.#tokens.ends[this.#i - 1] as number, this.at)
  }

  /** Steps over a token if it is there. */
  take(kind: TokenKind): boolean {
    if (this.kind !== kind) return false
    this.advance()
    return true
  }

  /** Steps over a token that must be there; `what` and `where` make the complaint: `expected {what} {where}`. */
  expect(kind: TokenKind, what: string, where: string): void {
    if (!this.take(kind)) this.fail('expected', what, where, this.found())
  }

  /** As `expect`, for a word that readers forget: its absence is reported and reading goes on as if it stood there. */
  expectWord(kind: TokenKind, what: string, where: string): void {
    if (this.take(kind)) return
    if (this.kind === Token.Assign) this.fail('assignInCondition')
    this.complain(this.at, 'expected', what, where, this.found())
    if (!this.startsLine()) throw new SyntaxStop()
  }

  /** The word or symbol that closes what was opened at `from`. */
  close(kind: TokenKind, close: string, opener: string, from: number): void {
    if (this.take(kind)) return
    this.fail('unclosed', close, opener, this.diagnostics.lineOf(from), this.found())
  }

  /** A name, where `where` says what for. */
  name(where: string): Bytes {
    if (this.kind !== Token.Name) this.fail('expected', 'a name', where, this.found())
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

  // --- complaints ---

  /** The current token as a complaint quotes it. */
  found(): string {
    if (this.kind === Token.End) return 'the end of the file'
    const text = this.text().replace(/[^\x20-\x7e]+/g, ' ')
    return text.length > 24 ? `'${text.slice(0, 21)}...'` : `'${text}'`
  }

  /** Complains at the current token and leaves the statement. */
  fail<N extends DiagnosticName>(name: N, ...words: DiagnosticArguments<N>): never {
    this.complain(this.at, name, ...words)
    throw new SyntaxStop()
  }

  /** Complains at an earlier place and leaves the statement. */
  failAt<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): never {
    this.complain(at, name, ...words)
    throw new SyntaxStop()
  }

  /** Complains and reads on. A second complaint on one line is most often the shadow of the first: it is dropped. */
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

  /** Goes to the end of the source: what follows could only repeat what was said. */
  #stop(): void {
    this.#isStopped = true
    this.#i = this.#tokens.count - 1
    this.#load()
  }

  /** Complains when the dialect of the source lacks a feature. */
  needs(feature: Feature, at: number): void {
    if (accepts(this.dialect, feature)) return
    this.complain(at, 'notInDialect', featureWords(feature), dialectWords[this.dialect])
  }

  // --- nesting ---

  /** Goes one level down. Every production that can contain itself does, and comes back by `leave`. */
  enter(): void {
    this.#depth += 1
    if (this.#depth > this.#deepest) this.#deepest = this.#depth
    if (this.#deepest > MAX_NESTING) this.#tooDeep()
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Begins an expression that may grow to the left; returns what `endChain` wants back. */
  beginChain(): number {
    const outer = this.#deepest
    this.#deepest = this.#depth
    return outer
  }

  /** The expression read so far becomes the left part of a longer one, so all of it is one level deeper. */
  wrap(): void {
    this.#deepest += 1
    if (this.#deepest > MAX_NESTING) this.#tooDeep()
  }

  endChain(outer: number): void {
    if (outer > this.#deepest) this.#deepest = outer
  }

  /** The most levels so far, once no expression is being read. */
  get deepest(): number {
    return this.#deepest
  }

  #tooDeep(): never {
    this.complain(this.at, 'tooDeep')
    this.#stop()
    throw new SyntaxStop()
  }

  // --- recovery ---

  /** What a block must put back before it goes on behind a complaint. */
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
 * A list that takes no more memory than its items. One that grew has room for sixteen more, which over a whole tree is most
 * of what a walk of a large source reads through.
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
