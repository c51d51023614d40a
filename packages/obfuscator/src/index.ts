/**
 * The entry point of the obfuscator. It takes source code and returns protected code or diagnostics. It is
 * stateless and uses neither the clock nor external randomness, so identical calls return identical results.
 */

import { checkOutput } from './check-output.ts'
import { type DataPlace, locateData, prependDataSegment } from './data-segment.ts'
import { type LockPlace, locateLocks } from './lock-keystream.ts'
import { hoistVarargs, VarargReads } from './lower/varargs.ts'
import { wrapChunk } from './lower/wrap-chunk.ts'
import { macroTable } from './macros/macro-table.ts'
import type { Message } from './macros/messages.ts'
import {
  options as allOptions,
  DEFAULT_PRESET,
  type ObfuscateOptions,
  type Plan,
  planRun,
  presets,
  targets,
} from './options.ts'
import { NO_ORDER_MARKS, type OrderMarks } from './order-watermark/order-marks.ts'
import type { PassContext, SourceFacts } from './pass-context.ts'
import type { DataSegment } from './passes/pass.ts'
import { runPasses, runRequired } from './pipeline.ts'
import { createRandom } from './random.ts'
import { type Refusal, readSource, refused, type Source, type SourceInfo } from './read-source.ts'
import { createCapacityMeasure } from './semantics/capacity.ts'
import type { Facts } from './semantics/facts.ts'
import { findHostUses, type HostUse } from './semantics/host-uses.ts'
import { checkLimits } from './semantics/limits.ts'
import { rename } from './semantics/rename.ts'
import type { ServerCode } from './server-code/server-code.ts'
import type { Suggestion } from './server-code/suggestions.ts'
import type { Chunk } from './syntax/ast.ts'
import { LineMap, type LineTable, SourceLines } from './syntax/line-map.ts'
import { print } from './syntax/print/print.ts'
import { keysTold } from './varied-numbers/certainty.ts'
import type { ServedNumbers } from './varied-numbers/served-numbers.ts'
import { choicesOf } from './varied-numbers/variation.ts'
import { Warnings } from './warnings.ts'
import {
  describeTracing,
  FULL_WATERMARK_SLOTS,
  locateNumbers,
  locateSlots,
  MIN_TRACED_SLOTS,
  type Slot,
} from './watermark.ts'

/**
 * Everything that a user interface needs to offer and describe the options, presets and targets, and the
 * names of the macros.
 */
export const choices = {
  options: allOptions,
  presets,
  targets,
  defaultPreset: DEFAULT_PRESET,
  macros: macroTable,
} as const

export {
  type LockPlace,
  lengthOfLock,
  moveLocks,
  openLock,
  type ServicePad,
  sealLock,
} from './lock-keystream.ts'
export type { MacroEntry } from './macros/macro-table.ts'
export type { Message, MessagePart, MessageValue } from './macros/messages.ts'
export { reachedFiles } from './modules/reached-files.ts'
export { checkTree, type FileStore, paramOf, type SourceTree } from './modules/source-tree.ts'
export { nextOptions, type OptionValues, parseOption, readOptions } from './option-values.ts'
export { type ObfuscateOptions, type Option, type Problem, SERVER_OPTIONS } from './options.ts'
export type { Source } from './read-source.ts'
export type {
  ServerCode,
  ServerFunction,
  ServerKey,
  ServerTable,
  ServerValue,
} from './server-code/server-code.ts'

/** Build report for the author. Sizes are in bytes. */
export type Report = {
  readonly preset: string
  readonly target: string
  readonly seed: number | string
  readonly sourceSize: number
  readonly outputSize: number
  readonly functions: number
  /** Counts of the strings, numbers and global names that were hidden. */
  readonly strings: number
  readonly numbers: number
  readonly globals: number
  /** Number of functions that were split into basic blocks behind a dispatch loop. */
  readonly virtualized: number
  /**
   * Number of output bytes that are data and can be delivered separately from the code. 0 if the output
   * cannot be split.
   */
  readonly dataSize: number
  /**
   * Number of WARD_ENCFUNC functions whose strings and numbers can be decrypted only with a key from the
   * server.
   */
  readonly served: number
  /**
   * `locked` is the number of strings and numbers that can be decrypted only with a key from the server.
   * `compared` is the number of those that can be decrypted only with a string that the script compares with.
   * A dedicated deobfuscator can read all others.
   */
  readonly locked: number
  readonly compared: number
  /** Number of watermark slots. Less than the requested number if not all of them fit. */
  readonly slots: number
  /** Number of slots that can still be read from a decompiled copy. */
  readonly liftedSlots: number
  /**
   * `weak` means fewer than 256 slots: only a nearly complete copy can be traced. `none` means that all
   * copies are identical.
   */
  readonly watermark: 'full' | 'weak' | 'none'
  /** Functions that could move to the server. The best candidates come first. */
  readonly suggestions: readonly Suggestion[]
  /**
   * Minimum number of slots needed to trace a lifted copy. If `liftedSlots` is less than this, a trace has no
   * result.
   */
  readonly liftedSlotsNeeded: number
  /**
   * `variedNumbers` is the number of WARD_VARY macros. `variedKeys` is the number of keys among which these
   * numbers can identify one key in a lifted copy.
   */
  readonly variedNumbers: number
  readonly variedKeys: number
  /** One sentence that describes which copies can be traced. */
  readonly tracing: string
  readonly warnings: readonly string[]
  /** Globals of the host that the script uses without testing whether they exist. */
  readonly hostUses: readonly HostUse[]
}

