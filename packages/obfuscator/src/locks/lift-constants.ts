/**
 * Takes the strings and integers out of a block and reads them from a table instead. The caller encrypts the
 * texts and provides the table.
 */

import { toFormatCall } from '../lower/interpolated-strings.ts'
import { toFieldCall } from '../lower/method-calls.ts'
import type { Block, Node, SymbolId } from '../syntax/ast.ts'
import { nodesAt } from '../syntax/nodes.ts'
import { rewrite, type Visitors } from '../syntax/walk.ts'

const MAX_NUMBER = 2 ** 31

/** The block without its constants, and the texts by number, from 1. */
export type LiftedBlock = { readonly block: Block; readonly texts: readonly string[] }

/** @param slots the table: texts by number; at 0 the number `base`, to which integers are differences. */
export type ConstantTable = { readonly slots: SymbolId; readonly base: number }

/** Null when there is no constant to take. */
export function liftConstants(
  block: Block,
  table: ConstantTable,
  frozen: ReadonlySet<Node>,
): LiftedBlock | null {
  const texts = new Map<string, number>()
  const fields = rewrite(block, {
    MethodCall: (node) => toFieldCall(node, 'host'),
    InterpolatedString: toFormatCall,
  })
  const lifted = rewrite(fields, lifting(table, texts, frozen))
  if (lifted.statements === fields.statements) return null
  return { block: lifted, texts: [...texts.keys()] }
}

function lifting(
  { slots, base }: ConstantTable,
  texts: Map<string, number>,
  frozen: ReadonlySet<Node>,
): Visitors {
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
    StringLiteral: (node) => {
      if (node.value === '' || frozen.has(node)) return undefined
      const number = texts.get(node.value) ?? texts.size + 1
      texts.set(node.value, number)
      const make = nodesAt(node.at)
      return make.index(make.use(slots), make.number(number))
    },
    NumberLiteral: (node) => {
      const isPlain = loops > 0 || frozen.has(node) || node.value < 2 || node.value >= MAX_NUMBER
      if (isPlain || !Number.isInteger(node.value)) return undefined
      const make = nodesAt(node.at)
      const distance = make.number(Math.abs(node.value - base))
      return make.binary(make.index(make.use(slots), make.number(0)), node.value < base ? '-' : '+', distance)
    },
  }
}
