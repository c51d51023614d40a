/**
 * Every diagnostic about a source: its name, its text and its position. The text says what was found and how
 * to fix it. The code that finds a problem reports it here.
 */

/**
 * A diagnostic with its position. `line` and `column` count from 1; a column is a character when the source
 * is UTF-8.
 */
export type Diagnostic = {
  readonly name: DiagnosticName
  readonly line: number
  readonly column: number
  readonly message: string
}

export type DiagnosticName = keyof typeof messages

/** Further diagnostics of a run are dropped. */
export const MAX_DIAGNOSTICS = 20

const messages = {
  // Lexer.
  unexpectedCharacter: (character: string) => `${character} has no meaning in Lua: remove it`,
  foreignOperator: (found: string, lua: string) => `'${found}' is not an operator of Lua: write '${lua}'`,
  malformedNumber: (text: string) =>
    `'${text}' is not a number: separate it from what follows, or correct it`,
  unfinishedString: (quote: string) => `this string is not closed: add the closing ${quote}`,
  unfinishedLongString: (close: string) => `this long string is not closed: add '${close}'`,
  unfinishedComment: (close: string) => `this comment is not closed: add '${close}'`,
  badLongBracket: () => "'[' followed by '=' must be a long string: write '[=[' or remove the '='",
  escapeTooLarge: (text: string) => `'${text}' is above 255: a decimal escape is one byte`,
  badHexEscape: () => "'\\x' needs two hexadecimal digits, as in '\\x0A'",
  badUnicodeEscape: () => "'\\u' needs a code point up to 10FFFF in braces, as in '\\u{20AC}'",
  doubleBrace: () => "'{{' is not allowed in an interpolated string: write '\\{' for a brace",

  // Parser.
  expected: (what: string, where: string, found: string) => `expected ${what} ${where}, found ${found}`,
  unclosed: (close: string, opener: string, line: number, found: string) =>
    `expected '${close}' to close '${opener}' at line ${line}, found ${found}`,
  expectedExpression: (found: string) => `expected an expression, found ${found}`,
  expectedStatement: (found: string) => `expected a statement, found ${found}`,
  strayEnd: (found: string) => `${found} closes nothing: remove it, or open the block that it should close`,
  assignInCondition: () => "'=' assigns and is not allowed here: write '==' to compare",
  incompleteStatement: () => 'an expression alone is not a statement: call it or assign it to a variable',
  cannotAssign: () => 'this cannot be assigned to: only variables and fields can',
  compoundNeedsOne: () => 'compound assignment takes one variable and one value: write it once for each',
  ambiguousCall: () =>
    "this '(' could call the expression on the line above: put ';' before it, or move it up to that line",
  notLast: (word: string) => `'${word}' must be the last statement of its block: write 'do ${word} end'`,
  breakOutsideLoop: () => "'break' must be inside a loop: use 'return' to leave a function",
  continueOutsideLoop: () => "'continue' must be inside a loop",
  varargOutside: () => "'...' must be inside a function that declares it: add '...' to the parameters",
  parameterAfterVararg: () => "'...' must be the last parameter",
  constNeedsValue: () => "a 'const' must be given as many values as it has names: add '= value'",
  callNeedsParentheses: () => 'an interpolated string as argument needs parentheses: write f(`text`)',
  emptyInterpolation: () => "'{}' holds no expression: write one, or '\\{' for a brace",
  unknownAttribute: (name: string) => `'@${name}' is not an attribute: use @native, @checked or @deprecated`,
  repeatedAttribute: (name: string) => `'@${name}' is repeated here: remove one`,
  expectedType: (found: string) => `expected a type, found ${found}`,
  interpolatedType: () => 'an interpolated string is not a type: use a plain string in quotes',
  attributeNeedsFunction: (found: string) =>
    `expected 'function', 'local function' or 'const function' after the attribute, found ${found}`,
  attributeArgument: () => 'an attribute takes one table of constants, as in @[deprecated {use = "f"}]',
  lua54Attribute: () => "'<const>' and '<close>' are Lua 5.4: remove it, or write 'const' before the name",
  strayStatementEnd: () => "';' may only follow a statement: remove it",
  mixedTypes: () => "'|' and '&' cannot be mixed: group one of them with parentheses",
  tooDeep: () => 'this is nested too deeply (more than 1,000 levels): move a part into a local or a function',
  notInDialect: (feature: string, dialect: string) => `${feature}: not part of ${dialect}`,

  // Macros.
  macroNeeds: (name: string, example: string) =>
    `'${name}' takes exactly one argument, written in place: write ${example}`,
  macroTakesNothing: (name: string) => `'${name}' takes no argument: write ${name}()`,
  macroNotCalled: (name: string) =>
    `'${name}' must be called in place and is not a value: only a fallback may be assigned to it, as in ${name} = ${name} or function(f) return f end`,
  macroIsValue: (name: string) => `'${name}' is true in protected scripts and cannot be called or assigned`,
  macroUnused: (name: string) =>
    `the result of '${name}' is dropped here: assign it to a variable or call it`,

  // Resolver, lowering and the limits of the hosts.
  assignToConst: (name: string) => `'${name}' is a 'const' and cannot be assigned: declare it with 'local'`,
  unknownLabel: (label: string) =>
    `there is no label '${label}' that this 'goto' can see: put '::${label}::' into this block or an enclosing one`,
  repeatedLabel: (label: string) => `the label '${label}' is declared twice in this block: rename one`,
  jumpIntoLocal: (label: string, name: string) =>
    `'goto ${label}' jumps into the scope of local '${name}': declare '${name}' before the 'goto'`,
  notInTarget: (feature: string, target: string) =>
    `${feature} cannot run on ${target}: rewrite this, or choose a target that has it`,
  continueSkipsLocal: (name: string) =>
    `'continue' skips the local '${name}' that the condition of 'until' needs: declare it before the 'continue'`,
  tooManyLocals: (target: string, limit: number) =>
    `more than ${limit} local variables are alive here, which ${target} refuses: put some into a 'do' block or a table`,
  tooManyUpvalues: (target: string, limit: number) =>
    `this function uses more than ${limit} variables of enclosing functions, which ${target} refuses: put some into a table`,
  tooDeepForTarget: (target: string) =>
    `this is nested too deeply for ${target}: move a part into a local or a function`,
} as const

