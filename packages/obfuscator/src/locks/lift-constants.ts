/**
 * Takes the strings and numbers out of a block and reads them from a table instead. The caller encrypts the
 * values and provides the table.
 */

import { toFormatCall } from '../lower/interpolated-strings.ts'
import { METHOD_ORDERS, toFieldCall } from '../lower/method-calls.ts'
import type { PassContext } from '../pass-context.ts'
import type { Block, Bytes, Expression, Node, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

const MAX_NUMBER = 2 ** 31

/** A constant that was taken out of a block. */
export type Lifted = Bytes | number

/** The block without its constants, and the constants by their index in the table, from 1. */
export type LiftedBlock = { readonly block: Block; readonly values: readonly Lifted[] }

export type Lifting = {
  readonly context: PassContext
  /** The local that holds the table. */
  readonly slots: SymbolId
  /**
   * Takes every number, and gives each place an index of its own, so that nothing tells which constants are the same;
   * otherwise only integers outside of loops.
   */
  readonly takesAll: boolean
}

/** Longer texts stand once. */
const MAX_REPEATED = 64

/** Indexes are dealt at random: in the order of the code they would say which statement comes after which. */
export function liftConstants(block: Block, { context, slots, takesAll }: Lifting): LiftedBlock {
  const { frozen, random, target } = context
  const order = METHOD_ORDERS[target]
  const fields = rewrite(block, {
    MethodCall: (node) => toFieldCall(node, order),
    InterpolatedString: toFormatCall,
  })
  const constants = (take: Take): Visitors => ({
    ...numbers(takesAll, frozen, take),
    StringLiteral: (node) => (node.value === '' || frozen.has(node) ? undefined : take(node.value, node)),
  })
  const entryOf = (value: Lifted, node: Node) =>
    takesAll && String(value).length <= MAX_REPEATED ? node : value
  const found = new Map<Node | Lifted, Lifted>()
  rewrite(
    fields,
    constants((value, node) => void found.set(entryOf(value, node), value)),
  )
  const entries = random.shuffle([...found])
  const indexes = new Map(entries.map(([entry], i) => [entry, i + 1]))
  const read: Take = (value, node) => {
    const make = nodesAt(node.at)
    const key = make.number(indexes.get(entryOf(value, node)) ?? 0)
    // So that an outer lock does not take it for a constant.
    frozen.add(key)
    return make.index(make.use(slots), key)
  }
  return { block: rewrite(fields, constants(read)), values: entries.map(([, value]) => value) }
}

type Take = (value: Lifted, node: Node) => Expression | undefined

function numbers(takesAll: boolean, frozen: ReadonlySet<Node>, take: Take): Visitors {
  let loops = 0
  const count = (by: number): undefined => {
    loops += by
  }
  const loop = { enter: (_: Node): undefined => count(1), leave: (_: Node): undefined => count(-1) }
  return {
    While: loop,
    Repeat: loop,
    NumericFor: loop,
    GenericFor: loop,
    NumberLiteral: (node) => {
      const { value } = node
      const isTaken = takesAll
        ? Number.isFinite(value)
        : loops === 0 && Number.isInteger(value) && value >= 2 && value < MAX_NUMBER
      return isTaken && !frozen.has(node) ? take(value, node) : undefined
    },
  }
}
