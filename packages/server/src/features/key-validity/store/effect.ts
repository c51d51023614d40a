/** What a change does to many users, in SQL. The changes that there are stand in `changes/store/effects-by-action.ts`. */
import type { KickReason } from '@scriptward/client/live-messages'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { OfUser } from '../../changes/store/trash-tree.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { UserRow } from '../../keys/store/users.ts'

export type Effect = {
  /** Of the users that it is asked for, `u`, those whom it changes. */
  readonly where: RawBuilder<SqlBool>
  /** Columns and their new values, of the type of the column; values are made of the columns as they were. */
  readonly set: Partial<Record<keyof UserRow, RawBuilder<unknown> | ((db: Queries) => RawBuilder<unknown>)>>
  /** What hangs on a user and is deleted. */
  readonly takes: readonly OfUser[]
  /** Why it ends what a user runs; undefined where that goes on. */
  readonly kick?: KickReason
  readonly removes?: true
}

/** A value that is written differently on each engine, as this one writes it. */
export function valuesOf(
  db: Queries,
  { set }: Pick<Effect, 'set'>,
): readonly (readonly [string, RawBuilder<unknown>])[] {
  return Object.entries(set).map(([name, value]) => [name, typeof value === 'function' ? value(db) : value])
}

/** The bulk change on one row: the user as the effect leaves it; undefined where it does not touch them. */
export const updateUserBy = async (
  tx: Queries,
  projectId: string,
  key: string,
  effect: Pick<Effect, 'where' | 'set'>,
): Promise<UserRow | undefined> => {
  const set = valuesOf(tx, effect).map(([column, value]) => sql`${sql.id(column)} = ${value}`)
  const { rows } = await sql<UserRow>`update users as u set ${sql.join(set)}
    where u.key = ${key} and u.project_id = ${projectId} and ${isVisible('u')} and ${effect.where} returning *`.execute(
    tx,
  )
  return rows[0]
}
