/** Reads and writes the watermark slots of a version, and the order marks that survive lifting. */
import { NO_ORDER_MARKS, type OrderMarks, type Slot } from '@scriptward/obfuscator'

type StoredSlots = readonly (readonly (number | string)[])[]

/**
 * Serializes watermark slots: each is a flat list of positions and strings, alternating. The order marks are included if the
 * build has any.
 */
export function writeSlots(slots: readonly Slot[], orders: OrderMarks): string {
  const list: StoredSlots = slots.map((slot) => slot.flatMap(({ at, text }) => [at, text]))
  return JSON.stringify(orders.marks.length > 0 ? { slots: list, orders } : list)
}

/** How to read the first slots in a lifted copy of the code. */
export function readOrders(text: string): OrderMarks {
  const stored = JSON.parse(text) as StoredSlots | { readonly orders: OrderMarks }
  return 'orders' in stored ? stored.orders : NO_ORDER_MARKS
}

export function readSlots(text: string): readonly Slot[] {
  const stored = JSON.parse(text) as StoredSlots | { readonly slots: StoredSlots }
  const list = 'slots' in stored ? stored.slots : stored
  return list.map((slot) =>
    Array.from({ length: slot.length / 2 }, (_, i) => ({
      at: Number(slot[2 * i]),
      text: String(slot[2 * i + 1]),
    })),
  )
}
