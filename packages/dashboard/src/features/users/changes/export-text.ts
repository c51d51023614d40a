/** Writes users as CSV or JSON, one chunk at a time. */
import Papa from 'papaparse'
import { FORMULA } from '../../../lib/csv.ts'
import type { User } from '../user.ts'

export type Format = 'csv' | 'json'

/** An import can read the first columns back. */
const COLUMNS = [
  ...(['key', 'chat_id', 'note', 'private_note', 'key_expires', 'executor'] as const),
  ...(['blacklisted', 'blacklist_reason', 'blacklist_expires', 'tags'] as const),
  ...(['status', 'plan', 'last_used_at', 'executions', 'created_at'] as const),
] as const satisfies (keyof User)[]

/** Escapes cells that a spreadsheet would treat as formulas. */
export function partOf(format: Format, users: readonly User[], isFirst: boolean): string {
  if (format === 'json') {
    const rows = users.map((user) => JSON.stringify(user)).join(',\n')
    return isFirst ? `[\n${rows}` : rows === '' ? '' : `,\n${rows}`
  }
  const rows = users.map(({ tags, ...user }) => ({ ...user, tags: tags.join(',') }))
  const csv = Papa.unparse(rows, { columns: [...COLUMNS], escapeFormulae: FORMULA, header: isFirst })
  return isFirst || csv === '' ? csv : `\r\n${csv}`
}

export function closeOf(format: Format, isEmpty: boolean): string {
  if (format === 'csv') return ''
  return isEmpty ? '[]\n' : '\n]\n'
}
