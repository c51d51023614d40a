// The only entry of the obfuscator: text in, protected text or complaints out. It keeps no state, reads no clock
// and draws no random numbers, so the same call gives the same answer everywhere.

import { type DataPlace, locateData, withData } from './data.ts'
import { Diagnostics, describeDiagnostic } from './diagnostics.ts'
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
import { optionalPasses, requiredPasses } from './passes/list.ts'
import type { Data, Pass, WorkFacts } from './passes/pass.ts'
import { createRandom } from './random.ts'
import type { Facts } from './semantics/facts.ts'
import { checkLabels } from './semantics/labels.ts'
import { checkDepth, checkLimits } from './semantics/limits.ts'
import { rename } from './semantics/rename.ts'
import { resolve } from './semantics/resolve.ts'
import { createRoom } from './semantics/room.ts'
import { createSymbols, type Symbols } from './semantics/symbols.ts'
import { Reading, settleVarargs } from './semantics/varargs.ts'
import { wrapChunk } from './semantics/wrap.ts'
import type { Binding, Bytes, Chunk } from './syntax/ast.ts'
import { parse } from './syntax/parser.ts'
import { print } from './syntax/print.ts'
import { Sites, startsOfLines } from './syntax/sites.ts'
import { FEWEST_SLOTS, locateSlots, type Slot, type Watermark } from './watermark.ts'

/** What a caller may choose from, with words for people: every option, and what presets and targets mean. */
export const choices = { options: allOptions, presets, targets, defaultPreset: DEFAULT_PRESET } as const

export { type OptionValues, parseOption, readOptions } from './option-values.ts'
export type { ObfuscateOptions, Option, Problem } from './options.ts'
export type { ServicePad } from './pads.ts'

/** What was done, for the author. Sizes are in bytes. */
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
  /** Functions that got an instruction set of their own. */
  readonly virtualized: number
  /** Bytes of the output that are data and may be delivered apart from the code; 0: it is one piece. */
  readonly dataSize: number
  /** Functions of WARD_ENCFUNC whose strings and numbers need a key that only the service has. */
  readonly served: number
  /** Places that may be written in two ways, for a watermark; as many as were asked for, or what there is room for. */
  readonly slots: number
  /** `weak` below 256 slots: a copy is traced only while it is nearly whole. `none`: every copy is alike. */
  readonly watermark: 'full' | 'weak' | 'none'
  readonly warnings: readonly string[]
}

export { type DataPlace, dataOf, interpreterOf } from './data.ts'
export { type Edit, moveSlots, type Slot } from './watermark.ts'

/**
 * `data` says where the table of strings stands in the code, when there is one; see `data.ts`. `sites` has the author's line by line of the output, the first at index 0: what an error at run time names. 0 where no
 * line of the author's is.
 */
export type Built = {
  readonly code: string
  readonly slots: readonly Slot[]
  readonly data: DataPlace | null
  readonly sites: readonly number[]
  /** Bytes of the pad that each lock needs of `servicePad`, by its number; empty when the output asks for none. */
  readonly pads: readonly number[]
  readonly report: Report
}

/** `code` is ASCII. `errors` has at most 20 entries; those with `param` `script` begin with line and column. */
export type Obfuscation = Built | { readonly errors: readonly Problem[] }

/**
 * Protects one script. Bad input and bad options are answered, never thrown.
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

type Source = Pick<Run, 'symbols' | 'parameters' | 'starts'> & { readonly resolved: Chunk }

/**
 * A function of its own, so that the tree without symbols is gone while the passes work.
 *
 * @returns null when something was refused.
 */
function readSource(text: Bytes, plan: Plan, diagnostics: Diagnostics): Source | null {
  const parsed = parse(text, diagnostics)
  if (diagnostics.isEmpty) checkDepth(parsed, plan.target, diagnostics)
  if (!diagnostics.isEmpty) return null
  const symbols = createSymbols(parsed.symbolCount)
  const parameters = bindParameters(plan, symbols)
  const resolved = resolve(parsed, parameters, diagnostics)
  if (text.includes('goto') || text.includes('::')) checkLabels(resolved, diagnostics)
  return diagnostics.isEmpty ? { symbols, parameters, starts: startsOfLines(text), resolved } : null
}

/** `--!hot` at the head of a file. */
const HOT_DIRECTIVE = 'hot'
/** What Luau compiles to machine code stays as it is. */
const NATIVE = '@native'

