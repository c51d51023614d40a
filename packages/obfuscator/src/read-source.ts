/** Parses a source, which consists of one or more files, into one resolved chunk. */

import { Diagnostics, describeDiagnostic } from './diagnostics.ts'
import { TreeReader } from './modules/read-tree.ts'
import { checkTree, paramOf, type SourceTree, storeOf } from './modules/source-tree.ts'
import type { Plan, Problem } from './options.ts'
import { FunctionPlaces } from './semantics/function-places.ts'
import { checkContinues, checkLabels } from './semantics/labels.ts'
import { checkDepth } from './semantics/limits.ts'
import { resolve } from './semantics/resolve.ts'
import { createSymbols, type Symbols } from './semantics/symbols.ts'
import { bytesOf } from './source-bytes.ts'
import type { Binding, Bytes, Chunk } from './syntax/ast.ts'
import type { Dialect } from './syntax/dialect.ts'
import { lineStarts, type SourcePlaces } from './syntax/line-map.ts'
import { parse } from './syntax/parser.ts'

/** A string, bytes if the source is not UTF-8, or the files of a source tree. */
export type Source = string | Uint8Array | SourceTree

/** `errors` has at most 20 entries. */
export type Refusal = { readonly errors: readonly Problem[] }

/** Information about a source beyond its syntax tree. */
export type SourceInfo = {
  readonly symbols: Symbols
  readonly parameters: readonly Binding[]
  /** Collects the diagnostics of later steps. */
  readonly diagnostics: Diagnostics
  /** The concatenated contents of all files. */
  readonly text: Bytes
  readonly places: SourcePlaces
  /** Path of the main file; null for a single-file source. */
  readonly main: string | null
}

export type ReadSource = { readonly resolved: Chunk; readonly info: SourceInfo }

export function readSource(source: Source, plan: Plan): ReadSource | Refusal {
  return typeof source === 'object' && 'main' in source
    ? readTree(source, plan)
    : readText(bytesOf(source), plan)
}

/** Converts the diagnostics to errors for the caller. `main` is the field of `SourceInfo`. */
export function refused({ diagnostics, main }: Pick<SourceInfo, 'diagnostics' | 'main'>): Refusal {
  const errors = diagnostics.list().map((each) => {
    const param = each.file === null || each.file === main ? 'script' : paramOf(each.file)
    return { param, message: describeDiagnostic(each) }
  })
  return { errors }
}

function readTree(tree: SourceTree, plan: Plan): ReadSource | Refusal {
  const errors = checkTree(tree)
  if (errors.length > 0) return { errors }
  const { main, files } = tree
  const { target, escapes } = plan
  const dialect = dialectOf(plan)
  const parameters = (symbols: Symbols) => bindParameters(plan, symbols)
  const reader = new TreeReader({ main, store: storeOf(files), target, dialect, escapes, parameters })
  const { diagnostics, joined } = reader
  const read = reader.read()
  const text = joined.text
  if (read) checkJumps(text, read.chunk, plan, diagnostics)
  if (!read || !diagnostics.isEmpty) return refused({ diagnostics, main })
  const { chunk: resolved, functions, ...bound } = read
  const places = { starts: lineStarts(text), functions, files: joined.files }
  return { resolved, info: { ...bound, places, diagnostics, text, main } }
}

function readText(text: Bytes, plan: Plan): ReadSource | Refusal {
  const diagnostics = new Diagnostics(text)
  const found = { diagnostics, main: null }
  const parsed = parse(text, diagnostics, dialectOf(plan), plan.escapes)
  if (diagnostics.isEmpty) checkDepth(parsed, plan.target, diagnostics)
  if (!diagnostics.isEmpty) return refused(found)
  const symbols = createSymbols(parsed.symbolCount)
  const parameters = bindParameters(plan, symbols)
  const resolved = resolve(parsed, parameters, diagnostics, dialectOf(plan))
  checkJumps(text, resolved, plan, diagnostics)
  if (!diagnostics.isEmpty) return refused(found)
  const places = { starts: lineStarts(text), functions: new FunctionPlaces(parsed), files: [] }
  return { resolved, info: { symbols, parameters, places, text, ...found } }
}

function checkJumps(text: Bytes, resolved: Chunk, plan: Plan, diagnostics: Diagnostics): void {
  if (text.includes('goto') || text.includes('::')) checkLabels(resolved, dialectOf(plan), diagnostics)
  if (plan.target === 'luau' && text.includes('continue')) checkContinues(resolved, diagnostics)
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

/**
 * In Lua 5.4 and FiveM, numbers have different semantics than in the other dialects. Sources for the Lua 5.4
 * target are therefore parsed as Lua 5.4 or FiveM.
 */
function dialectOf({ target, dialect }: Plan): Dialect {
  return target === 'lua54' && dialect !== 'fivem' ? 'lua54' : dialect
}
