/** Formats responses for operators: lists as tables, single objects line by line, times as dates. */
import type { PublicKeys } from '@scriptward/client/messages'
import { NEVER } from '../api/limits.ts'

type Members = Readonly<Record<string, unknown>>

/** The columns shown for wide tables. `--json` and single objects show every field. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  customers: [
    'id',
    'email',
    'tier',
    'plan_expires',
    'admin',
    'blacklisted',
    'total_users',
    'total_executions',
  ],
  entries: ['created_at', 'actor', 'action', 'nouns', 'changes', 'count'],
}

export function describeAnswer(answer: Members): string {
  const { success: _, ...members } = answer
  const parts = Object.entries(members).map(([name, value]) => describeMember(name, value))
  return parts.length === 0 ? 'done\n' : parts.join('')
}

export function describeKeys({ keys }: PublicKeys): string {
  return table(
    keys.map(({ kid, not_after }) => ({
      kid,
      accepted: not_after === null ? 'in use' : `until ${date(not_after)}`,
    })),
  )
}

function describeMember(name: string, value: unknown): string {
  if (Array.isArray(value)) return table(value as Members[], COLUMNS[name])
  if (typeof value !== 'object' || value === null) return `${name}: ${describeValue(name, value)}\n`
  const lines = Object.entries(value).map(([member, inner]) => `${member}: ${describeValue(member, inner)}\n`)
  return lines.join('')
}

function table(rows: readonly Members[], columns: readonly string[] = Object.keys(rows[0] ?? {})): string {
  const cells = [columns, ...rows.map((row) => columns.map((name) => describeValue(name, row[name])))]
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  return cells
    .map(
      (line) =>
        `${line
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function describeValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (value === NEVER) return 'never'
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'number' && /(_at|expires)$/.test(name) ? date(value) : String(value)
}

function date(time: number): string {
  return new Date(time).toISOString()
}
