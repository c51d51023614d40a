/**
 * In server builds, variables of other services, such as `LRM_UserNote`, become expressions on `ward`. A
 * variable that the script also assigns becomes a field of a table, initialized with the server's value. A
 * fallback to a constant is merged into the expression.
 */

import type { PassContext } from '../pass-context.ts'
import { instantiate } from '../semantics/template.ts'
import type {
  Assign,
  Call,
  Chunk,
  Expression,
  GlobalName,
  Index,
  Offset,
  Statement,
  SymbolId,
} from '../syntax/ast.ts'
import { nodesAt, withPrologue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { assignedNames, isGlobalTable } from './assigned-names.ts'
import { variableNamed } from './macro-table.ts'
import type { Notices } from './notices.ts'

/**
 * The variable is true in every server build, so branches that only the unprotected file needs are dropped.
 */
const EXISTS = 'la_exists'

export class ServiceVariables {
  readonly #context: PassContext
  readonly #notices: Notices
  /** The constants of `NAME = NAME or constant`, by name. */
  readonly #defaults = new Map<string, Expression>()
  /** The table for the variables that the script assigns, and the names of those variables. */
  readonly #own: SymbolId
  readonly #uses = new Set<string>()
  #assigned: ReadonlySet<string> = new Set()

  constructor(context: PassContext, notices: Notices) {
    this.#context = context
    this.#notices = notices
    this.#own = context.symbols.fresh()
  }

  /** Renames `la_exists` to `WARD_OBFUSCATED`, so that branches that depend on it are dropped too. */
  markExisting(chunk: Chunk): Chunk {
    const { ward, source } = this.#context
    if (ward === null || !source.mentions(EXISTS) || assignedNames(chunk).has(EXISTS)) return chunk
    return rewrite(chunk, {
      Call: { enter: (node) => this.#refuseCall(node) },
      GlobalName: (node) => (node.name === EXISTS ? { ...node, name: 'WARD_OBFUSCATED' } : undefined),
    })
  }

  expand(chunk: Chunk): Chunk {
    const rest = this.#takeDefaults(chunk)
    this.#assigned = assignedNames(rest)
    const { ward } = this.#context
    const expanded = rewrite(rest, {
      Call: { enter: (node) => this.#refuseCall(node) },
      GlobalName: (node) => {
        if (variableNamed(node.name) === null) return undefined
        return ward === null ? this.#warn(node) : this.#read(node.name, node.at)
      },
      Index: (node) => (ward === null ? undefined : this.#field(node)),
    })
    if (this.#uses.size === 0) return expanded
    return withPrologue(expanded, [this.#declaration([...this.#uses], chunk.at)])
  }

  /** Removes `NAME = NAME or constant` if it is the only assignment to the name. */
  #takeDefaults(chunk: Chunk): Chunk {
    if (this.#context.ward === null) return chunk
    const counts = new Map<string, number>()
    rewrite(chunk, {
      Assign: ({ targets }) =>
        void targets.forEach((each) => {
          if (each.kind === 'GlobalName') counts.set(each.name, (counts.get(each.name) ?? 0) + 1)
        }),
    })
    return rewrite(chunk, {
      Assign: (node): readonly Statement[] | undefined => {
        const found = defaultIn(node)
        if (!found || counts.get(found.name) !== 1) return undefined
        this.#defaults.set(found.name, found.value)
        return []
      },
    })
  }

  #warn({ name, at }: GlobalName): undefined {
    if (this.#assigned.has(name)) return
    this.#notices.add(
      at,
      `${name} is nil in this file: it is available only in scripts delivered by the server`,
    )
  }

  #read(name: string, at: Offset): Expression {
    if (!this.#assigned.has(name)) return this.#given(name, at)
    this.#uses.add(name)
    return nodesAt(at).index(nodesAt(at).use(this.#own), nodesAt(at).string(name))
  }

  /** Handles `_G.NAME` and `getgenv().NAME`. */
  #field({ object, key, at }: Index): Expression | undefined {
    const name = key.kind === 'StringLiteral' ? key.value : ''
    return variableNamed(name) === null || !isGlobalTable(object) ? undefined : this.#read(name, at)
  }

  #given(name: string, at: Offset): Expression {
    const { ward, symbols } = this.#context
    const [made] = instantiate(`return ${variableNamed(name)}`, { ward: ward ?? 0 }, symbols, at)
    const value = made?.kind === 'Return' ? made.values[0] : undefined
    const whole = value ?? nodesAt(at).boolean(true)
    const otherwise = this.#defaults.get(name)
    return otherwise ? nodesAt(at).logical(whole, 'or', { ...otherwise, at }) : whole
  }

  #refuseCall({ callee }: Call): undefined {
    if (callee.kind !== 'GlobalName' || callee.name === 'la_handle') return
    if (variableNamed(callee.name) === null || this.#assigned.has(callee.name)) return
    this.#context.diagnostics.report(callee.at, 'variableNotCalled', callee.name)
  }

  #declaration(names: readonly string[], at: Offset): Statement {
    const make = nodesAt(at)
    const items = names.map((name) => ({
      kind: 'KeyedItem' as const,
      at,
      key: make.string(name),
      value: this.#given(name, at),
    }))
    return make.local([this.#own], [{ kind: 'Table', at, items }])
  }
}

/** Matches `NAME = NAME or constant`. */
function defaultIn({
  targets,
  values,
}: Assign): { readonly name: string; readonly value: Expression } | null {
  const [target] = targets
  const [value] = values
  if (targets.length !== 1 || values.length !== 1 || target?.kind !== 'GlobalName') return null
  if (value?.kind !== 'Logical' || value.operator !== 'or' || value.left.kind !== 'GlobalName') return null
  const isConstant = /^(Number|String|Boolean)Literal$/.test(value.right.kind)
  const isOurs = variableNamed(target.name) !== null && value.left.name === target.name && isConstant
  return isOurs ? { name: target.name, value: value.right } : null
}