export { type DataPlace, dataOf, interpreterOf } from './data-segment.ts'
export { NO_ORDER_MARKS, type OrderMark, type OrderMarks, readOrder } from './order-watermark/order-marks.ts'
export { readText } from './order-watermark/text-tokens.ts'
export type { HostUse } from './semantics/host-uses.ts'
export type { Suggestion } from './server-code/suggestions.ts'
export type { LineTable } from './syntax/line-map.ts'
export { type MappedText, mapLine, mapTraceback, type Place } from './traceback.ts'
export {
  NAMED_LIKELIHOOD,
  numbersNeeded,
  WEIGHT_OF_MISS,
  weightOfMatch,
} from './varied-numbers/certainty.ts'
export { readConstants } from './varied-numbers/read-constants.ts'
export { readLevels } from './varied-numbers/read-numbers.ts'
export {
  moveNumbers,
  NO_SERVED_NUMBERS,
  type ServedNumbers,
  writeNumber,
} from './varied-numbers/served-numbers.ts'
export { choicesOf, levelAt, middleOf } from './varied-numbers/variation.ts'
export { type Edit, MIN_TRACED_SLOTS, moveSlots, type Slot } from './watermark.ts'

/**
 * `data` is the byte range of the string table in the code, if there is one; see `data-segment.ts`. `lines`
 * maps output lines to source lines, so that runtime errors can be located.
 */
export type Built = {
  readonly code: string
  readonly slots: readonly Slot[]
  /** Marks that help recover the first slots from a decompiled copy. */
  readonly orders: OrderMarks
  /** The numbers that differ between the copies for different keys. */
  readonly numbers: ServedNumbers
  readonly data: DataPlace | null
  readonly lines: LineTable
  /**
   * The ciphertexts, by lock number. Decrypting them needs a key stream from `servicePad`; see
   * `lock-keystream.ts`. Empty if the output has no locks.
   */
  readonly locks: readonly LockPlace[]
  /**
   * The messages that the script sends with `ward.send`, in order of their 1-based numbers; see
   * `macros/messages.ts`.
   */
  readonly messages: readonly Message[]
  /** The code that moved to the server, in order of its 1-based numbers; see `server-code/`. */
  readonly serverCode: readonly ServerCode[]
  readonly report: Report
}

/**
 * `code` is ASCII. `errors` has at most 20 entries. If an error's `param` is `script` (the main file of a
 * source tree) or `files["lib/a.lua"]`, its message starts with the line and column.
 */
export type Obfuscation = Built | Refusal

/** Protects one script. Returns bad input and invalid options as `errors`; never throws. */
export function obfuscate(source: Source, options: ObfuscateOptions = {}): Obfuscation {
  const plan = planRun(options)
  if ('errors' in plan) return plan
  const made = produce(source, plan)
  if ('errors' in made) return made
  const { run, built } = made
  checkOutput(built, plan.target, run.places, run.diagnostics)
  return run.diagnostics.isEmpty ? built : refused(run)
}

/**
 * Returns the output before it is checked. This is a separate function, so that its syntax trees can be freed
 * before a large output is checked.
 */
function produce(source: Source, plan: Plan): { readonly run: Run; readonly built: Built } | Refusal {
  const read = readSource(source, plan)
  if ('errors' in read) return read
  const run = { ...read.info, plan }
  const built = protect(read.resolved, run)
  return 'errors' in built ? built : { run, built }
}

/**
 * Returns the source as one unprotected script: required files are bundled, macros and variables are expanded
 * as in a build, and every statement keeps its line. The result runs on every Luau host, and on Lua 5.4 if
 * the dialect is FiveM. Like a build, it returns a function if there are `parameters`.
 *
 * @param isWatched whether to replace each function that the `server` option names with `ward.watch('name',
 * function … end)`.
 */
