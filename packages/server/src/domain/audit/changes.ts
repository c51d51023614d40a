/** What a request changes, member by member, as the audit log keeps it. */
import type { Change } from './entry.ts'
import { maskedValue } from './mask.ts'

type Members = Readonly<Record<string, unknown>>

/** `row` is the noun before the change; members that it does not have are new. */
export function changesBetween(row: Members, body: unknown): Record<string, Change> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {}
  const changes = Object.entries(body as Members).map(([name, value]) => [name, changeOf(row, name, value)])
  return Object.fromEntries(changes)
}

function changeOf(row: Members, name: string, value: unknown): Change {
  const after = maskedValue(name, value)
  if (!Object.hasOwn(row, name)) return { after }
  const before = row[name]
  return { before: maskedValue(name, typeof value === 'boolean' ? before === 1 : before), after }
}
