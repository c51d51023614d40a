/**
 * Lowers `continue` for hosts without it. The body is wrapped in a loop that runs once, and `continue`
 * becomes a `break` out of that loop.
 *
 * Where the target has labels, the body is also wrapped in a block. A `goto` may jump over locals to a label
 * at the end of a block, but not to a label at the end of a `repeat` body, because the condition of the
 * `repeat` could use those locals.
 */

import type { Symbols } from '../semantics/symbols.ts'
import type {
  Binding,
  Block,
  Expression,
  GenericFor,
  Local,
  NumericFor,
  Repeat,
  Statement,
  SymbolId,
  While,
} from '../syntax/ast.ts'
import { nodesAt, use } from '../syntax/nodes.ts'
import { ownLoopLevel, rewrite } from '../syntax/walk.ts'

export type Loop = While | Repeat | NumericFor | GenericFor

/**
 * Lowers the `continue` statements in this loop. Those in inner loops have already been lowered.
 *
 * @param hasLabels whether the lowered chunk may still contain labels.
 */
export function lowerContinue(loop: Loop, symbols: Symbols, hasLabels: boolean): Loop {
  const found = leavesOf(loop.body)
  if (!found.continues) return loop
  const flag = found.breaks ? symbols.fresh() : null
  const make = nodesAt(loop.at)
  const body = rerouted(loop.body, flag)
  const once: Once = (statements) => make.once(hasLabels ? [make.do(statements)] : statements)
  if (loop.kind === 'Repeat') return repeated(loop, body, flag, once)
  const round = once(body.statements)
  const statements =
    flag === null
      ? [round]
      : [make.local([flag], [make.boolean(false)]), round, make.if(make.use(flag), [make.break])]
  return { ...loop, body: make.block(statements) }
}

/** Wraps statements in a loop that runs only once. */
type Once = (statements: readonly Statement[]) => Statement

function leavesOf(body: Block): { continues: boolean; breaks: boolean } {
  const found = { continues: false, breaks: false }
  rewrite(body, {
    ...ownLoopLevel,
    Continue: () => {
      found.continues = true
    },
    Break: () => {
      found.breaks = true
    },
  })
  return found
}

function rerouted(body: Block, flag: SymbolId | null): Block {
  return rewrite(body, {
    ...ownLoopLevel,
    Continue: (node) => nodesAt(node.at).break,
    Break(node) {
      if (flag === null) return undefined
      const make = nodesAt(node.at)
      return [make.assign(make.use(flag), make.boolean(true)), make.break]
    },
  })
}

/**
 * The condition needs access to locals of the body, which is now nested one scope deeper. These locals are
 * therefore declared outside the inner loop and assigned inside it. Each iteration of the author's loop still
 * creates new locals, as closures require.
 */
function repeated(loop: Repeat, body: Block, flag: SymbolId | null, once: Once): Repeat {
  const make = nodesAt(loop.at)
  const needed = symbolsIn(loop.condition)
  const hoisted: Binding[] = []
  const statements = body.statements.flatMap((each) => hoist(each, needed, hoisted))
  const declared: Statement[] = []
  if (hoisted.length > 0) declared.push({ kind: 'Local', at: loop.at, bindings: hoisted, values: [] })
  if (flag !== null) declared.push(make.local([flag], [make.boolean(false)]))
  const condition = flag === null ? loop.condition : make.logical(make.use(flag), 'or', loop.condition)
  return { ...loop, body: make.block([...declared, once(statements)]), condition }
}

function symbolsIn(condition: Expression): Set<SymbolId> {
  const found = new Set<SymbolId>()
  rewrite(condition, {
    LocalName: (node) => {
      found.add(node.symbol)
    },
  })
  return found
}

function hoist(statement: Statement, needed: Set<SymbolId>, hoisted: Binding[]): Statement | Statement[] {
  if (statement.kind === 'LocalFunction' && needed.has(statement.binding.symbol)) {
    hoisted.push(statement.binding)
    return nodesAt(statement.at).assign(use(statement.binding.symbol, statement.at), statement.func)
  }
  if (statement.kind !== 'Local' || !statement.bindings.some((each) => needed.has(each.symbol)))
    return statement
  hoisted.push(...statement.bindings)
  return assigned(statement)
}

/** A variable without an initial value is already nil, because its declaration runs in every iteration. */
function assigned({ at, bindings, values }: Local): Statement[] {
  if (values.length === 0) return []
  const targets = bindings.map((each) => use(each.symbol, at))
  return [{ kind: 'Assign', at, targets, values }]
}
