/**
 * The entry point of the obfuscator: source text in, protected text or diagnostics out. It keeps no state
 * and uses neither clock nor random numbers, so the same call gives the same answer everywhere.
 */

import { type DataPlace, locateData, prependDataSegment } from './data-segment.ts'
import { Diagnostics, describeDiagnostic } from './diagnostics.ts'
import { hoistVarargs, VarargReads } from './lower/varargs.ts'
import { wrapChunk } from './lower/wrap-chunk.ts'
import {
  options as allOptions,
  DEFAULT_PRESET,
  type ObfuscateOptions,
  type Plan,
  type Problem,
  planRun,
  presets,
  targets,
} from './options.ts'
import { type LockPlace, locateLocks } from './pads.ts'
import type { PassContext, SourceFacts } from './pass-context.ts'
import type { DataSegment } from './passes/pass.ts'
import { runPasses } from './pipeline.ts'
import { createRandom } from './random.ts'
import { createCapacityMeasure } from './semantics/capacity.ts'
import type { Facts } from './semantics/facts.ts'
import { FunctionPlaces } from './semantics/function-places.ts'
import { checkLabels } from './semantics/labels.ts'
import { checkDepth, checkLimits } from './semantics/limits.ts'
import { rename } from './semantics/rename.ts'
import { resolve } from './semantics/resolve.ts'
import { createSymbols, type Symbols } from './semantics/symbols.ts'
import type { Binding, Bytes, Chunk } from './syntax/ast.ts'
import { LineMap, type LineTable, lineStarts, type SourcePlaces } from './syntax/line-map.ts'
import { parse } from './syntax/parser.ts'
import { print } from './syntax/print.ts'
import { FULL_WATERMARK_SLOTS, locateSlots, type Slot } from './watermark.ts'

/** What a caller may choose from, with texts for a user interface: options, presets and targets. */
export const choices = { options: allOptions, presets, targets, defaultPreset: DEFAULT_PRESET } as const

export { type OptionValues, parseOption, readOptions } from './option-values.ts'
export type { ObfuscateOptions, Option, Problem } from './options.ts'
export { type LockPlace, lengthOfLock, moveLocks, openLock, type ServicePad, sealLock } from './pads.ts'

/** What a build reports to the author. Sizes are in bytes. */
export type Report = {
  readonly preset: string
  readonly target: string
  readonly seed: number | string
  readonly sourceSize: number
  readonly outputSize: number
  readonly functions: number
  /** Places where a string, a number or the name of a global was hidden. */
  readonly strings: number
  readonly numbers: number
  readonly globals: number
  /** Functions with an instruction set of their own. */
  readonly virtualized: number
  /**
   * Bytes of the output that are data and may be delivered apart from the code. 0: the output is one piece.
   */
  readonly dataSize: number
  /** Functions of WARD_ENCFUNC whose strings and numbers need a key that only the service has. */
  readonly served: number
  /**
   * Places that may be written in two ways, for a watermark: as many as the caller wants, or as many as fit.
   */
  readonly slots: number
  /** `weak` below 256 slots: only a nearly complete copy can be traced. `none`: all copies are the same. */
  readonly watermark: 'full' | 'weak' | 'none'
  readonly warnings: readonly string[]
}

export { type DataPlace, dataOf, interpreterOf } from './data-segment.ts'
export type { LineTable } from './syntax/line-map.ts'
export { type MappedText, mapTraceback, type Place } from './traceback.ts'
export { type Edit, moveSlots, type Slot } from './watermark.ts'

/**
 * `data` is the place of the string table in the code, if there is one; see `data-segment.ts`. `lines` tells
 * the source lines of the output's, for errors at run time.
 */
export type Built = {
  readonly code: string
  readonly slots: readonly Slot[]
  readonly data: DataPlace | null
  readonly lines: LineTable
  /**
   * What needs pads of `servicePad`, by the number of the lock; see `pads.ts`. Empty when the output needs
   * none.
   */
  readonly locks: readonly LockPlace[]
  readonly report: Report
}

/**
 * `code` is ASCII. `errors` has at most 20 entries; those with `param` `script` begin with line and column.
 */
export type Obfuscation = Built | { readonly errors: readonly Problem[] }

/**
 * Protects one script. Bad input and bad options give `errors`; nothing is thrown.
 *
 * @param source a text, or its bytes when it is not UTF-8.
 */
export function obfuscate(source: string | Uint8Array, options: ObfuscateOptions = {}): Obfuscation {
  const plan = planRun(options)
  if ('errors' in plan) return plan
  const text = bytesOf(source)
  const diagnostics = new Diagnostics(text)
  const read = readSource(text, plan, diagnostics)
  return read ? protect(read.resolved, { ...read, plan, diagnostics, text }) : refused(diagnostics)
}

type Source = Pick<Run, 'symbols' | 'parameters' | 'places'> & { readonly resolved: Chunk }

/**
 * A separate function so that the unresolved tree can be collected before the passes run.
 *
 * @returns null when a diagnostic was reported.
 */
function readSource(text: Bytes, plan: Plan, diagnostics: Diagnostics): Source | null {
  const parsed = parse(text, diagnostics)
  if (diagnostics.isEmpty) checkDepth(parsed, plan.target, diagnostics)
  if (!diagnostics.isEmpty) return null
  const symbols = createSymbols(parsed.symbolCount)
  const parameters = bindParameters(plan, symbols)
  const resolved = resolve(parsed, parameters, diagnostics)
  if (text.includes('goto') || text.includes('::')) checkLabels(resolved, diagnostics)
  if (!diagnostics.isEmpty) return null
  const places = { starts: lineStarts(text), functions: new FunctionPlaces(parsed) }
  return { symbols, parameters, places, resolved }
}

