/**
 * Every diagnostic about a source: its name, message and position. A message states what was found and how
 * to fix it. Diagnostics are reported where the error is detected.
 */

import type { JoinedText } from './modules/joined-text.ts'

/**
 * A diagnostic with its position. `line` and `column` are 1-based; a column is one character if the source
 * is UTF-8.
 */
export type Diagnostic = {
  readonly name: DiagnosticName
  /** Path of the file in its source tree; null for a single-file source. */
  readonly file: string | null
  readonly line: number
  readonly column: number
  readonly message: string
}

/** `line` and `column` are 1-based; `file` is null for a single-file source. */
export type Located = { readonly file: string | null; readonly line: number; readonly column: number }

export type DiagnosticName = keyof typeof messages

/** Maximum number of diagnostics per run; the rest are dropped. */
export const MAX_DIAGNOSTICS = 20

const messages = {
  // Lexer
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
  badUnicodeEscape: (last: string) => `'\\u' needs a code point up to ${last} in braces, as in '\\u{20AC}'`,
  doubleBrace: () => "'{{' is not allowed in an interpolated string: write '\\{' for a brace",

  // Parser
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
  repeatedAttribute: (name: string) => `'@${name}' is repeated here: remove one`,
  expectedType: (found: string) => `expected a type, found ${found}`,
  interpolatedType: () => 'an interpolated string is not a type: use a plain string in quotes',
  attributeNeedsFunction: (found: string) =>
    `expected 'function', 'local function', 'const function' or 'export function' after the attribute, found ${found}`,
  attributeArgument: () => 'an attribute takes one table of constants, as in @[deprecated {use = "f"}]',
  lua54Attribute: () =>
    "'<const>' and '<close>' are Lua 5.4: choose the target 'lua54', remove it, or write 'const' before the name",
  unknownAttribute: (name: string) => `'<${name}>' is no attribute: write '<const>' or '<close>'`,
  severalClose: () => "only one variable of a 'local' can be closed: write it once for each",
  strayStatementEnd: () => "';' may only follow a statement: remove it",
  exportPlace: () => "'export' must stand outside of all blocks and functions: move it there",
  exportFunction: () => "an exported function is a constant: write 'export function'",
  repeatedExport: (name: string) => `'${name}' is exported twice: rename one, or assign to the first`,
  returnAndExport: () =>
    "a script that exports values cannot return others: remove the 'return', or put the values into one table",
  classPlace: () => 'a class must stand outside of all blocks and functions: move it there',
  classMember: (found: string) => `expected 'public', 'function' or 'end' in the class, found ${found}`,
  repeatedClass: (name: string) => `there are two classes '${name}': rename one`,
  repeatedMember: (name: string) => `the class has two members '${name}': rename one`,
  memberNew: () => "'new' is what makes an instance: rename this, or write '__init' for a constructor",
  fieldName: (name: string) => `'${name}' cannot be a field: names that begin with '__' are reserved`,
  methodName: (name: string) =>
    `'${name}' cannot be a method: of names that begin with '__' only '__init' and those of operators are allowed`,
  initNeedsSelf: (name: string) =>
    `'__init' of '${name}' must take 'self': write 'function __init(self, ...)'`,
  mixedTypes: () => "'|' and '&' cannot be mixed: group one of them with parentheses",
  tooDeep: () => 'this is nested too deeply (more than 1,000 levels): move a part into a local or a function',
  notInDialect: (feature: string, dialect: string) => `${feature}: not part of ${dialect}`,

  // Macros
  macroNeeds: (name: string, example: string) =>
    `'${name}' takes exactly one argument, written in place: write ${example}`,
  macroTakesNothing: (name: string) => `'${name}' takes no argument: write ${name}()`,
  macroNotCalled: (name: string) =>
    `'${name}' must be called in place and is not a value: only a fallback may be assigned to it, as in ${name} = ${name} or function(f) return f end`,
  macroIsValue: (name: string) => `'${name}' is true in protected scripts and cannot be called or assigned`,
  macroKey: (name: string) =>
    `the key of '${name}' must be a text of 3 to 64 bytes, written in place: write ${name}(..., 'the key', expression)`,
  macroKeyVararg: (name: string) =>
    `'...' means something else inside of '${name}': put it into a local before, and compare that`,
  macroPreset: (name: string) =>
    `'${name}' takes 'light', 'balanced' or 'strong' and a function, written in place: write ${name}('balanced', function(...) ... end)`,
  attributePlace: (name: string) =>
    `'${name}' must be a statement of a function, not inside of its blocks: write it at the start of the function`,
  attributeUnknown: (name: string) =>
    `this is no attribute of '${name}' that is known here: write VM(NONE), PRESET(FAST), PRESET(BALANCED) or PRESET(SECURE)`,
  macroIsStatement: (name: string) =>
    `'${name}' is a statement and has no value: write it on a line of its own`,
  variableNotCalled: (name: string) => `'${name}' is a value and cannot be called: remove the '()'`,
  foreignUnknown: (name: string, nearest: string | null) =>
    nearest === null
      ? `'${name}' is no macro and no variable that is known here: remove it, or assign it in the script`
      : `'${name}' is no macro and no variable that is known here: write '${nearest}', or assign it in the script`,
  foreignRefused: (name: string, cure: string) => `'${name}' cannot be had here: ${cure}`,
  webhookNeedsService: (name: string) =>
    `'${name}' needs the service, which keeps the address and sends: upload the script, since a file of its own cannot send`,
  webhookArguments: (name: string) =>
    `'${name}' takes an address and a table, both written in place: write ${name}('https://...', { content = 'text' })`,
  webhookMembers: (name: string) =>
    `the table of '${name}' is the message and needs members with names: write { content = 'text' }`,
  webhookMixed: () =>
    'a table of a message has members with names or is a list, not both: put the list into a member',
  webhookKey: () => "a name in a message must be a text: write name = value or ['name'] = value",
  webhookText: () =>
    'a text of a message must be UTF-8: save the file as UTF-8, or write the bytes as \\u{...}',
  webhookTooMany: (limit: number) =>
    `a script has at most ${limit} webhooks: send from one place, in a function with parameters`,
  webhookValues: (limit: number) => `a message has at most ${limit} values: put some together with ..`,
  cleanArguments: (name: string) =>
    `'${name}' takes an expression and a pattern, which is written in place: write ${name}(expression, '[a-z0-9]{1,20}')`,
  cleanPlace: (name: string) =>
    `'${name}' checks a value of a message: write it inside of the table of WARD_WEBHOOK`,
  macroUnused: (name: string) =>
    `the result of '${name}' is dropped here: assign it to a variable or call it`,

  // Name resolution, lowering and host limits
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

  // Modules
  moduleMissing: (stem: string) =>
    `there is no '${stem}.lua', '${stem}.luau' or '${stem}/init.lua' among the files: add it, or correct the path`,
  moduleElsewhere: (stem: string, instead: string) =>
    `there is no '${stem}.lua' among the files: '@self' is the folder of this module, so write '${instead}'`,
  moduleAmbiguous: (paths: string) => `this could be ${paths}: rename all but one`,
  moduleOutside: () =>
    'this leads out of the folder of the files: choose a folder that holds all of them, or move the file into it',
  moduleCycle: (chain: string) =>
    `these files require each other before any of them is ready, ${chain}: move one 'require' into the function that needs it`,
  mainRequired: () =>
    'this is the main file, which runs by itself and cannot be required: move what is shared to a file of its own',
  requireAssigned: () =>
    "'require' is assigned here, so it is not known which file a call of it means: use another name",
  luaurc: (what: string) => what,
} as const

