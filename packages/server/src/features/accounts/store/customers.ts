/** All queries on the `customers` table. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { KeysetRange } from '../../../database/keyset-range.ts'
import type { CustomersTable } from '../../../database/schema/account-tables.ts'

export type CustomerRow = Selectable<CustomersTable>
export type NewCustomer = Insertable<CustomersTable>
export type CustomerChanges = Updateable<CustomersTable>

export const findCustomer = (db: Queries, id: string): Promise<CustomerRow | undefined> =>
  db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst()

export const findCustomerByApiKeyHash = (db: Queries, hash: string): Promise<CustomerRow | undefined> =>
  db.selectFrom('customers').selectAll().where('api_key_hash', '=', hash).executeTakeFirst()

/** Returns the account with this previous API key, if the key still works. */
export const findCustomerByPreviousKey = (
  db: Queries,
  hash: string,
  now: number,
): Promise<CustomerRow | undefined> =>
  db
    .selectFrom('customers')
    .selectAll()
    .where('previous_api_key_hash', '=', hash)
    .where('previous_api_key_until', '>', now)
    .executeTakeFirst()

/** Records that the API key was used in a URL path, unless a use has been recorded since `before`. */
export const updatePathKeyUse = async (
  tx: Queries,
  id: string,
  { at, before }: { readonly at: number; readonly before: number },
): Promise<void> => {
  await tx
    .updateTable('customers')
    .set({ path_key_used_at: at })
    .where('id', '=', id)
    .where((e) => e.or([e('path_key_used_at', 'is', null), e('path_key_used_at', '<=', before)]))
    .execute()
}

export const findCustomerByEmail = (db: Queries, email: string): Promise<CustomerRow | undefined> =>
  db.selectFrom('customers').selectAll().where('email', '=', email).executeTakeFirst()

const locked = prepared((db, p: { id: string }) =>
  forUpdate(db.selectFrom('customers').selectAll().where('id', '=', p.id), db),
)
/** Locks the account's row and returns it. Returns null if the account was deleted. */
export const lockCustomer = (tx: Queries, id: string): Promise<CustomerRow | null> => locked.first(tx, { id })

export const listCustomers = (db: Queries, { after = 0, from, limit }: KeysetRange): Promise<CustomerRow[]> =>
  db
    .selectFrom('customers')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .offset(from)
    .execute()

export const countCustomers = async (db: Queries): Promise<number> => {
  const { count } = await db
    .selectFrom('customers')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const insertCustomer = (tx: Queries, row: NewCustomer): Promise<CustomerRow> =>
  tx.insertInto('customers').values(row).returningAll().executeTakeFirstOrThrow()

export const updateCustomer = (
  tx: Queries,
  id: string,
  changes: CustomerChanges,
): Promise<CustomerRow | undefined> =>
  tx.updateTable('customers').set(changes).where('id', '=', id).returningAll().executeTakeFirst()

export type ApiKeyChange = Pick<
  CustomerRow,
  'api_key_hash' | 'api_key_start' | 'previous_api_key_hash' | 'previous_api_key_until'
>
/** Replaces the API key that has this hash. Returns false if the key was already replaced. */
export const updateApiKey = async (tx: Queries, oldHash: string, change: ApiKeyChange): Promise<boolean> => {
  const done = await tx
    .updateTable('customers')
    .set(change)
    .where('api_key_hash', '=', oldHash)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Ends expired blacklists, and returns their number. */
export const updateEndedCustomerBlacklists = async (tx: Queries, now: number): Promise<number> => {
  const done = await tx
    .updateTable('customers')
    .set({ blacklisted: 0, blacklist_reason: null, blacklist_expires: null })
    .where('blacklisted', '=', 1)
    .where('blacklist_expires', '<=', now)
    .executeTakeFirst()
  return Number(done.numUpdatedRows)
}

/** Throws if the account has projects. */
export const deleteCustomer = async (tx: Queries, id: string): Promise<boolean> => {
  const done = await tx.deleteFrom('customers').where('id', '=', id).executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** The oldest operator account. */
export const findFirstAdmin = (db: Queries): Promise<CustomerRow | undefined> =>
  db.selectFrom('customers').selectAll().where('admin', '=', 1).orderBy('seq').limit(1).executeTakeFirst()
