/** All queries on the `audit_chains` table (both ends of each account's hash chain). */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate } from '../../../database/engine/dialect.ts'
import type { AuditChainsTable, AuditRegisterTable } from '../../../database/schema/access-tables.ts'

export type AuditChainRow = Selectable<AuditChainsTable>

export type AuditEnds = Omit<AuditChainRow, 'customer_id'>

/**
 * Locks an account's chain until the transaction ends. Creates a missing chain with `start` at both ends, and
 * sets `isNew`.
 */
export const lockAuditChain = async (
  tx: Queries,
  customerId: string,
  start: string,
): Promise<AuditChainRow & { readonly isNew: boolean }> => {
  const ends = { cut_n: 0, cut_hash: start, head_n: 0, head_hash: start }
  const made = await tx
    .insertInto('audit_chains')
    .values({ customer_id: customerId, ...ends })
    .onConflict((on) => on.column('customer_id').doNothing())
    .executeTakeFirst()
  const chain = tx.selectFrom('audit_chains').selectAll().where('customer_id', '=', customerId)
  const row = await forUpdate(chain, tx).executeTakeFirstOrThrow()
  return { ...row, isNew: Number(made.numInsertedOrUpdatedRows ?? 0) > 0 }
}

export const updateAuditEnds = async (
  tx: Queries,
  customerId: string,
  ends: Partial<AuditEnds>,
): Promise<void> => {
  await tx.updateTable('audit_chains').set(ends).where('customer_id', '=', customerId).execute()
}

/** Whether any entry was ever chained. If so, the register must exist. */
export const hasAuditChains = async (db: Queries): Promise<boolean> => {
  const chain = await db.selectFrom('audit_chains').select('customer_id').limit(1).executeTakeFirst()
  if (chain) return true
  const entry = db.selectFrom('audit_entries').select('id').where('n', 'is not', null).limit(1)
  return (await entry.executeTakeFirst()) !== undefined
}

export type AuditRegisterRow = Omit<Selectable<AuditRegisterTable>, 'id'>
const REGISTER = 1

export const findAuditRegister = (db: Queries): Promise<AuditRegisterRow | undefined> =>
  db.selectFrom('audit_register').selectAll().where('id', '=', REGISTER).executeTakeFirst()

export const lockAuditRegister = (tx: Queries): Promise<AuditRegisterRow | undefined> =>
  forUpdate(tx.selectFrom('audit_register').selectAll().where('id', '=', REGISTER), tx).executeTakeFirst()

/** Does nothing if another process has created the register first. */
export const insertAuditRegister = async (tx: Queries, register: AuditRegisterRow): Promise<void> => {
  await tx
    .insertInto('audit_register')
    .values({ id: REGISTER, ...register })
    .onConflict((on) => on.column('id').doNothing())
    .execute()
}

export const updateAuditRegister = async (tx: Queries, register: AuditRegisterRow): Promise<void> => {
  const { chains, entries, seal } = register
  await tx.updateTable('audit_register').set({ chains, entries, seal }).where('id', '=', REGISTER).execute()
}

/** The register's counts and the actual counts, from one snapshot. */
export const compareAuditRegister = async (db: Queries) => {
  const found = await db
    .selectFrom('audit_register')
    .selectAll()
    .select((e) => [
      e
        .selectFrom('audit_chains')
        .select((c) => c.fn.countAll<number>().as('n'))
        .as('chains_found'),
      e
        .selectFrom('audit_chains')
        .select((c) => c.fn.sum<number>('head_n').as('n'))
        .as('entries_found'),
    ])
    .executeTakeFirst()
  if (!found) return undefined
  const { chains_found, entries_found, ...register } = found
  return { register, chains: Number(chains_found ?? 0), entries: Number(entries_found ?? 0) }
}

export const findAuditChain = (db: Queries, customerId: string): Promise<AuditChainRow | undefined> =>
  db.selectFrom('audit_chains').selectAll().where('customer_id', '=', customerId).executeTakeFirst()

/** Up to `limit` accounts that have a chain or entries, ordered by ID, after the given ID. */
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

/** Accounts whose oldest entry was written before `before`. */
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
