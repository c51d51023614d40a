/**
 * Every diagnostic about a source, with its name, message and position. A message describes the problem and
 * how to fix it.
 */

import type { JoinedText } from './modules/joined-text.ts'

/**
 * A diagnostic with its position. `line` and `column` are 1-based. Columns count characters if the source is
 * UTF-8, otherwise bytes.
 */
export type Diagnostic = {
  readonly name: DiagnosticName
  /** Path of the file in its source tree; null for a single-file source. */
  readonly file: string | null
  readonly line: number
  readonly column: number
  readonly message: string
}

/** `line` and `column` are 1-based. `file` is null for a single-file source. */
export type Located = { readonly file: string | null; readonly line: number; readonly column: number }

export type DiagnosticName = keyof typeof messages

/** Maximum number of diagnostics per run. Further diagnostics are dropped. */
export const MAX_DIAGNOSTICS = 20

const messages = {
  // Lexer
  unexpectedCharacter: (character: string) => `unexpected character ${character}: remove it`,
  foreignOperator: (found: string, lua: string) => `'${found}' is not a Lua operator: write '${lua}'`,
  malformedNumber: (text: string) =>
    `'${text}' is not a valid number: correct it, or separate it from the characters that follow`,
  unfinishedString: (quote: string) => `this string is not closed: add the closing ${quote}`,
  unfinishedLongString: (close: string) => `this long string is not closed: add '${close}'`,
  unfinishedComment: (close: string) => `this comment is not closed: add '${close}'`,
  badLongBracket: () => "'[' followed by '=' must be a long string: write '[=[' or remove the '='",
  escapeTooLarge: (text: string) => `'${text}' is out of range: a decimal escape must be at most 255`,
  badHexEscape: () => "'\\x' needs two hexadecimal digits, as in '\\x0A'",
  badUnicodeEscape: (last: string) => `'\\u' needs a code point up to ${last} in braces, as in '\\u{20AC}'`,
  doubleBrace: () => "'{{' is not allowed in an interpolated string: write '\\{' for a brace",

  // Parser
  expected: (what: string, where: string, found: string) => `expected ${what} ${where}, found ${found}`,
  unclosed: (close: string, opener: string, line: number, found: string) =>
    `expected '${close}' to close '${opener}' at line ${line}, found ${found}`,
  expectedExpression: (found: string) => `expected an expression, found ${found}`,
  expectedStatement: (found: string) => `expected a statement, found ${found}`,
  strayEnd: (found: string) => `unexpected ${found}: remove it, or open the block that it should close`,
  assignInCondition: () => "'=' is an assignment and not allowed here: use '==' to compare",
  incompleteStatement: () => 'an expression is not a statement: call it or assign it to a variable',
  cannotAssign: () => 'cannot assign to this expression: only variables and fields can be assigned',
  compoundNeedsOne: () =>
    'a compound assignment takes one variable and one value: use a separate statement for each',
  compoundOperator: (operator: string) =>
    `FiveM has no '${operator}=': write the operation out, as in x = x ${operator} 1`,
  hashNeedsAscii: () =>
    "a hash of characters beyond ASCII depends on the computer: write joaat('...'), which is computed where the script runs",
  guardNeedsSuffix: () =>
    "'?' must be followed by a field, a method or a call, as in a?.b, a?[1], a?:b() or a?()",
  safeTarget: () =>
    "'?' can only be in the first variable of an assignment: assign this one in an 'if' statement",
  unpackedNeedsParentheses: () =>
    "'in' needs a name, a field or a call here: put any other expression in parentheses",
  unpackedKey: () =>
    "'in' assigns the field that is named like the variable, and this one has no name: use '=' instead",
  deferStatement: () => "FiveM has no 'defer' statement: write 'local _ <close> = defer(function() ... end)'",
  ambiguousCall: () =>
    "this '(' could be a call on the previous line: put ';' before it, or move it up to that line",
  notLast: (word: string) => `'${word}' must be the last statement of its block: write 'do ${word} end'`,
  breakOutsideLoop: () => "'break' must be inside a loop: use 'return' to leave a function",
  continueOutsideLoop: () => "'continue' must be inside a loop",
  varargOutside: () => "'...' must be inside a function that declares it: add '...' to the parameters",
  parameterAfterVararg: () => "'...' must be the last parameter",
  constNeedsValue: () => "a 'const' needs a value for every name: add '= value'",
  callNeedsParentheses: () => 'an interpolated string needs parentheses as an argument: write f(`text`)',
  emptyInterpolation: () => "'{}' needs an expression: add one, or '\\{' for a brace",
  repeatedAttribute: (name: string) => `duplicate attribute '@${name}': remove one`,
  expectedType: (found: string) => `expected a type, found ${found}`,
  interpolatedType: () => 'an interpolated string is not a type: use a plain string in quotes',
  attributeNeedsFunction: (found: string) =>
    `expected 'function', 'local function', 'const function' or 'export function' after the attribute, found ${found}`,
  attributeArgument: () => 'an attribute takes one table of constants, as in @[deprecated {use = "f"}]',
  lua54Attribute: () =>
    "'<const>' and '<close>' require Lua 5.4: choose the target 'lua54', remove the attribute, or write 'const' before the name",
  unknownAttribute: (name: string) => `unknown attribute '<${name}>': write '<const>' or '<close>'`,
  severalClose: () => "a 'local' can have only one '<close>' variable: declare each one separately",
  strayStatementEnd: () => "';' must follow a statement: remove it",
  exportPlace: () => "'export' must be at the top level: move it out of the block or function",
  exportFunction: () => "an exported function is constant: write 'export function'",
  repeatedExport: (name: string) => `'${name}' is exported twice: rename one, or assign to the first`,
  returnAndExport: () =>
    "a script with exports cannot return other values: remove the 'return', or return everything in one table",
  classPlace: () => 'a class must be at the top level: move it out of the block or function',
  classMember: (found: string) => `expected 'public', 'function' or 'end' in the class, found ${found}`,
  repeatedClass: (name: string) => `duplicate class '${name}': rename one`,
  repeatedMember: (name: string) => `duplicate class member '${name}': rename one`,
  memberNew: () => "'new' is reserved for creating instances: rename this, or use '__init' for a constructor",
  fieldName: (name: string) => `'${name}' cannot be a field: names that start with '__' are reserved`,
  methodName: (name: string) =>
    `'${name}' cannot be a method: among names that start with '__', only '__init' and operator methods are allowed`,
  initNeedsSelf: (name: string) =>
    `'__init' of '${name}' must take 'self': write 'function __init(self, ...)'`,
  baseClassPlace: () =>
    "Garry's Mod replaces 'DEFINE_BASECLASS' with 'local BaseClass = baseclass.Get': use it only as a separate statement, DEFINE_BASECLASS('name')",
  mixedTypes: () => "'|' and '&' cannot be mixed: group one of them with parentheses",
  tooDeep: () =>
    'this is nested too deeply (more than 1,000 levels): move part of it to a local or a function',
  notInDialect: (feature: string, dialect: string) => `${feature}: not supported in ${dialect}`,

  // Macros
  macroNeeds: (name: string, example: string) =>
    `'${name}' takes exactly one argument, written inline: write ${example}`,
  macroTakesNothing: (name: string) => `'${name}' takes no argument: write ${name}()`,
  macroNotCalled: (name: string) =>
    `'${name}' must be called directly and cannot be used as a value: only a fallback can be assigned to it, as in ${name} = ${name} or function(f) return f end`,
  macroIsValue: (name: string) => `'${name}' is true in protected scripts and cannot be called or assigned`,
  macroKey: (name: string) =>
    `the key of '${name}' must be a string literal of 3 to 64 bytes: write ${name}(..., 'the key', expression)`,
  macroKeyVararg: (name: string) =>
    `'...' has a different meaning inside '${name}': assign it to a local first, and compare that`,
  macroPreset: (name: string) =>
    `'${name}' takes 'light', 'balanced' or 'strong' and an inline function: write ${name}('balanced', function(...) ... end)`,
  varyArguments: () =>
    "'WARD_VARY' takes a number and a tolerance, both written as numbers: write WARD_VARY(61.25, 0.01)",
  varyTolerance: () =>
    'the tolerance must be greater than 0: it says how far the number of a key may be from yours, as in WARD_VARY(61.25, 0.01)',
  varyDigits: (value: number, tolerance: number) =>
    `no digits remain that could differ between keys: ${tolerance} is too small for a number as large as ${value}, so choose a larger tolerance`,
  varyOnServer: () =>
    "code and tables on the server are the same for all keys: use 'WARD_VARY' in the script, and pass the number as a parameter",
  varyTooMany: (limit: number) =>
    `a script can have at most ${limit} numbers that differ between keys: remove some 'WARD_VARY' macros, because a few are enough`,
  varyWithoutStream: () =>
    "every key gets the same code at 'light', with '--!hot', and without 'virtualize': choose another preset, or remove 'WARD_VARY'",
  varyImpossible: () =>
    'this number cannot differ between keys, because a function uses too many variables of enclosing functions for the target: store it in a local at the top of the script, and use that',
  attributePlace: (name: string) =>
    `'${name}' must be a statement directly in a function, not in a nested block: move it to the start of the function`,
  attributeUnknown: (name: string) =>
    `unknown attribute in '${name}': write VM(NONE), PRESET(FAST), PRESET(BALANCED) or PRESET(SECURE)`,
  macroIsStatement: (name: string) =>
    `'${name}' is a statement and has no value: write it as a separate statement`,
  variableNotCalled: (name: string) => `'${name}' is a value and cannot be called: remove the '()'`,
  foreignUnknown: (name: string, nearest: string | null) =>
    nearest === null
      ? `unknown macro or variable '${name}': remove it, or assign it in the script`
      : `unknown macro or variable '${name}': write '${nearest}', or assign it in the script`,
  foreignRefused: (name: string, cure: string) => `'${name}' is not available: ${cure}`,
  webhookNeedsService: (name: string) =>
    `'${name}' requires the server, which stores the URL and sends the message: upload the script, because a standalone file cannot send`,
  webhookArguments: (name: string) =>
    `'${name}' takes a URL and a table, both written inline: write ${name}('https://...', { content = 'text' })`,
  webhookMembers: (name: string) =>
    `the table of '${name}' is the message and needs named fields: write { content = 'text' }`,
  webhookMixed: () =>
    'a table in a message must be a list or have named fields, not both: put the list into a field',
  webhookKey: () =>
    "a field name in a message must be a string literal: write name = value or ['name'] = value",
  webhookText: () =>
    'strings in a message must be UTF-8: save the file as UTF-8, or write the bytes as \\u{...}',
  webhookTooMany: (limit: number) =>
    `a script can have at most ${limit} webhook calls: share one call in a function with parameters`,
  webhookValues: (limit: number) => `a message can have at most ${limit} values: combine some with '..'`,
  lockImpossible: () =>
    "this can't be locked, because the script uses 'ffi' or a function has too many upvalues for the target: remove the macro, or put some of the variables that the function uses into a table",
  lockWithoutLocals: () =>
    "this can't be locked, because the function has too many local variables: put some of them into a table",
  serverNeedsService: (name: string) =>
    `'${name}' requires the server, which runs the code: upload the script, for example with 'scriptward push'`,
  serverArguments: (name: string) =>
    `'${name}' takes a function or a table, written inline, and options: write ${name}(function(...) ... end) or ${name}(function(...) ... end, { cache = 60 })`,
  serverOptions: (longest: number) =>
    `the only option is 'cache': a number of seconds from 1 to ${longest}, or 'run' for the entire run`,
  serverNameUnknown: (name: string, cure: string) =>
    `the option 'server' names '${name}', but no function has this name: ${cure}, or remove the name from the option`,
  serverNameTwice: (name: string, place: string) =>
    `the option 'server' names '${name}', but the function at ${place} has this name too: prefix it with the path of its file, as in 'lib/a.lua:${name}', rename one of them, or mark the right one with WARD_SERVER`,
  serverNested: () => 'this code already runs on the server: remove the inner macro',
  serverTooMany: (limit: number) =>
    `a script can have at most ${limit} functions and tables on the server: combine some of them`,
  serverTooLarge: (bytes: number, limit: number) =>
    `this has ${bytes} bytes with everything that it uses, and the server takes at most ${limit}: split it`,
  serverAllTooLarge: (limit: number) =>
    `with this function, all functions on the server have more than ${limit} bytes together, including what each of them uses: combine functions that use the same tables`,
  serverCapture: (name: string, place: string, reason: string) =>
    `'${name}' (${place}) ${reason}, so it cannot move to the server: pass it as a parameter`,
  serverGlobal: (name: string, cure: string) => `'${name}' does not exist on the server: ${cure}`,
  serverMember: (name: string) =>
    `'${name}' does not exist on the server, which runs Luau: pass its result as a parameter`,
  serverOperator: (operator: string) =>
    `the server runs Luau, which has no operator '${operator}': compute this in the script and pass the result as a parameter`,
  serverState: (name: string) =>
    `a server function keeps nothing between calls, so '${name}' cannot be assigned: return the value instead`,
  serverParameter: (name: string) =>
    `the script would not see this change, because '${name}' is a copy on the server: copy it into a local first, and return the result`,
  serverReturnsFunction: () =>
    'a function cannot be sent from the server: return the value that it would compute',
  serverWardValue: () =>
    "on the server, 'ward' can only be read field by field: write the field, as in ward.plan",
  serverWardField: (name: string) =>
    `'ward.${name}' does not exist on the server: pass it as a parameter if it need not be trustworthy`,
  serverTableValue: () =>
    'a table on the server can contain only strings, numbers, booleans and tables of them, written inline',
  serverTableKey: () => 'a key of a table on the server must be a string, number or boolean, written inline',
  serverTableMixed: () =>
    'a table inside a table on the server must be a list or have named fields, not both',
  serverTableUse: (name: string, use: string) =>
    `'${name}' is on the server, so it cannot be ${use}: only single fields can be read`,
  cleanArguments: (name: string) =>
    `'${name}' takes an expression and a pattern, which must be a string literal: write ${name}(expression, '[a-z0-9]{1,20}')`,
  reportArguments: (name: string) =>
    `'${name}' takes an error and, if you want, a table of tags: write ${name}(problem, { place = 'shop' })`,
  cleanPlace: (name: string) =>
    `'${name}' validates a value in a message: write it inside the table of WARD_WEBHOOK`,
  macroUnused: (name: string) => `the result of '${name}' is unused: assign it to a variable or call it`,

  // Name resolution, lowering and host limits
  assignToConst: (name: string) => `'${name}' is a 'const' and cannot be assigned: declare it with 'local'`,
  unknownLabel: (label: string) =>
    `no label '${label}' is visible to this 'goto': put '::${label}::' into this block or an enclosing one`,
  repeatedLabel: (label: string) => `the label '${label}' is declared twice in this block: rename one`,
  nestedLabel: (label: string) =>
    `the label '${label}' is already declared in an enclosing block, which Lua 5.4 does not allow: rename one`,
  jumpIntoLocal: (label: string, name: string) =>
    `'goto ${label}' jumps into the scope of local '${name}': declare '${name}' before the 'goto'`,
  notInTarget: (feature: string, target: string) =>
    `${feature} cannot run on ${target}: rewrite this, or choose a target that supports it`,
  continueSkipsLocal: (name: string) =>
    `'continue' skips the local '${name}', which the condition of 'until' uses: declare it before the 'continue'`,
  tooManyLocals: (target: string, limit: number) =>
    `more than ${limit} local variables are in scope here, which exceeds the limit of ${target}: move some to a 'do' block or a table`,
  tooManyUpvalues: (target: string, limit: number) =>
    `this function uses more than ${limit} variables of enclosing functions, which exceeds the limit of ${target}: move some to a table`,
  tooDeepForTarget: (target: string) =>
    `this is nested too deeply for ${target}: move part of it to a local or a function`,
  brokenOutput: (problem: string) =>
    `this could not be protected because of a bug in Scriptward, not in your script: report it with this line, the preset, the target and the seed (output: ${problem})`,

  // Modules
  moduleMissing: (stem: string) =>
    `there is no file '${stem}.lua', '${stem}.luau' or '${stem}/init.lua': add it, or correct the path`,
  moduleElsewhere: (stem: string, instead: string) =>
    `there is no file '${stem}.lua': '@self' is the folder of this module, so write '${instead}'`,
  moduleAmbiguous: (paths: string) => `this path matches several files, ${paths}: rename all but one`,
  moduleOutside: () =>
    'this path is outside the source folder: choose a folder that contains all files, or move the file into it',
  moduleCycle: (chain: string) =>
    `these files require each other while they are loading, ${chain}: move one 'require' into the function that needs it`,
  mainRequired: () => 'this is the main file, which cannot be required: move shared code to a separate file',
  requireAssigned: () =>
    "'require' is assigned here, so its calls cannot be resolved to files: use another name",
  luaurc: (what: string) => what,
} as const

