/**
 * Tracks the Roblox instances that a file reaches through `script`, including through locals such as `local
 * Modules = script.Parent`.
 */

import { textOf } from '../source-bytes.ts'
import type { Chunk, Expression, Local, MethodCall, Statement, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'
import type { Request } from './module-path.ts'

/** `from` is the local that the instance is reached through; null if there is none. */
type Instance = { readonly names: readonly (string | null)[]; readonly from: SymbolId | null }

/** Methods that look up a child by name. */
const CHILD = new Set(['WaitForChild', 'FindFirstChild'])

export class Instances {
  readonly #assigned: ReadonlySet<SymbolId>
  readonly #known = new Map<SymbolId, Instance>()
  /** Locals that were needed to find a file in the source tree. */
  readonly #spent = new Set<SymbolId>()

  /** @param assigned locals that are assigned after their declaration. */
  constructor(assigned: ReadonlySet<SymbolId>) {
    this.#assigned = assigned
  }

  visitors(): Visitors {
    return {
      Local: ({ bindings, values }) => {
        for (const [i, { symbol }] of bindings.entries()) {
          const value = values[i]
          const instance = value && !this.#assigned.has(symbol) ? this.#reached(value) : null
          if (instance) this.#known.set(symbol, instance)
        }
        return undefined
      },
    }
  }

  requestOf(argument: Expression): Request | null {
    const reached = this.#reached(argument)
    return reached && { form: 'instance', names: reached.names }
  }

  /**
   * Records that this argument was resolved to a file in the source tree. The host's instance is then no
   * longer needed.
   */
  spend(argument: Expression): void {
    let from = this.#reached(argument)?.from ?? null
    while (from !== null && !this.#spent.has(from)) {
      this.#spent.add(from)
      from = this.#known.get(from)?.from ?? null
    }
  }

  /**
   * Removes locals that were used only to reach files in the source tree, because the host may not define
   * `script`.
   */
  withoutSpent(chunk: Chunk): Chunk {
    let rest = chunk
    while (this.#spent.size > 0) {
      const used = new Set<SymbolId>()
      rewrite(rest, { LocalName: ({ symbol }) => void used.add(symbol) })
      const unused = [...this.#spent].filter((symbol) => !used.has(symbol))
      if (unused.length === 0) return rest
      for (const symbol of unused) this.#spent.delete(symbol)
      const dropped = new Set(unused)
      rest = rewrite(rest, { Local: (node) => withoutValues(node, dropped) })
    }
    return rest
  }

  #reached(node: Expression): Instance | null {
    if (node.kind === 'Paren') return this.#reached(node.inner)
    if (node.kind === 'LocalName') {
      const known = this.#known.get(node.symbol)
      return known ? { names: known.names, from: node.symbol } : null
    }
    if (node.kind === 'GlobalName') return node.name === 'script' ? { names: [], from: null } : null
    if (node.kind === 'MethodCall') return this.#child(node)
    if (node.kind !== 'Index' || node.key.kind !== 'StringLiteral') return null
    const name = textOf(node.key.value)
    return below(this.#reached(node.object), name === 'Parent' ? null : name)
  }

  #child({ object, method, args: [name] }: MethodCall): Instance | null {
    if (!CHILD.has(method) || name?.kind !== 'StringLiteral') return null
    return below(this.#reached(object), textOf(name.value))
  }
}

function below(instance: Instance | null, name: string | null): Instance | null {
  return instance && { ...instance, names: [...instance.names, name] }
}

function withoutValues(
  node: Local,
  dropped: ReadonlySet<SymbolId>,
): Statement | readonly Statement[] | undefined {
  const isDropped = node.bindings.map(({ symbol }) => dropped.has(symbol))
  if (!isDropped.includes(true)) return undefined
  if (node.bindings.length === 1 && node.values.length === 1) return []
  const values = node.values.map((value, i) => (isDropped[i] ? nodesAt(value.at).nil : value))
  return { ...node, values }
}