type Run = {
  readonly plan: Plan
  readonly symbols: Symbols
  readonly parameters: readonly Binding[]
  readonly diagnostics: Diagnostics
  readonly text: Bytes
  /** Where each line begins. */
  readonly starts: Int32Array
}

function protect(resolved: Chunk, run: Run): Obfuscation {
  const { plan, symbols, parameters, diagnostics } = run
  const warnings: string[] = []
  const watermark: Watermark = { wanted: plan.slots, stream: '', slots: [] }
  const counts = { strings: 0, numbers: 0, globals: 0, virtualized: 0, served: 0 }
  const service = plan.servicePad && { pad: plan.servicePad, channel: symbols.fresh(), sizes: [] as number[] }
  const facts: WorkFacts = {
    target: plan.target,
    sourceSize: run.text.length,
    sourceLines: run.starts.length,
    room: createRoom(plan.target),
    environment: null,
    isHot: resolved.directives.includes(HOT_DIRECTIVE),
    isWrapped: plan.parameters !== null,
    hasOpenCode: run.text.includes(NATIVE),
    isTakenApart: false,
    data: null,
    mentions: (text) => run.text.includes(text),
    insisted: new Set(),
    sealed: new Set(),
    counts,
    checks: null,
    service,
    watermark,
    warn: (message) => void warnings.push(message),
  }
  const directives = resolved.directives.filter((each) => each !== HOT_DIRECTIVE)
  const passed = runPasses({ ...resolved, directives }, run, facts)
  const given = { parameters, channel: service && service.sizes.length > 0 ? service.channel : null }
  const whole = plan.parameters === null ? passed : wrapChunk(passed, given, symbols, plan.target)
  if (!diagnostics.isEmpty) return refused(diagnostics)
  const { chunk, checked } = finish(whole, facts.data, run)
  if (!diagnostics.isEmpty) return refused(diagnostics)
  const sites = new Sites(run.starts, chunk.directives.length, createRandom(plan.seed, 'sites'))
  const code = print(chunk, rename(checked, createRandom(plan.seed, 'rename')), sites)
  const { preset, target, seed } = plan
  const sizes = {
    sourceSize: run.text.length,
    outputSize: code.length,
    functions: checked.functions.length - 1,
  }
  const slots = locateSlots(code, watermark)
  const data = facts.data && locateData(code, facts.data)
  const report = {
    preset,
    target,
    seed,
    ...sizes,
    ...counts,
    dataSize: data === null ? 0 : data.to - data.from,
    slots: slots.length,
    watermark: strengthOf(slots),
    warnings,
  }
  return { code, slots, data, sites: sites.lines, pads: service?.sizes ?? [], report }
}

/** What is left when all passes are done; most chunks need one walk for it. */
function finish(chunk: Chunk, data: Data | null, { plan, symbols, diagnostics }: Run): Finished {
  const reading = new Reading(chunk)
  const whole = withData(chunk, data)
  const checked = checkLimits(whole, plan.target, diagnostics, reading.visitors)
  const settled = diagnostics.isEmpty ? settleVarargs(chunk, reading, symbols, plan.target) : null
  if (settled === null) return { chunk: whole, checked }
  const finished = withData(settled, data)
  return { chunk: finished, checked: checkLimits(finished, plan.target, diagnostics) }
}

type Finished = { readonly chunk: Chunk; readonly checked: Facts }

function strengthOf({ length }: readonly Slot[]): Report['watermark'] {
  if (length === 0) return 'none'
  return length < FEWEST_SLOTS ? 'weak' : 'full'
}

function runPasses(resolved: Chunk, { plan, symbols, diagnostics }: Run, facts: WorkFacts): Chunk {
  const run = (chunk: Chunk, pass: Pass): Chunk => {
    const isForced = requiredPasses.includes(pass) || (pass.hidesInsisted === true && facts.insisted.size > 0)
    const settings = plan.passes.get(pass.name) ?? (isForced ? {} : undefined)
    if (!settings || !diagnostics.isEmpty) return chunk
    const random = createRandom(plan.seed, pass.name)
    return pass.run(chunk, { symbols, random, facts, diagnostics }, settings)
  }
  return [...requiredPasses, ...optionalPasses].reduce(run, resolved)
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

/** One character a byte, as the lexer wants it: a text is encoded as UTF-8, lone surrogates as U+FFFD. */
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
