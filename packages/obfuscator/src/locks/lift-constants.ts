/**
 * Takes the strings and numbers out of a block and reads them from a table instead. The caller encrypts the
 * values and provides the table.
 */

import { toFormatCall } from '../lower/interpolated-strings.ts'
import { METHOD_ORDERS, toFieldCall } from '../lower/method-calls.ts'
import type { PassContext } from '../pass-context.ts'
import type { Block, Bytes, Expression, Node, Offset, SymbolId } from '../syntax/ast.ts'
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
  /** Takes every number but 0 and 1; otherwise only integers outside of loops. */
  readonly takesAllNumbers: boolean
}

/** Indexes are dealt at random: in the order of the code they would say which statement comes after which. */
export function liftConstants(block: Block, { context, slots, takesAllNumbers }: Lifting): LiftedBlock {
  const { frozen, random, target } = context
  const order = METHOD_ORDERS[target]
  const fields = rewrite(block, {
    MethodCall: (node) => toFieldCall(node, order),
    InterpolatedString: toFormatCall,
  })
  const constants = (take: Take): Visitors => ({
    ...numbers(takesAllNumbers, frozen, take),
    StringLiteral: (node) => (node.value === '' || frozen.has(node) ? undefined : take(node.value, node.at)),
  })
  const found = new Set<Lifted>()
  rewrite(
    fields,
    constants((value) => void found.add(value)),
  )
  const values = random.shuffle([...found])
  const indexes = new Map(values.map((value, i) => [value, i + 1]))
  const read: Take = (value, at) => {
    const make = nodesAt(at)
    const key = make.number(indexes.get(value) ?? 0)
    // So that an outer lock does not take it for a constant.
    frozen.add(key)
    return make.index(make.use(slots), key)
  }
  return { block: rewrite(fields, constants(read)), values }
}

type Take = (value: Lifted, at: Offset) => Expression | undefined

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
        ? value !== 0 && value !== 1 && Number.isFinite(value)
        : loops === 0 && Number.isInteger(value) && value >= 2 && value < MAX_NUMBER
      return isTaken && !frozen.has(node) ? take(value, node.at) : undefined
    },
  }
}
