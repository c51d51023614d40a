import type { Queries } from '../../database/engine/db.ts'
import type { Change } from '../webhooks/events/event-shapes.ts'
import { addEvent, type EventDeps, eventUser } from '../webhooks/events/events.ts'
import { readTags } from './labels.ts'
import type { UserRow } from './store/users.ts'

type Edited = { readonly before: UserRow; readonly after: UserRow; readonly columns: readonly string[] }

/**
 * Reports a user's changed fields to webhooks, if there are any. Changes to clocks and features are reported
 * only through the fields that they affect.
 */
export async function reportEdit(tx: Queries, deps: EventDeps, edited: Edited): Promise<void> {
  const changes = changesOf(edited)
  if (changes.length === 0) return
  const { after } = edited
  const data = { user: eventUser(after), actor: 'owner', changes } as const
  await addEvent(tx, deps, { type: 'user.edited', project_id: after.project_id, data })
}

function changesOf({ before, after, columns }: Edited): Change[] {
  return (columns as (keyof UserRow)[])
    .filter((member) => !isHidden(member) && before[member] !== after[member])
    .map((member) => ({
      member: MEMBERS[member] ?? member,
      before: shown(member, before[member]),
      after: shown(member, after[member]),
    }))
}

function isHidden(member: string): boolean {
  return member === 'features' || member === 'metadata_labels' || member.startsWith('clock_')
}

/** Columns whose names differ in the API. */
const MEMBERS: Readonly<Record<string, string>> = { device_match: 'match' }

/** Lists tags separated by commas. Omits the values of metadata and private notes to keep them private. */
function shown(member: string, value: string | number | null): Change['before'] {
  if (member === 'metadata' || member === 'private_note') return null
  if (member === 'tags') return readTags(value as string | null).join(', ') || null
  return member === 'use_fingerprint' ? value === 1 : value
}
