/** Determines which users are visible. A change that adds many users hides them until it is complete. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/**
 * Whether a change hides its users. Must repeat the condition of the partial indexes on `changes`. Otherwise,
 * they are not used.
 */
export const isHiding: RawBuilder<SqlBool> = sql`state in ('open', 'ended')`

/**
 * Whether no unfinished change hides the user. `users` is the table's alias in the statement. Don't use this
 * to check whether a key or a Discord account is free, or two transactions could take the same one. The
 * subquery runs once per statement, and finds at most one change per account (usually none).
 */
export const isVisible = (users = 'users'): RawBuilder<SqlBool> => {
  const change = sql.ref(`${users}.change`)
  return sql`(${change} is null or ${change} not in (select seq from changes where ${isHiding}))`
}