/** The arguments of a diagnostic's message function. */
export type DiagnosticArguments<N extends DiagnosticName> = Parameters<(typeof messages)[N]>

/** Collects the diagnostics of one run over one source and converts offsets to lines and columns. */
export class Diagnostics {
  readonly #source: string | JoinedText
  readonly #lineEnds = new Map<string, readonly number[]>()
  readonly #found: { readonly name: DiagnosticName; readonly at: number; readonly message: string }[] = []

  /**
   * @param source the source with one character per byte, as the lexer reads it. More files may be appended
   * later.
   */
  constructor(source: string | JoinedText) {
    this.#source = source
  }

  /** Records a diagnostic at an offset. Keeps only the first diagnostic per offset. */
  report<N extends DiagnosticName>(at: number, name: N, ...words: DiagnosticArguments<N>): void {
    if (this.isFull || this.#found.some((other) => other.at === at)) return
    const say = messages[name] as (...words: DiagnosticArguments<N>) => string
    this.#found.push({ name, at, message: say(...words) })
  }

  get isEmpty(): boolean {
    return this.#found.length === 0
  }

  /** Whether further diagnostics would be dropped. If so, callers can stop checking. */
  get isFull(): boolean {
    return this.#found.length >= 2 * MAX_DIAGNOSTICS
  }

  /** Returns the 1-based line of an offset within its file. */
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

  /** Returns `line 12`, or `line 12 of lib/a.lua` in a source tree. */
  placeOf(at: number): string {
    const { path } = this.#fileAt(at)
    return `line ${this.lineOf(at)}${path === null ? '' : ` of ${path}`}`
  }

  /** Returns the path of the offset's file in the source tree; null for a single-file source. */
  fileOf(at: number): string | null {
    return this.#fileAt(at).path
  }

  /** Returns the line, the column and, in a source tree, the file of an offset. */
  locate(at: number): Located {
    const { path, text, from } = this.#fileAt(at)
    return { file: path, ...positionOf(text, at - from) }
  }

  /** Returns at most `MAX_DIAGNOSTICS` diagnostics, in source order. */
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
 * Collects the diagnostics of one file in a source tree. Offsets are relative to the start of the file, as in
 * the file's parser.
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

/** Formats a diagnostic for the author, such as `line 12, column 7: expected …`. */
export function describeDiagnostic(diagnostic: Diagnostic): string {
  return `line ${diagnostic.line}, column ${diagnostic.column}: ${diagnostic.message}`
}

/** Returns the offset of the last byte of each line terminator. */
function lineEnds(source: string): number[] {
  return [...source.matchAll(/\n|\r(?!\n)/g)].map(({ index }) => index)
}

/** Returns the 1-based line and column of an offset. UTF-8 continuation bytes do not count as columns. */
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