/** `--!hot` at the head of a file. */
const HOT_DIRECTIVE = 'hot'
/** Functions that Luau compiles to machine code stay as they are. */
const NATIVE = '@native'

type Run = {
  readonly plan: Plan
  readonly symbols: Symbols
  readonly parameters: readonly Binding[]
  readonly diagnostics: Diagnostics
  readonly text: Bytes
  readonly places: SourcePlaces
}

function protect(resolved: Chunk, run: Run): Obfuscation {
  const { plan, symbols, parameters, diagnostics } = run
  const warnings: string[] = []
  const counts = { strings: 0, numbers: 0, globals: 0, virtualized: 0, served: 0 }
  const service = plan.servicePad && { pad: plan.servicePad, channel: symbols.fresh() }
  const context: Omit<PassContext, 'random'> = {
    target: plan.target,
    source: sourceFacts(resolved, run),
    symbols,
    diagnostics,
    report: { counts, warn: (message) => void warnings.push(message) },
    capacityOf: createCapacityMeasure(plan.target),
    frozen: new Set(),
    isWrapped: plan.parameters !== null,
    slotsWanted: plan.slots,
    service,
  }
  const directives = resolved.directives.filter((each) => each !== HOT_DIRECTIVE)
  const { chunk: passed, state } = runPasses({ ...resolved, directives }, plan, context)
  const given = { parameters, channel: service && state.lockTexts.length > 0 ? service.channel : null }
  const whole = plan.parameters === null ? passed : wrapChunk(passed, given, symbols, plan.target)
  if (!diagnostics.isEmpty) return refused(diagnostics)
  const { chunk, checked } = finish(whole, state.data, run)
  if (!diagnostics.isEmpty) return refused(diagnostics)
  const lines = new LineMap(run.places, chunk.directives.length, createRandom(plan.seed, 'sites'))
  const code = print(chunk, rename(checked, createRandom(plan.seed, 'rename')), lines)
  const slots = locateSlots(code, state.slots)
  const data = state.data && locateData(code, state.data)
  const locks = locateLocks(code, state.lockTexts)
  const report: Report = {
    preset: plan.preset,
    target: plan.target,
    seed: plan.seed,
    sourceSize: run.text.length,
    outputSize: code.length,
    functions: checked.functions.length - 1,
    ...counts,
    dataSize: data === null ? 0 : data.to - data.from,
    slots: slots.length,
    watermark: strengthOf(slots),
    warnings,
  }
  return { code, slots, data, lines: lines.table, locks, report }
}

function sourceFacts({ directives }: Chunk, { text, places }: Run): SourceFacts {
  return {
    size: text.length,
    lines: places.starts.length,
    isHot: directives.includes(HOT_DIRECTIVE),
    hasNativeFunctions: text.includes(NATIVE),
    mentions: (words) => text.includes(words),
  }
}

/** The last steps after all passes. Most chunks need one walk for it. */
function finish(chunk: Chunk, data: DataSegment | null, { plan, symbols, diagnostics }: Run): Finished {
  const reading = new VarargReads(chunk)
  const whole = prependDataSegment(chunk, data)
  const checked = checkLimits(whole, plan.target, diagnostics, reading.visitors)
  const settled = diagnostics.isEmpty ? hoistVarargs(chunk, reading, symbols, plan.target) : null
  if (settled === null) return { chunk: whole, checked }
  const frozen = prependDataSegment(settled, data)
  return { chunk: frozen, checked: checkLimits(frozen, plan.target, diagnostics) }
}

type Finished = { readonly chunk: Chunk; readonly checked: Facts }

function strengthOf({ length }: readonly Slot[]): Report['watermark'] {
  if (length === 0) return 'none'
  return length < FULL_WATERMARK_SLOTS ? 'weak' : 'full'
}

function bindParameters(plan: Plan, symbols: Symbols): Binding[] {
  return (plan.parameters ?? []).map((name) => ({
    kind: 'Binding',
    at: 0,
    symbol: symbols.fresh(),
    name,
    isConst: false,
  }))
}

function refused(diagnostics: Diagnostics): Obfuscation {
  return {
    errors: diagnostics.list().map((each) => ({ param: 'script', message: describeDiagnostic(each) })),
  }
}

/** One character per byte, as the lexer expects. A text is encoded as UTF-8, lone surrogates as U+FFFD. */
function bytesOf(source: string | Uint8Array): Bytes {
  if (typeof source !== 'string') return fromBytes(source)
  if (!/[\u0080-\uffff]/.test(source)) return source
  let text = ''
  for (const character of source.toWellFormed()) text += encoded(character.codePointAt(0) ?? 0)
  return text
}

const PIECE = 8192

function fromBytes(bytes: Uint8Array): Bytes {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  }
  return text
}

function encoded(point: number): Bytes {
  const tail = (shift: number) => 0x80 | ((point >> shift) & 0x3f)
  if (point < 0x80) return String.fromCharCode(point)
  if (point < 0x800) return String.fromCharCode(0xc0 | (point >> 6), tail(0))
  if (point < 0x10000) return String.fromCharCode(0xe0 | (point >> 12), tail(6), tail(0))
  return String.fromCharCode(0xf0 | (point >> 18), tail(12), tail(6), tail(0))
}
