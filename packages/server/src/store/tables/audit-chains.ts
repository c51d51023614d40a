/** Rows of `audit_chains` and every statement on that table: both ends of the hash chain of each account. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { forUpdate } from '../engine/dialect.ts'
import type { AuditChainsTable } from '../schema/access-tables.ts'

export type AuditChainRow = Selectable<AuditChainsTable>

/** The chain of an account, locked until the transaction ends; made with `start` as both its ends where there is none. */
export const lockAuditChain = async (
  tx: Queries,
  customerId: string,
  start: string,
): Promise<AuditChainRow> => {
  const ends = { cut_n: 0, cut_hash: start, head_n: 0, head_hash: start }
  await tx
    .insertInto('audit_chains')
    .values({ customer_id: customerId, ...ends })
    .onConflict((on) => on.column('customer_id').doNothing())
    .execute()
  const chain = tx.selectFrom('audit_chains').selectAll().where('customer_id', '=', customerId)
  return forUpdate(chain, tx).executeTakeFirstOrThrow()
}

export const updateAuditHead = async (
  tx: Queries,
  customerId: string,
  head: Pick<AuditChainRow, 'head_n' | 'head_hash'>,
): Promise<void> => {
  await tx.updateTable('audit_chains').set(head).where('customer_id', '=', customerId).execute()
}

export const updateAuditCut = async (
  tx: Queries,
  customerId: string,
  cut: Pick<AuditChainRow, 'cut_n' | 'cut_hash'>,
): Promise<void> => {
  await tx.updateTable('audit_chains').set(cut).where('customer_id', '=', customerId).execute()
}

export const findAuditChain = (db: Queries, customerId: string): Promise<AuditChainRow | undefined> =>
  db.selectFrom('audit_chains').selectAll().where('customer_id', '=', customerId).executeTakeFirst()

/** Up to `limit` accounts with a chain or with entries, in the order of their ids, from after one on. */
export const listAuditedAccounts = async (
  db: Queries,
  after: string | undefined,
  limit: number,
): Promise<string[]> => {
  const from = sql<boolean>`customer_id > ${after ?? ''} or ${after === undefined ? 1 : 0} = 1`
  const chains = db.selectFrom('audit_chains').select('customer_id').where(from)
  const entries = db.selectFrom('audit_entries').select('customer_id').distinct().where(from)
  const rows = await chains.union(entries).orderBy('customer_id').limit(limit).execute()
  return rows.map(({ customer_id }) => customer_id)
}

/** Accounts whose oldest entry was made before a time. */
export const listChainsToCut = async (db: Queries, before: number, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('audit_chains')
    .innerJoin('audit_entries', (join) =>
      join
        .onRef('audit_entries.customer_id', '=', 'audit_chains.customer_id')
        .on('audit_entries.n', '=', sql<number>`audit_chains.cut_n + 1`),
    )
    .select('audit_chains.customer_id')
    .where('audit_entries.created_at', '<', before)
    .orderBy('audit_chains.customer_id')
    .limit(limit)
    .execute()
  return rows.map(({ customer_id }) => customer_id)
}
