/** Finds functions that could move to the server, and suggests them to the author. */

import { Diagnostics } from '../diagnostics.ts'
import type { PassContext } from '../pass-context.ts'
import type { Bytes, Chunk, Expression, FunctionExpression, Node, SymbolId } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { Captures } from './captures.ts'
import {
  type CallSites,
  countConstants,
  FunctionNames,
  findCallSites,
  findNamedFunctions,
  type NamedFunction,
  type PathId,
} from './named-functions.ts'
import { rootOf, ScriptUses } from './script-uses.ts'
import { hasMember } from './server-library.ts'
import { unsendablePart } from './unsendable-types.ts'

/** A function that uses nothing from the host, keeps no state, and has constants worth hiding. */
export type Suggestion = {
  /** The name to use in the `server` option. */
  readonly name: string
  readonly place: string
  /**
   * `lines` is the number of lines that would leave the script, and `constants` is the number of strings and
   * numbers that would.
   */
  readonly lines: number
  readonly constants: number
  /** Number of calls in the script's code. Each call becomes a round trip. */
  readonly callSites: number
  /** Number of calls in the script's test run; null if the script has not been tested. */
  readonly testCalls: number | null
  /** Why the function should stay in the script; null if no reason is known. */
  readonly obstacle: string | null
}

/** Functions with fewer constants are not worth hiding. */
const MIN_CONSTANTS = 2
const MAX_SUGGESTIONS = 20
/**
 * Maximum total size of the functions to check, in the unit of `NamedFunction.size`. A function that several
 * candidates use counts once per candidate.
 */
const MAX_LOOKED = 300_000

/**
 * @param left the script without the code that already moves to the server.
 */
export function suggestFunctions(chunk: Chunk, left: Chunk, context: PassContext): readonly Suggestion[] {
  if (context.ward === null || context.serverCode !== 'move') return []
  const functions = findNamedFunctions(chunk)
  const ids = left === chunk ? null : new Set(findNamedFunctions(left).map(({ id }) => id))
  // An attribute means that the author chose a different kind of protection.
  const candidates = functions.filter(
    ({ id, func, isMarked }) => !isMarked && func.attributes.length === 0 && (ids === null || ids.has(id)),
  )
  return candidates.length === 0 ? [] : new Search(chunk, context, functions).suggest(candidates)
}

/** A function that could move, and the parts of the script that would move with it. */
type Found = {
  readonly candidate: NamedFunction
  readonly site: CallSites
  readonly leaving: readonly Expression[]
  readonly constants: number
  readonly obstacle: string | null
}

class Search {
  readonly #context: PassContext
  readonly #uses: ScriptUses
  readonly #sites: ReadonlyMap<PathId, CallSites>
  readonly #references: References
  readonly #sizes: ReadonlyMap<Expression, number>
  readonly #names: FunctionNames
  readonly #counted = new Map<Expression, References>()

  constructor(chunk: Chunk, context: PassContext, functions: readonly NamedFunction[]) {
    this.#context = context
    this.#uses = new ScriptUses(chunk)
    this.#sites = findCallSites(chunk)
    this.#references = countReferences(chunk)
    this.#sizes = new Map(functions.map(({ func, size }) => [func, size]))
    this.#names = new FunctionNames(functions, context.diagnostics)
  }

