/** Which users readers see. A change that adds many of them hides them until it is done. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Of a change whose users are hidden. As the partial indexes of `changes` have it, or they would not be used. */
export const isHiding: RawBuilder<SqlBool> = sql`state in ('open', 'ended')`

/**
 * Whether a user is there for readers: no change is still adding them. `users` is the name of the table in the statement.
 * Reads that decide whether a key or a chat id is free leave it out, so that two transactions cannot take the same one.
 * A statement reads the changes that hide users once; they are one for each customer at most, and mostly none.
 */
export const isVisible = (users = 'users'): RawBuilder<SqlBool> => {
  const change = sql.ref(`${users}.change`)
  return sql`(${change} is null or ${change} not in (select seq from changes where ${isHiding}))`
}