/** The values that the text of a diagnostic needs. */
export type DiagnosticArguments<N extends DiagnosticName> = Parameters<(typeof messages)[N]>

/** Collects the diagnostics of one run over one source and turns offsets into lines and columns. */
export class Diagnostics {
  readonly #source: string
  readonly #found: { readonly name: DiagnosticName; readonly at: number; readonly message: string }[] = []

  /** @param source one character per byte, as the lexer reads it. */
  constructor(source: string) {
    this.#source = source
  }

  /** Records a diagnostic at an offset. Only the first one at an offset is recorded. */
  report<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): void {
    if (this.isFull || this.#found.some((other) => other.at === at)) return
    const say = messages[name] as (...words: DiagnosticArguments<N>) => string
    this.#found.push({ name, at, message: say(...words) })
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  /** Whether further diagnostics would be dropped, so a caller may stop looking. */
  get isFull(): boolean {
    return this.#found.length >= 2 * MAX_DIAGNOSTICS
  }

  /** The line of an offset, from 1. */
  lineOf(at: number): number {
    return positionOf(this.#source, at).line
  }

  /** The diagnostics in text order, at most `MAX_DIAGNOSTICS`. */
  list(): readonly Diagnostic[] {
    const sorted = this.#found.toSorted((a, b) => a.at - b.at).slice(0, MAX_DIAGNOSTICS)
    return sorted.map(({ name, at, message }) => ({ name, ...positionOf(this.#source, at), message }))
  }
}

/** A diagnostic as the author reads it: `line 12, column 7: expected …`. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  return `line ${diagnostic.line}, column ${diagnostic.column}: ${diagnostic.message}`
}

/** Line and column of an offset, both from 1. Continuation bytes of UTF-8 take no column. */
export function positionOf(source: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1
  let column = 1
  for (let i = 0; i < at; i++) {
    const code = source.charCodeAt(i)
    if (code === 10 || (code === 13 && source.charCodeAt(i + 1) !== 10)) {
      line += 1
      column = 1
    } else if ((code & 0xc0) !== 0x80 && code !== 13) column += 1
  }
  return { line, column }
}
