/**
 * Lowers two neighboring statements so that they can run in either order. Each starts and ends at a block
 * that is reached only through words of the stream. The lowered code is checked for independence again,
 * because the two statements share registers.
 */

import { areIndependent, effectsOf } from '../order-watermark/effects.ts'
import type { OrderPair } from '../order-watermark/pairs.ts'
import type { Node, Statement, SymbolId } from '../syntax/ast.ts'
import type { BasicBlock } from './ir.ts'
import type { RegionBuilder } from './region-builder.ts'

export function lowerPair(
  builder: RegionBuilder,
  node: Statement,
  { second: other, mark, apart }: OrderPair,
  lower: (node: Statement) => void,
): void {
  const [first, second, after] = [builder.block(), builder.block(), builder.block()]
  const freshIn = (each: Statement, block: BasicBlock): ReadonlySet<SymbolId> => {
    const before = builder.registers.natives.length
    builder.jump(block)
    builder.open(block)
    if (each === apart) builder.apart(() => lower(each))
    else lower(each)
    return new Set(builder.registers.natives.slice(before))
  }
  const fresh = [freshIn(node, first), freshIn(other, second)] as const
  if (builder.isClosed) return
  builder.jump(after)
  builder.open(after)
  const effects = [effectsOf(nodesBetween(first, second)), effectsOf(nodesBetween(second, after))] as const
  const declaring = effects.filter((each, i) => [...each.writes].every((symbol) => fresh[i]?.has(symbol)))
  if (!areIndependent(...effects, declaring, (symbol) => isShared(builder, symbol))) return
  for (const block of [first, second, after]) block.isMovable = true
  builder.swaps.push({ first, second, after, mark })
}

/**
 * Whether a call can change a register. Registers created by the lowering are private to the current call.
 */
function isShared(builder: RegionBuilder, symbol: SymbolId): boolean {
  const variable = builder.shared.variables.get(symbol)
  return variable?.isCaptured === true && variable.isAssigned
}

/** All nodes that can run after one block and before another. */
function nodesBetween(from: BasicBlock, to: BasicBlock): readonly Node[] {
  const nodes: Node[] = []
  const met = new Set([to])
  const open = [from]
  for (let block = open.pop(); block; block = open.pop()) {
    if (met.has(block)) continue
    met.add(block)
    nodes.push(...block.instructions.flatMap(({ statements }) => statements))
    const { end } = block
    if (end?.kind === 'jump') open.push(end.to)
    if (end?.kind === 'branch') {
      nodes.push(...end.before, end.condition)
      open.push(end.then, end.otherwise)
    }
    if (end?.kind === 'return') nodes.push(...end.before, end.statement)
    if (end?.kind === 'leave') nodes.push({ kind: 'Break', at: 0 })
  }
  return nodes
}
