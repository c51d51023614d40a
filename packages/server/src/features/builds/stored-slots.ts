/**
 * Reads and writes the watermark slots of a version, along with the order marks and numbers that remain
 * in a lifted copy.
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
 * Serializes watermark slots: each is a flat list of positions and strings, alternating. The order marks and the
 * numbers are included if the build has any.
 */
export function writeSlots(slots: readonly Slot[], orders: OrderMarks, numbers = NO_SERVED_NUMBERS): string {
  const list: StoredSlots = slots.map((slot) => slot.flatMap(({ at, text }) => [at, text]))
  if (numbers.list.length > 0) return JSON.stringify({ slots: list, orders, numbers })
  return JSON.stringify(orders.marks.length > 0 ? { slots: list, orders } : list)
}

/** The numbers that differ between keys. */
export function readNumbers(text: string): ServedNumbers {
  const stored = JSON.parse(text) as StoredSlots | { readonly numbers?: ServedNumbers }
  return ('numbers' in stored && stored.numbers) || NO_SERVED_NUMBERS
}

/** Reads how to find the first slots in a lifted copy. */
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
