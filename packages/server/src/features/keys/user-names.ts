/** Adds the user's note and Discord account to rows with a license key. */
import type { Queries } from '../../database/engine/db.ts'
import { listUserNames } from './store/users.ts'

type Keyed = { readonly user_key: string | null }
type Named = { readonly note: string | null; readonly chat_id: string | null }

const UNNAMED: Named = { note: null, chat_id: null }

/** Reads all names with one query. */
export async function nameUsers<Row extends Keyed>(
  db: Queries,
  projectId: string,
  rows: readonly Row[],
): Promise<(Row & Named)[]> {
  const keys = new Set(rows.flatMap(({ user_key }) => user_key ?? []))
  const names = new Map<string | null, Named>()
  for (const { key, ...name } of await listUserNames(db, projectId, [...keys])) names.set(key, name)
  return rows.map((row) => ({ ...row, ...(names.get(row.user_key) ?? UNNAMED) }))
}
