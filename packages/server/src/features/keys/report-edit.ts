/** Tells webhooks what an edit of a user changed. */
import type { Queries } from '../../database/engine/db.ts'
import type { Change } from '../webhooks/events/event-shapes.ts'
import { addEvent, type EventDeps, eventUser } from '../webhooks/events/events.ts'
import { readTags } from './labels.ts'
import type { UserChanges, UserRow } from './store/users.ts'

/** Nothing is told when every member had its value before. Clocks and features are told by what follows from them. */
export async function reportEdit(
  tx: Queries,
  deps: EventDeps,
  row: UserRow,
  edit: UserChanges,
): Promise<void> {
  const changes = changesOf(row, edit)
  if (changes.length === 0) return
  const data = { user: eventUser({ ...row, ...edit } as UserRow), actor: 'owner', changes } as const
  await addEvent(tx, deps, { type: 'user.edited', project_id: row.project_id, data })
}

function changesOf(row: UserRow, edit: UserChanges): Change[] {
  const members = Object.keys(edit) as (keyof UserChanges & keyof UserRow)[]
  return members
    .filter((member) => !isHidden(member) && (row[member] ?? null) !== (edit[member] ?? null))
    .map((member) => ({
      member: MEMBERS[member] ?? member,
      before: shown(member, row[member]),
      after: shown(member, edit[member] ?? null),
    }))
}

function isHidden(member: string): boolean {
  return member === 'features' || member === 'metadata_labels' || member.startsWith('clock_')
}

/** What the API calls a column, where it is not its name. */
const MEMBERS: Readonly<Record<string, string>> = { device_match: 'match' }

/** Tags are a text with commas. Metadata and private notes are only named: they are nobody else's business. */
function shown(member: string, value: string | number | null): Change['before'] {
  if (member === 'metadata' || member === 'private_note') return null
  if (member === 'tags') return readTags(value as string | null).join(', ') || null
  return member === 'use_fingerprint' ? value === 1 : value
}
