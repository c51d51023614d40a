/** Builds import orders for tests that call the domain layer directly. */
import { readEntries } from '../src/features/imports/formats/entries.ts'
import type { ImportOrder } from '../src/features/imports/import-users.ts'

export function orderOf(users: readonly unknown[]): ImportOrder {
  const entries = readEntries({ users }, { now: 0, limit: users.length })
  if ('fix' in entries) throw new Error(entries.fix)
  return { entries }
}
