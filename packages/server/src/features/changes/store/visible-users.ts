/** Determines which users are visible. A change that adds many users hides them until it is done. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** True for a change that hides its users. Must match the condition of the partial indexes of `changes`, or they are not used. */
export const isHiding: RawBuilder<SqlBool> = sql`state in ('open', 'ended')`

/**
 * True for a user who is not hidden by a change that is still adding users. `users` is the table's name
 * in the statement. Do not use it to check whether a key or a Discord account is free: two transactions
 * could take the same one. The subquery runs once per statement and finds at most one change per account,
 * usually none.
 */
export const isVisible = (users = 'users'): RawBuilder<SqlBool> => {
  const change = sql.ref(`${users}.change`)
  return sql`(${change} is null or ${change} not in (select seq from changes where ${isHiding}))`
}
