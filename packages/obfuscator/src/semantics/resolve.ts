/**
 * Resolves names to symbols by Lua's scoping: every `Name` of the parsed tree becomes a `LocalName` or a
 * `GlobalName`. Reports assignments to a `const`; `labels.ts` and `limits.ts` check the rest.
 */

import type { Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Chunk, Expression, Name, SymbolId, Target } from '../syntax/ast.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

/**
 * @param parameters bindings that are visible in the whole chunk.
 * @returns the second tree, as `Chunk` describes it.
 */
export function resolve(chunk: Chunk, parameters: readonly Binding[], diagnostics: Diagnostics): Chunk {
  const scopes = new Scopes()
  for (const parameter of parameters) scopes.declare(parameter)
  return rewrite(chunk, visitors(scopes, diagnostics))
}

/** The names visible at the current place of the walk. Leaving a scope restores what its names shadowed. */
class Scopes {
  readonly #visible = new Map<string, Binding>()
  readonly #hidden: { readonly name: string; readonly before: Binding | undefined }[] = []
  readonly #starts: number[] = []

  open(): undefined {
    this.#starts.push(this.#hidden.length)
  }

  close(): undefined {
    const start = this.#starts.pop() ?? 0
    while (this.#hidden.length > start) {
      const entry = this.#hidden.pop()
      if (entry?.before) this.#visible.set(entry.name, entry.before)
      else if (entry) this.#visible.delete(entry.name)
    }
  }

  declare(binding: Binding): undefined {
    this.#hidden.push({ name: binding.name, before: this.#visible.get(binding.name) })
    this.#visible.set(binding.name, binding)
  }

  find(name: string): Binding | undefined {
    return this.#visible.get(name)
  }
}

function visitors(scopes: Scopes, diagnostics: Diagnostics): Visitors {
  const opens = { enter: () => scopes.open(), leave: () => scopes.close() }
  const constants = new Map<SymbolId, Binding>()
  const repeated = new Set<Block>()
  const refuseConst = (target: Target) => {
    const binding = target.kind === 'LocalName' ? constants.get(target.symbol) : undefined
    if (binding) diagnostics.report(target.at, 'assignToConst', binding.name)
  }
  return {
    // The condition of a `repeat` sees the locals of the body, so there the loop is the scope, not the
    // block.
    Block: {
      enter: (node) => (repeated.has(node) ? undefined : scopes.open()),
      leave: (_, original) => (repeated.has(original) ? undefined : scopes.close()),
    },
    Repeat: {
      enter(node) {
        repeated.add(node.body)
        return scopes.open()
      },
      leave: () => scopes.close(),
    },
    FunctionExpression: opens,
    NumericFor: opens,
    GenericFor: opens,
    Binding(binding) {
      scopes.declare(binding)
      if (binding.isConst) constants.set(binding.symbol, binding)
    },
    Name: (node) => resolved(node, scopes),
    Assign: (node) => node.targets.forEach(refuseConst) ?? undefined,
    CompoundAssign: (node) => refuseConst(node.target) ?? undefined,
  }
}

function resolved(node: Name, scopes: Scopes): Expression {
  const binding = scopes.find(node.name)
  if (binding) return { kind: 'LocalName', at: node.at, symbol: binding.symbol }
  return { kind: 'GlobalName', at: node.at, name: node.name }
}
