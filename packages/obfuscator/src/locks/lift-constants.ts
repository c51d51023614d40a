/**
 * Replaces the strings and numbers of a block with table lookups. The caller encrypts the values and creates
 * the table.
 */

import { toFormatCall } from '../lower/interpolated-strings.ts'
import { METHOD_ORDERS, toFieldCall } from '../lower/method-calls.ts'
import type { PassContext } from '../pass-context.ts'
import type { Block, Bytes, Expression, Node, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

const MAX_NUMBER = 2 ** 31

/** The value of a constant that moved to the table. */
export type Lifted = Bytes | number

/** The block without its constants, and the constants in order of their 1-based table indexes. */
export type LiftedBlock = { readonly block: Block; readonly values: readonly Lifted[] }

export type Lifting = {
  readonly context: PassContext
  /** The local that holds the table. */
  readonly slots: SymbolId
  /**
   * If true, every number is moved, and each occurrence has its own index, so that the output does not reveal
   * which constants are equal. If false, only integers outside loops are moved, and equal constants share an
   * index.
   */
  readonly takesAll: boolean
}

/** Maximum length of a string that is stored once per occurrence. Longer strings are stored only once. */
const MAX_REPEATED = 64

/**
 * Replaces the constants of a block. Indexes are assigned at random, because indexes in source order would
 * reveal the order of the statements.
 */
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
    // Keeps an enclosing lock from treating the index as a constant.
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
