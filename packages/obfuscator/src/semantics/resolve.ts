/**
 * Resolves names to symbols by Lua's scoping rules: every `Name` in the parsed tree becomes a `LocalName` or
 * a `GlobalName`. Reports assignments to a `const`. `labels.ts` and `limits.ts` check everything else.
 */

import type { Diagnostics } from '../diagnostics.ts'
import type { Binding, Block, Chunk, Expression, Name, SymbolId, Target } from '../syntax/ast.ts'
import { type Dialect, isLua54 } from '../syntax/dialect.ts'
import { nodesAt, use } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

/**
 * @param parameters bindings that are visible in the entire chunk.
 * @param dialect the dialect of the source. In Lua 5.4, globals in the scope of a local `_ENV` are fields of
 * that local.
 * @returns the resolved tree, as described at `Chunk`.
 */
export function resolve(
  chunk: Chunk,
  parameters: readonly Binding[],
  diagnostics: Diagnostics,
  dialect: Dialect = 'any',
): Chunk {
  const scopes = new Scopes(isLua54(dialect) ? '_ENV' : null)
  for (const parameter of parameters) scopes.declare(parameter)
  // Luau classes are visible in the entire chunk, including above their declarations.
  for (const each of chunk.body.statements) if (each.kind === 'Class') scopes.declare(each.binding)
  return rewrite(chunk, visitors(scopes, diagnostics))
}

/**
 * The names that are visible at the current position of the traversal. Leaving a scope restores the names
 * that the scope shadowed.
 */
class Scopes {
  readonly #environment: string | null
  readonly #visible = new Map<string, Binding>()
  readonly #hidden: { readonly name: string; readonly before: Binding | undefined }[] = []
  readonly #starts: number[] = []

  /** @param environment the name of the local whose fields are the globals; null if the dialect has none. */
  constructor(environment: string | null) {
    this.#environment = environment
  }

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

  get environment(): Binding | undefined {
    return this.#environment === null ? undefined : this.find(this.#environment)
  }
}

function visitors(scopes: Scopes, diagnostics: Diagnostics): Visitors {
  const opens = { enter: () => scopes.open(), leave: () => scopes.close() }
  const constants = new Map<SymbolId, Binding>()
  const repeated = new Set<Block>()
  const classes = new Set<Binding>()
  const refuseConst = (target: Target) => {
    const binding = target.kind === 'LocalName' ? constants.get(target.symbol) : undefined
    if (binding) diagnostics.report(target.at, 'assignToConst', binding.name)
  }
  return {
    // The condition of a `repeat` can use the locals of the body, so the scope extends over the entire loop.
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
    Class: { enter: ({ binding }) => void classes.add(binding) },
    FunctionExpression: opens,
    NumericFor: opens,
    GenericFor: opens,
    Binding(binding) {
      if (!classes.has(binding)) scopes.declare(binding)
      if (binding.isConst) constants.set(binding.symbol, binding)
    },
    Name: (node) => resolved(node, scopes),
    Assign: (node) => node.targets.forEach(refuseConst) ?? undefined,
    CompoundAssign: (node) => refuseConst(node.target) ?? undefined,
  }
}

function resolved({ at, name }: Name, scopes: Scopes): Expression {
  const binding = scopes.find(name)
  if (binding) return use(binding.symbol, at)
  const { environment } = scopes
  if (!environment) return { kind: 'GlobalName', at, name }
  const make = nodesAt(at)
  return make.index(make.use(environment.symbol), make.string(name))
}