export function expand(
  source: Source,
  options: ObfuscateOptions = {},
  isWatched = false,
): { readonly code: string } | Refusal {
  const asked = planRun(options)
  if ('errors' in asked) return asked
  // Only the host changes. All other settings of the original target, such as how escapes are read, stay the
  // same.
  const plan = { ...asked, target: asked.dialect === 'fivem' ? 'lua54' : 'luau' } as const
  const read = readSource(source, plan)
  if ('errors' in read) return read
  const { resolved, info } = read
  const run = { ...info, plan }
  const context = {
    ...contextOf(resolved, run, new Warnings()),
    serverCode: isWatched ? 'watch' : 'keep',
    hasCopies: false,
  } as const
  const chunk = runRequired(resolved, plan, context)
  const given = { parameters: info.parameters, channel: null }
  const whole = plan.parameters === null ? chunk : wrapChunk(chunk, given, info.symbols, plan.target)
  const checked = checkLimits(whole, plan.target, info.diagnostics)
  if (!info.diagnostics.isEmpty) return refused(info)
  const lines = new SourceLines(info.places, whole.directives.length)
  return { code: print(whole, rename(checked, createRandom(plan.seed, 'rename')), lines) }
}

/** The `--!hot` directive at the start of a file. */
const HOT_DIRECTIVE = 'hot'
/** Functions that Luau compiles to machine code are left unchanged. */
const NATIVE = '@native'

type Run = SourceInfo & { readonly plan: Plan }

function protect(resolved: Chunk, run: Run): Obfuscation {
  const { plan, symbols, parameters, diagnostics } = run
  const warnings = new Warnings()
  const context = contextOf(resolved, run, warnings)
  const { service } = context
  const { counts } = context.report
  const directives = resolved.directives.filter((each) => each !== HOT_DIRECTIVE)
  const { chunk: passed, state } = runPasses({ ...resolved, directives }, plan, context)
  const lockTexts = state.served?.texts ?? []
  const given = { parameters, channel: service && lockTexts.length > 0 ? service.channel : null }
  const whole = plan.parameters === null ? passed : wrapChunk(passed, given, symbols, plan.target)
  if (!diagnostics.isEmpty) return refused(run)
  const { chunk, checked } = finish(whole, state.data, run)
  if (!diagnostics.isEmpty) return refused(run)
  const lines = new LineMap(run.places, chunk.directives.length, createRandom(plan.seed, 'sites'))
  const code = print(chunk, rename(checked, createRandom(plan.seed, 'rename')), lines)
  const slots = locateSlots(code, state.slots)
  const numbers = locateNumbers(code, state.slots)
  const keys = numbers.list.length > 0 ? keysTold(numbers.list.map(choicesOf)) : 0
  const orders = slots.length > 0 ? state.orders : NO_ORDER_MARKS
  const data = state.data && locateData(code, state.data)
  const locks = locateLocks(code, lockTexts)
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
    liftedSlots: orders.marks.length,
    watermark: strengthOf(slots),
    suggestions: state.suggestions,
    liftedSlotsNeeded: MIN_TRACED_SLOTS,
    variedNumbers: numbers.list.length,
    variedKeys: keys,
    tracing: describeTracing({
      slots: slots.length,
      lifted: orders.marks.length,
      numbers: numbers.list.length,
      keys,
    }),
    warnings: warnings.list(),
    hostUses: findHostUses(resolved, diagnostics),
  }
  const { messages, serverCode } = state
  return { code, slots, orders, numbers, data, lines: lines.table, locks, messages, serverCode, report }
}

/** @param warnings collects the warnings of the passes. */
function contextOf(resolved: Chunk, run: Run, warnings: Warnings): Omit<PassContext, 'random'> {
  const { plan, symbols, parameters, diagnostics } = run
  return {
    target: plan.target,
    source: sourceFacts(resolved, run),
    symbols,
    diagnostics,
    report: {
      counts: { strings: 0, numbers: 0, globals: 0, virtualized: 0, served: 0, locked: 0, compared: 0 },
      warn: (message) => warnings.add(message),
      warnUnprotected: (message) => warnings.addUnprotected(message),
    },
    capacityOf: createCapacityMeasure(plan.target),
    frozen: new Set(),
    virtualizes: plan.passes.has('virtualize'),
    serverCode: 'move',
    serverNames: plan.server,
    isWrapped: plan.parameters !== null,
    ward: parameters.find(({ name }) => name === 'ward')?.symbol ?? null,
    varied: new Map(),
    hasCopies: plan.slots > 0,
    slotsWanted: plan.slots,
    service: plan.servicePad && { pad: plan.servicePad, channel: symbols.fresh() },
  }
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

/** The final steps after all passes. For most chunks, a single traversal is enough. */
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
