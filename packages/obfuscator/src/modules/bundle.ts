/**
 * Bundles the chunks of a source tree. Every file except the main file becomes a function. A loader runs each
 * function once.
 */

import { asFunction } from '../lower/wrap-chunk.ts'
import type { Symbols } from '../semantics/symbols.ts'
import type { Target } from '../semantics/target.ts'
import { instantiate } from '../semantics/template.ts'
import type { Chunk, Statement, SymbolId } from '../syntax/ast.ts'
import { NOWHERE } from '../syntax/line-map.ts'
import { bind, nodesAt, withPrologue } from '../syntax/nodes.ts'

/**
 * `modules` is the table that maps numbers to module functions. `load` is the loader, which takes a number
 * and the module's `...`.
 */
export type LoaderSymbols = { readonly modules: SymbolId; readonly load: SymbolId }

/**
 * Behaves like `require` in Lua 5.1: each file runs once, and its result is cached. If a file returns
 * nothing, its result is true.
 */
const LOADER = `
  modules = {}
  local results = {}
  function load(number, ...)
    local result = results[number]
    if result == load then
      local name = ...
      error("loop or previous error loading module" .. (name and " '" .. name .. "'" or ""), 2)
    end
    if result == nil then
      results[number] = load
      result = modules[number](...)
      if result == nil then result = true end
      results[number] = result
    end
    return result
  end`

/** Number of nesting levels added around a file: the assignment and its function. */
const NESTING = 2

export type Joining = { readonly loader: LoaderSymbols; readonly symbols: Symbols; readonly target: Target }

/** @param modules the modules in order of their 1-based numbers. */
export function joinModules(main: Chunk, modules: readonly Chunk[], joining: Joining): Chunk {
  if (modules.length === 0) return main
  const { loader, symbols } = joining
  const locals = [bind(loader.modules, NOWHERE), bind(loader.load, NOWHERE)]
  const prologue: Statement[] = [
    { kind: 'Local', at: NOWHERE, bindings: locals, values: [] },
    ...instantiate(LOADER, loader, symbols, NOWHERE),
    ...modules.map((chunk, i) => moduleFunction(chunk, i + 1, joining)),
  ]
  const nesting = Math.max(main.nesting, ...modules.map((chunk) => chunk.nesting + NESTING))
  return { ...withPrologue(main, prologue), nesting }
}

function moduleFunction(chunk: Chunk, number: number, { loader, symbols, target }: Joining): Statement {
  const make = nodesAt(chunk.at)
  const { inner, outer, isVararg } = asFunction(chunk, symbols, target)
  const place = make.index(make.use(loader.modules), make.number(number))
  const assigned = make.assign(place, { ...make.function(inner.body), isVararg })
  return outer.length === 0 ? assigned : make.do([...outer, assigned])
}
