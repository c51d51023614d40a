/**
 * Slots that survive lifting. Words that lead to one superoperator can be changed to lead to another. This
 * reverses the order of two parts, or moves the constant of a comparison to the other side.
 */

import type { OrderMark } from '../order-watermark/order-marks.ts'
import type { Word } from './instruction-stream.ts'
import type { OrderSwap } from './ir.ts'
import type { PlacedSuperoperator } from './placed-superoperator.ts'
import type { Superoperator } from './superoperators.ts'

/** Pairs of superoperators: the one that words lead to, and its replacement. */
type Ways = readonly (readonly [Superoperator, Superoperator])[]

type OrderOffer = { readonly words: readonly Word[]; readonly mark: OrderMark }

/** @param direction the direction in which the operands of a superoperator follow it in the stream */
export function offerOrders(
  swaps: readonly OrderSwap[],
  order: readonly PlacedSuperoperator[],
  direction: 1 | -1,
): OrderOffer[] {
  const placed = new Map(order.map((each) => [each.made, each]))
  const offers: OrderOffer[] = []
  for (const [mark, ways] of [...swapsOf(swaps, order), ...twinsOf(order)]) {
    const successor = new Map(ways)
    const words = order.flatMap((each) =>
      each.jumps.flatMap((made, j): Word[] => {
        const to = successor.get(made)
        const target = to && placed.get(to)
        if (!target) return []
        return [{ index: each.address + direction * (j + 1), word: target.address + each.number }]
      }),
    )
    if (words.length >= ways.length) offers.push({ words, mark })
  }
  return offers
}

/**
 * To swap two parts, jumps to the first lead to the second, jumps to the second lead to the code after both,
 * and jumps to the code after both lead to the first.
 */
function swapsOf(swaps: readonly OrderSwap[], order: readonly PlacedSuperoperator[]): [OrderMark, Ways][] {
  const starts = new Map(order.map(({ made }) => [made.movable, made]))
  return swaps.flatMap(({ first, second, after, mark }): [OrderMark, Ways][] => {
    const [a, b, c] = [starts.get(first), starts.get(second), starts.get(after)]
    return a && b && c
      ? [
          [
            mark,
            [
              [a, b],
              [b, c],
              [c, a],
            ],
          ],
        ]
      : []
  })
}

/** A comparison that occurs in several superoperators is swapped in all of them. */
function twinsOf(order: readonly PlacedSuperoperator[]): ReadonlyMap<OrderMark, Ways> {
  const found = new Map<OrderMark, Ways>()
  for (const { made } of order) {
    if (made.twin) found.set(made.twin.mark, [...(found.get(made.twin.mark) ?? []), [made, made.twin.made]])
  }
  return found
}
