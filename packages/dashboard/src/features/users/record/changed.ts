/** Describes the audit log entries about the user, and how to undo an edit. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { actionName, actorName, namesIn, summaryOf } from '../../../components/audit/audit-line.ts'
import { type Names, shownField } from '../../../components/audit/audit-values.ts'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import type { AuditEntry } from '../../../queries/access.ts'
import type { User } from '../user.ts'

type Body = NonNullable<V1UsersEditData['body']>
export type Changed = { readonly title: string; readonly details: string; readonly by: string }

/** Fields whose previous value can be sent back unchanged. */
const PLAIN = [
  'note',
  'chat_id',
  'plan_id',
  'issued_to',
  'issued_by',
  'max_instances',
  'max_executions',
] as const
const NO_LIMIT = -1
const HIDDEN = '•••'

export function changedIn(entry: AuditEntry, plans: Names): Changed {
  const t = recordText
  const names = new Map([...namesIn([entry]), ...plans])
  const by = t.by(actorName(entry.actor, names))
  const fields = Object.keys(entry.changes)
  const [field = ''] = fields
  if (!entry.action.endsWith('users.edit') || fields.length === 0) {
    const title = t.did[entry.action] ?? t.did[`v1.${entry.action}`] ?? actionName(entry.action)
    return { title, details: summaryOf(entry, names).join(', '), by }
  }
  if (fields.length > 1)
    return { title: t.changedMany(fields.length), details: summaryOf(entry, names).join(', '), by }
  const { before, after } = entry.changes[field] ?? {}
  const isHidden = after === HIDDEN || before === HIDDEN
  const details = isHidden ? '' : t.fromTo(shownField(field, before, names), shownField(field, after, names))
  return { title: t.changed(labelOf(field)), details, by }
}

function labelOf(field: string): string {
  const names: Readonly<Record<string, string>> = { ...text.users.members, ...text.plans.terms }
  return names[field] ?? field.replaceAll('_', ' ')
}

/**
 * Returns the edit that restores the previous values; undefined if that is impossible or would overwrite a
 * later change.
 */
export function undoOf({ action, changes }: AuditEntry, user: User): Body | undefined {
  if (!action.endsWith('users.edit')) return undefined
  const entries = Object.entries(changes)
  const isPlain = entries.every(
    ([field, { before, after }]) =>
      isPlainField(field) &&
      before !== undefined &&
      before !== HIDDEN &&
      (user[field] ?? '') === (after ?? ''),
  )
  if (entries.length === 0 || !isPlain) return undefined
  return Object.fromEntries(
    entries.map(([field, { before }]) => [field, before ?? (field.startsWith('max_') ? NO_LIMIT : '')]),
  )
}

function isPlainField(field: string): field is (typeof PLAIN)[number] {
  return (PLAIN as readonly string[]).includes(field)
}
