/** All queries on the `invitations` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { InvitationsTable } from '../../../database/schema/access-tables.ts'

export type InvitationRow = Selectable<InvitationsTable>
export type NewInvitation = Insertable<InvitationsTable>
/** Includes the inviter's current name. */
export type ListedInvitation = InvitationRow & { readonly inviter: string }

const listed = (db: Queries) =>
  db
    .selectFrom('invitations as i')
    .leftJoin('people as p', 'p.id', 'i.invited_by')
    .leftJoin('tokens as t', 't.id', 'i.invited_by')
    .selectAll('i')
    .select((e) => e.fn.coalesce('p.email', 't.name', 'i.invited_by').as('inviter'))

/** Lists an account's invitations, oldest first, including expired ones. */
export const listInvitations = (db: Queries, customerId: string): Promise<ListedInvitation[]> =>
  listed(db).where('i.customer_id', '=', customerId).orderBy('i.seq').execute()

/** `hash` is the hash of the link's secret. */
export const findInvitationByHash = (db: Queries, hash: string): Promise<ListedInvitation | undefined> =>
  listed(db).where('i.hash', '=', hash).executeTakeFirst()

export const findInvitation = (
  db: Queries,
  customerId: string,
  id: string,
): Promise<InvitationRow | undefined> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Lists the invitations created by a user or a token. */
export const listInvitationsBy = (
  db: Queries,
  customerId: string,
  inviter: string,
): Promise<InvitationRow[]> =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('invited_by', '=', inviter)
    .execute()

/** Returns undefined if the email address already has an invitation to this account. */
export const insertInvitation = (tx: Queries, row: NewInvitation): Promise<InvitationRow | undefined> =>
  tx
    .insertInto('invitations')
    .values(row)
    .onConflict((on) => on.columns(['customer_id', 'email']).doNothing())
    .returningAll()
    .executeTakeFirst()

/** Returns false if another transaction has deleted the invitation. */
export const deleteInvitation = async (tx: Queries, id: string): Promise<boolean> => {
  const done = await tx.deleteFrom('invitations').where('id', '=', id).executeTakeFirst()
  return done.numDeletedRows > 0n
}

/** Deletes an account's invitations that expired by this time. */
export const deleteExpiredInvitations = async (
  tx: Queries,
  customerId: string,
  now: number,
): Promise<void> => {
  await tx
    .deleteFrom('invitations')
    .where('customer_id', '=', customerId)
    .where('expires_at', '<=', now)
    .execute()
}

/** Deletes up to `limit` invitations across all accounts that expired by this time. */
export const deleteOldInvitations = async (tx: Queries, now: number, limit: number): Promise<number> => {
  const old = tx.selectFrom('invitations').select('seq').where('expires_at', '<=', now).limit(limit)
  const done = await tx.deleteFrom('invitations').where('seq', 'in', skipLocked(old, tx)).executeTakeFirst()
  return Number(done.numDeletedRows)
}
