/** Tokenizes text that may be Lua code, including code that a tool has rewritten. */

import {
  isComparison,
  isOperator,
  numberToken,
  operatorToken,
  signToken,
  type Token,
  wordToken,
} from './tokens.ts'

const LEXEME = new RegExp(
  [
    String.raw`(?<open>(?:--)?\[(?<level>={0,8})\[)|--[^\n]*`,
    String.raw`"(?<double>(?:[^"\\\n]|\\[\s\S])*)"?|'(?<single>(?:[^'\\\n]|\\[\s\S])*)'?`,
    String.raw`(?<number>0[xX][\da-fA-F_]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<name>[A-Za-z_]\w*)`,
    String.raw`(?<sign>\.\.\.?|[~<>=]=|[{}()[\]*/%^#.:=,;<>])`,
  ].join('|'),
  'g',
)

type Lexeme = Partial<Record<'open' | 'level' | 'double' | 'single' | 'number' | 'name' | 'sign', string>>

/**
 * Returns the tokens of a text. Bare names may be locals, so they are encoded as negative numbers: `-1 -
 * token`.
 *
 * @param text one character per byte
 */
export function readText(text: string): readonly number[] {
  const reader = new TextReader()
  const lexer = new RegExp(LEXEME)
  const unclosed = new Set<string>()
  for (let found = lexer.exec(text); found; found = lexer.exec(text)) {
    const { open, level = '', ...lexeme } = (found.groups ?? {}) as Lexeme
    if (open === undefined) {
      reader.take(lexeme)
      continue
    }
    const close = `]${level}]`
    const end = unclosed.has(close) ? -1 : text.indexOf(close, lexer.lastIndex)
    // Each bracket level is searched only once, because a text may consist of nothing but opening brackets.
    if (end < 0) unclosed.add(close)
    else {
      if (!open.startsWith('--')) reader.take({ double: '' }, text.slice(lexer.lastIndex, end))
      lexer.lastIndex = end + close.length
    }
  }
  reader.take({})
  return reader.tokens
}

/**
 * @param globals the bare names to keep as tokens. All other bare names are treated as locals and dropped.
 */
export function tokensOf(read: readonly number[], globals: ReadonlySet<Token>): Token[] {
  const tokens: Token[] = []
  for (const each of read) {
    if (each >= 0) tokens.push(each)
    else if (globals.has(-1 - each)) tokens.push(-1 - each)
  }
  return tokens
}

const CONSTANTS: ReadonlySet<string> = new Set(['nil', 'true', 'false'])

/** Keywords that open a block. `do` also covers loops. */
const OPENING: ReadonlySet<string> = new Set(['function', 'do', 'if', 'repeat'])

class TextReader {
  readonly tokens: number[] = []
  readonly #brackets: string[] = []
  #before = ''
  #isAfterConstant = false
  /** The last name, which is a table key if an equals sign follows. */
  #name = ''
  /** The last comparison operator, and the index of its token. */
  #compared: { readonly sign: string; readonly at: number } | null = null

  /** @param long the contents of a long-bracket string */
  take({ double, single, number, name, sign }: Lexeme, long?: string): void {
    const string = double ?? single
    const isConstant = string !== undefined || number !== undefined || CONSTANTS.has(name ?? '')
    if (isConstant && this.#compared) {
      this.tokens[this.#compared.at] = operatorToken(this.#compared.sign, 'behind')
    }
    this.#compared = null
    if (this.#name !== '') this.#bare(sign ?? '')
    if (string !== undefined) this.#string(long ?? unescaped(string))
    else if (number !== undefined) this.tokens.push(numberToken(Number(number.replaceAll('_', ''))))
    else if (name !== undefined) this.#named(name)
    else if (sign !== undefined) this.#sign(sign)
    this.#before = sign ?? name ?? ''
    this.#isAfterConstant = isConstant
  }

  #string(text: string): void {
    if (text !== '') this.tokens.push(wordToken(text))
  }

  #named(name: string): void {
    if (OPENING.has(name)) this.#brackets.push(name)
    if (name === 'end' || name === 'until') this.#brackets.pop()
    if (this.#before === '.' || this.#before === ':') this.tokens.push(wordToken(name))
    else if (name === 'nil' && isEquality(this.#before)) this.tokens.push(signToken('nil'))
    else if (name === 'true' || name === 'false') this.tokens.push(signToken(name))
    else this.#name = name
  }

  #bare(next: string): void {
    const isKey = next === '=' && this.#brackets.at(-1) === '{'
    const token = wordToken(this.#name)
    if (this.#name !== 'nil') this.tokens.push(isKey ? token : -1 - token)
    else if (isEquality(next)) this.tokens.push(signToken('nil'))
    this.#name = ''
  }

  #sign(sign: string): void {
    if (sign === '{' || sign === '(' || sign === '[') this.#brackets.push(sign)
    if (sign === '}' || sign === ')' || sign === ']') this.#brackets.pop()
    if (sign === '{' || sign === '#') this.tokens.push(signToken(sign))
    if (!isOperator(sign)) return
    const side = this.#isAfterConstant ? 'before' : ''
    if (isComparison(sign) && side === '') this.#compared = { sign, at: this.tokens.length }
    this.tokens.push(operatorToken(sign, side))
  }
}

function isEquality(sign: string): boolean {
  return sign === '==' || sign === '~='
}

/** Decodes the escape sequences in a Lua string to bytes. */
function unescaped(text: string): string {
  return text.replace(/\\(?:(\d{1,3})|x([0-9a-fA-F]{2})|z\s*|([\s\S]))/g, decode)
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

function decode(_: string, ...parts: readonly (string | undefined)[]): string {
  const [decimal, hex, other = ''] = parts
  if (decimal !== undefined) return String.fromCharCode(Number(decimal))
  return hex === undefined ? (ESCAPES[other] ?? other) : String.fromCharCode(Number.parseInt(hex, 16))
}