  suggest(candidates: readonly NamedFunction[]): readonly Suggestion[] {
    const found: Found[] = []
    let looked = 0
    for (const candidate of candidates) {
      if (looked > MAX_LOOKED) break
      const diagnostics = new Diagnostics('')
      const captures = new Captures({ ...this.#context, diagnostics }, this.#uses)
      captures.takeMain(candidate.func)
      looked += candidate.size
      for (const value of captures.values.values()) looked += this.#sizes.get(value) ?? 0
      const site = this.#sites.get(candidate.id)
      const name = this.#names.of(candidate)
      if (diagnostics.isEmpty && site && name !== null)
        found.push(this.#weigh({ ...candidate, name }, captures, site))
    }
    const rank = ({ obstacle }: Found) => Number(obstacle !== null)
    return found
      .filter(({ constants }) => constants >= MIN_CONSTANTS)
      .toSorted((a, b) => rank(a) - rank(b) || b.constants - a.constants)
      .slice(0, MAX_SUGGESTIONS)
      .map((each) => this.#describe(each))
  }

  #weigh(candidate: NamedFunction, captures: Captures, site: CallSites): Found {
    const leaving = [candidate.func, ...this.#leaving(candidate.func, captures)]
    const obstacle = this.#obstacleOf(candidate, site)
    return { candidate, site, leaving, constants: countConstants(leaving), obstacle }
  }

  #describe({ candidate: { name, func }, site, leaving, constants, obstacle }: Found): Suggestion {
    const { diagnostics } = this.#context
    return {
      name,
      place: diagnostics.placeOf(func.at),
      lines: linesOf(leaving, diagnostics),
      constants,
      callSites: site.count,
      testCalls: null,
      obstacle,
    }
  }

  /** Returns the captured values that nothing else in the script uses. */
  #leaving(func: FunctionExpression, { values }: Captures): readonly Expression[] {
    const left = new Map(values)
    const inside = new Map<SymbolId, number>()
    const count = (node: Expression, sign: 1 | -1): void => {
      for (const [symbol, uses] of this.#referencesIn(node))
        inside.set(symbol, (inside.get(symbol) ?? 0) + sign * uses)
    }
    for (const node of [func, ...values.values()]) count(node, 1)
    const open = [...values.keys()].filter((symbol) => inside.get(symbol) !== this.#references.get(symbol))
    for (let symbol = open.pop(); symbol !== undefined; symbol = open.pop()) {
      const stays = left.get(symbol)
      if (!stays || !left.delete(symbol)) continue
      count(stays, -1)
      open.push(...this.#referencesIn(stays).keys())
    }
    return [...left.values()]
  }

  /** Caches the result, because many candidates can use the same function. */
  #referencesIn(node: Expression): References {
    const known = this.#counted.get(node) ?? countReferences(node)
    this.#counted.set(node, known)
    return known
  }

  #obstacleOf({ func }: NamedFunction, { loop, value }: CallSites): string | null {
    const { diagnostics } = this.#context
    const typed = unsendablePart(func)
    if (typed !== null) return `${typed}, which cannot be sent to the server`
    const used = objectParameter(func)
    if (used !== null)
      return `the parameter '${used}' seems to be a function or an object, which cannot be sent to the server`
    if (loop !== null)
      return `it is called in a loop at ${diagnostics.placeOf(loop)}, and each call would be a round trip`
    if (value !== null) return `it is passed on at ${diagnostics.placeOf(value)}, so it could be called often`
    return null
  }
}

type References = ReadonlyMap<SymbolId, number>

function countReferences(root: Node): References {
  const counts = new Map<SymbolId, number>()
  const count = ({ symbol }: { readonly symbol: SymbolId }): undefined =>
    void counts.set(symbol, (counts.get(symbol) ?? 0) + 1)
  rewrite(root, { LocalName: count })
  return counts
}

function linesOf(nodes: readonly Node[], diagnostics: Diagnostics): number {
  const places = new Set<string>()
  const note = ({ at }: Node): undefined => void places.add(diagnostics.placeOf(at))
  const visitors = {
    StringLiteral: note,
    NumberLiteral: note,
    LocalName: note,
    GlobalName: note,
    Return: note,
  }
  for (const node of nodes) rewrite(node, visitors)
  return places.size
}

/**
 * Returns the first parameter that the function calls, or on which it calls a method that strings don't have.
 * Null if there is none.
 */
function objectParameter({ parameters, body }: FunctionExpression): Bytes | null {
  const names = new Map(parameters.map(({ symbol, name }) => [symbol, name]))
  let found: Bytes | null = null
  const note = (node: Expression): void => {
    const root = rootOf(node)
    if (root !== null) found ??= names.get(root) ?? null
  }
  rewrite(body, {
    Call: { enter: ({ callee }) => note(callee) },
    MethodCall: { enter: ({ object, method }) => (hasMember('string', method) ? undefined : note(object)) },
  })
  return found
}
