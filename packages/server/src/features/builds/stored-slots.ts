/**
 * Reads and writes a version's watermark slots, and the order marks and numbers that survive in a
 * decompiled copy.
 */
import {
  NO_ORDER_MARKS,
  NO_SERVED_NUMBERS,
  type OrderMarks,
  type ServedNumbers,
  type Slot,
} from '@scriptward/obfuscator'

type StoredSlots = readonly (readonly (number | string)[])[]

/**
 * Serializes watermark slots. Each slot is a flat list that alternates between positions and strings. Order
 * marks and numbers are included if the build has any.
 */
export function writeSlots(slots: readonly Slot[], orders: OrderMarks, numbers = NO_SERVED_NUMBERS): string {
  const list: StoredSlots = slots.map((slot) => slot.flatMap(({ at, text }) => [at, text]))
  if (numbers.list.length > 0) return JSON.stringify({ slots: list, orders, numbers })
  return JSON.stringify(orders.marks.length > 0 ? { slots: list, orders } : list)
}

/** Numbers that differ between keys. */
export function readNumbers(text: string): ServedNumbers {
  const stored = JSON.parse(text) as StoredSlots | { readonly numbers?: ServedNumbers }
  return ('numbers' in stored && stored.numbers) || NO_SERVED_NUMBERS
}

/** Reads the marks that locate the first slots in a decompiled copy. */
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
