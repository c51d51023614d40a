/** The users that a change affected or would affect, with the edited fields. */
import { type ListSpec, type PageQuery, readPage } from '../../api/pagination.ts'
import { Refused } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { type ChangeAsker, findChange } from './changes.ts'
import { type AffectedRow, listAffected, type Named } from './store/affected.ts'
import type { Sample } from './store/trash.ts'

type Values = Readonly<Record<string, unknown>>
export type AffectedUser = Named & {
  /** Edited fields. Empty for added and removed users. */
  readonly changes: Readonly<Record<string, { readonly before: unknown; readonly after: unknown }>>
}

/** Columns that responses omit. */
const HIDDEN: ReadonlySet<string> = new Set(['clock_extra', 'fingerprint_display'])
const PAGE = 100
const LISTED: ListSpec<AffectedRow> = { name: 'affected', numberOf: ({ seq }) => seq }

/** The users of a change that have not been restored by an undo, in the order they were changed. */
export async function listAffectedUsers(deps: Deps, asker: ChangeAsker, id: string, query: PageQuery) {
  const change = await findChange(deps, asker, id)
  if (change instanceof Refused) return change
  const asked = { limit: PAGE, ...query }
  const found = await readPage(LISTED, asked, (range) => listAffected(deps.db.read, change, range))
  return found instanceof Refused ? found : { users: found.rows.map(describeAffected), next: found.next }
}

export function describeSample({ key, chat_id, note, before, after }: Sample): AffectedUser {
  return { user_key: key, chat_id, note, changes: changesBetween(JSON.parse(before), JSON.parse(after)) }
}

/**
 * Edited users appear with their current data. For added and removed users, the trash contains the entire
 * row.
 */
function describeAffected({ user_key, chat_id, note, content, after }: AffectedRow): AffectedUser {
  const stored = JSON.parse(content) as Values
  if (after !== null) return { user_key, chat_id, note, changes: changesBetween(stored, JSON.parse(after)) }
  return { user_key, chat_id: textIn(stored.chat_id), note: textIn(stored.note), changes: {} }
}

function changesBetween(was: Values, is: Values): AffectedUser['changes'] {
  const shown = Object.keys(was).filter((name) => !HIDDEN.has(name))
  return Object.fromEntries(shown.map((name) => [name, { before: was[name], after: is[name] }]))
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
