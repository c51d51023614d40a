/** Finds the users that a change affects: by key before the change, and from the trash after it. */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { KeysetRange } from '../../../database/keyset-range.ts'
import type { ChangeRow } from './changes.ts'

export type Named = {
  readonly user_key: string
  readonly chat_id: string | null
  readonly note: string | null
}
export type AffectedRow = Named & {
  readonly seq: number
  /** JSON: the previous values if the change edited the user, otherwise the entire user. */
  readonly content: string
  /** JSON: the new values. Null for added and removed users. */
  readonly after: string | null
}

/** Must repeat the partial index's condition. Otherwise, the index is not used. */
const isUser = sql<boolean>`t.kind in ('users', 'change', 'added')`

export const listNamed = (tx: Queries, projectId: string, keys: readonly string[]): Promise<Named[]> =>
  tx
    .selectFrom('users')
    .select(['key as user_key', 'chat_id', 'note'])
    .where('project_id', '=', projectId)
    .where('key', 'in', keys)
    .orderBy('seq')
    .execute()

/** The users in the trash. For those that still exist, includes their current Discord account and note. */
export const listAffected = async (
  db: Queries,
  { seq, project_id }: Pick<ChangeRow, 'seq' | 'project_id'>,
  { from, limit, after }: KeysetRange,
): Promise<AffectedRow[]> => {
  const { rows } = await sql<AffectedRow>`select t.seq, t.user_key, t.content, t.after, u.chat_id, u.note
    from trash as t left join users as u on u.project_id = ${project_id} and u.key = t.user_key
    where t.change = ${seq} and t.seq > ${after ?? 0} and ${isUser}
    order by t.seq limit ${limit} offset ${from}`.execute(db)
  return rows
}
