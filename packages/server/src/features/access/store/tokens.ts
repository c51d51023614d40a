/** All queries on the `tokens` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import { joinedRows } from '../../../database/joined-rows.ts'
import type { TokensTable } from '../../../database/schema/access-tables.ts'
import { tables } from '../../../database/schema/tables.ts'
import type { CustomerRow } from '../../accounts/store/customers.ts'

export type TokenRow = Selectable<TokensTable>
export type NewToken = Insertable<TokensTable>
export type TokenChanges = Updateable<TokensTable>
export type TokenHolder = { readonly token: TokenRow; readonly customer: CustomerRow }

const holder = (column: 't.hash' | 't.previous_hash') =>
  joinedRows(
    { token: ['t', tables.tokens], customer: ['c', tables.customers] },
    (db, columns, p: { hash: string }) =>
      db
        .selectFrom('tokens as t')
        .innerJoin('customers as c', 'c.id', 't.customer_id')
        .select(columns)
        .where(column, '=', p.hash),
  )
const byHash = holder('t.hash')
const byPreviousHash = holder('t.previous_hash')

/** The token with this secret, and its account, even if the token has expired. */
export const findTokenHolder = (db: Queries, hash: string): Promise<TokenHolder | undefined> =>
  byHash.first(db, { hash })

/** The token that had this secret before its last rotation. */
export const findRotatedHolder = (db: Queries, hash: string): Promise<TokenHolder | undefined> =>
  byPreviousHash.first(db, { hash })

export const hasToken = async (db: Queries, customerId: string, id: string): Promise<boolean> => {
  const row = await db
    .selectFrom('tokens')
    .select('seq')
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** The tokens that a user created in an account. */
export const listTokensMadeBy = (
  db: Queries,
  customerId: string,
  personId: string,
): Promise<Pick<TokenRow, 'id' | 'scopes' | 'projects'>[]> =>
  db
    .selectFrom('tokens')
    .select(['id', 'scopes', 'projects'])
    .where('customer_id', '=', customerId)
    .where('created_by', '=', personId)
    .execute()

export const deleteTokensById = async (tx: Queries, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await tx.deleteFrom('tokens').where('id', 'in', ids).execute()
}

/** Records a use unless one was recorded after `before`. */
export const updateTokenUse = async (
  tx: Queries,
  id: string,
  { at, network, before }: { readonly at: number; readonly network: string; readonly before: number },
): Promise<void> => {
  await tx
    .updateTable('tokens')
    .set({ last_used_at: at, last_used_network: network })
    .where('id', '=', id)
    .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<=', before)]))
    .execute()
}

/** All tokens of an account (at most `MAX_TOKENS`), in order of creation. */
export const listTokens = (db: Queries, customerId: string): Promise<TokenRow[]> =>
  db.selectFrom('tokens').selectAll().where('customer_id', '=', customerId).orderBy('seq').execute()

export const findToken = (db: Queries, customerId: string, id: string): Promise<TokenRow | undefined> =>
  db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()

/** Locks the token's row and returns it. Returns undefined if the token has been revoked. */
export const lockToken = (tx: Queries, customerId: string, id: string): Promise<TokenRow | undefined> =>
  forUpdate(
    tx.selectFrom('tokens').selectAll().where('id', '=', id).where('customer_id', '=', customerId),
    tx,
  ).executeTakeFirst()

export const insertToken = (tx: Queries, row: NewToken): Promise<TokenRow> =>
  tx.insertInto('tokens').values(row).returningAll().executeTakeFirstOrThrow()

export const updateToken = (
  tx: Queries,
  customerId: string,
  id: string,
  changes: TokenChanges,
): Promise<TokenRow> =>
  tx
    .updateTable('tokens')
    .set(changes)
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .returningAll()
    .executeTakeFirstOrThrow()

export const deleteToken = async (tx: Queries, customerId: string, id: string): Promise<boolean> => {
  const done = await tx
    .deleteFrom('tokens')
    .where('id', '=', id)
    .where('customer_id', '=', customerId)
    .executeTakeFirst()
  return done.numDeletedRows > 0n
}
