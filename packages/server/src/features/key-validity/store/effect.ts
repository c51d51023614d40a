/** SQL for changes that affect users. All changes are listed in `changes/store/effects-by-action.ts`. */
import type { KickReason } from '@scriptward/client/live-messages'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { OfUser } from '../../changes/store/trash-tree.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { UserRow } from '../../keys/store/users.ts'

export type Effect = {
  /** A condition that selects which of the requested users `u` are changed. */
  readonly where: RawBuilder<SqlBool>
  /** New values, each with its column's type. Expressions refer to the values before the change. */
  readonly set: Partial<Record<keyof UserRow, RawBuilder<unknown> | ((db: Queries) => RawBuilder<unknown>)>>
  /** The user's dependent rows to delete. */
  readonly takes: readonly OfUser[]
  /** The reason for ending the user's runs, or undefined if they continue. */
  readonly kick?: KickReason
  readonly removes?: true
}

/** Returns the new values in the SQL dialect of the database. */
export function valuesOf(
  db: Queries,
  { set }: Pick<Effect, 'set'>,
): readonly (readonly [string, RawBuilder<unknown>])[] {
  return Object.entries(set).map(([name, value]) => [name, typeof value === 'function' ? value(db) : value])
}

/** Applies a bulk change to one row. Returns the changed user, or undefined if the effect does not apply. */
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