/** The arguments of a diagnostic's message. */
export type DiagnosticArguments<N extends DiagnosticName> = Parameters<(typeof messages)[N]>

/** Collects the diagnostics of one run over one source and converts offsets to lines and columns. */
export class Diagnostics {
  readonly #source: string | JoinedText
  readonly #lineEnds = new Map<string, readonly number[]>()
  readonly #found: { readonly name: DiagnosticName; readonly at: number; readonly message: string }[] = []

  /** @param source one character per byte, as the lexer reads it. More files may be appended later. */
  constructor(source: string | JoinedText) {
    this.#source = source
  }

  /** Records a diagnostic at an offset. Only the first diagnostic per offset is kept. */
  report<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): void {
    if (this.isFull || this.#found.some((other) => other.at === at)) return
    const say = messages[name] as (...words: DiagnosticArguments<N>) => string
    this.#found.push({ name, at, message: say(...words) })
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  /** Whether further diagnostics would be dropped, so that a caller can stop checking. */
  get isFull(): boolean {
    return this.#found.length >= 2 * MAX_DIAGNOSTICS
  }

  /** The 1-based line of an offset within its file. */
  lineOf(at: number): number {
    const { text, from } = this.#fileAt(at)
    const ends = this.#lineEnds.get(text) ?? lineEnds(text)
    this.#lineEnds.set(text, ends)
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < at - from) low = middle + 1
      else high = middle
    }
    return low + 1
  }

  /** `line 12`, or `line 12 of lib/a.lua` in a source tree. */
  placeOf(at: number): string {
    const { path } = this.#fileAt(at)
    return `line ${this.lineOf(at)}${path === null ? '' : ` of ${path}`}`
  }

  /** The file (in a source tree), line and column of an offset. */
  locate(at: number): Located {
    const { path, text, from } = this.#fileAt(at)
    return { file: path, ...positionOf(text, at - from) }
  }

  /** The diagnostics in source order, at most `MAX_DIAGNOSTICS`. */
  list(): readonly Diagnostic[] {
    const sorted = this.#found.toSorted((a, b) => a.at - b.at).slice(0, MAX_DIAGNOSTICS)
    return sorted.map(({ name, at, message }) => ({ name, ...this.locate(at), message }))
  }

  #fileAt(at: number): { readonly path: string | null; readonly text: string; readonly from: number } {
    if (typeof this.#source === 'string') return { path: null, text: this.#source, from: 0 }
    return this.#source.fileAt(at)
  }
}

/**
 * The diagnostics of one file in a source tree. Its offsets are relative to the start of the file, as its
 * parser counts them.
 */
export class FileDiagnostics extends Diagnostics {
  readonly #whole: Diagnostics
  readonly #from: number

  constructor(whole: Diagnostics, { text, from }: { readonly text: string; readonly from: number }) {
    super(text)
    this.#whole = whole
    this.#from = from
  }

  override report<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): void {
    super.report(at, name, ...words)
    this.#whole.report(at + this.#from, name, ...words)
  }

  override get isFull(): boolean {
    return this.#whole.isFull
  }
}

/** Formats a diagnostic for the author: `line 12, column 7: expected …`. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  return `line ${diagnostic.line}, column ${diagnostic.column}: ${diagnostic.message}`
}

/** Offsets of the last byte of each line terminator. */
function lineEnds(source: string): number[] {
  return [...source.matchAll(/\n|\r(?!\n)/g)].map(({ index }) => index)
}

/** The 1-based line and column of an offset. UTF-8 continuation bytes do not count as columns. */
function positionOf(source: string, at: number): { readonly line: number; readonly column: number } {
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
