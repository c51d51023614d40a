/** All queries on the `audit_entries` and `audit_nouns` tables. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { AuditEntriesTable } from '../../../database/schema/access-tables.ts'

export type AuditEntryRow = Selectable<AuditEntriesTable>
type New = Insertable<AuditEntriesTable>
export type NewAuditEntry = Required<Omit<New, 'seq' | 'n' | 'hash'>>

const insert = prepared((db, p: NewAuditEntry & Readonly<Record<string, string | number | null>>) =>
  db.insertInto('audit_entries').values({
    id: p.id,
    customer_id: p.customer_id,
    created_at: p.created_at,
    actor_kind: p.actor_kind,
    actor_id: p.actor_id,
    actor_name: p.actor_name,
    network: p.network,
    request_id: p.request_id,
    action: p.action,
    nouns: p.nouns,
    changes: p.changes,
    count: p.count,
    seal: p.seal,
  }),
)
export const insertAuditEntry = async (tx: Queries, row: NewAuditEntry): Promise<void> => {
  await insert.count(tx, { ...row })
}

/** Sets the number of affected rows when it is known only after the change's last transaction. */
export const updateAuditCount = async (
  tx: Queries,
  id: string,
  { count, seal }: Pick<AuditEntryRow, 'count' | 'seal'>,
): Promise<void> => {
  await tx.updateTable('audit_entries').set({ count, seal }).where('id', '=', id).execute()
}

export const findAuditEntry = (db: Queries, id: string): Promise<AuditEntryRow | undefined> =>
  db.selectFrom('audit_entries').selectAll().where('id', '=', id).executeTakeFirst()

/** Columns covered by an entry's hash. `count` may be written after chaining, so only the MAC covers it. */
export const HASHED = [
  ...(['id', 'customer_id', 'created_at', 'actor_kind', 'actor_id', 'actor_name', 'network'] as const),
  ...(['request_id', 'action', 'nouns', 'changes'] as const),
] as const
export type HashedEntry = Pick<AuditEntryRow, (typeof HASHED)[number] | 'seq'>

/** Accounts with unchained entries. An empty ID represents the server's own log. */
export const listUnchainedAccounts = async (db: Queries, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('audit_entries')
    .select('customer_id')
    .distinct()
    .where('hash', 'is', null)
    .limit(limit)
    .execute()
  return rows.map(({ customer_id }) => customer_id)
}

export const listUnchainedEntries = (
  db: Queries,
  customerId: string,
  limit: number,
): Promise<HashedEntry[]> =>
  db
    .selectFrom('audit_entries')
    .select([...HASHED, 'seq'])
    .where('customer_id', '=', customerId)
    .where('hash', 'is', null)
    .orderBy('seq')
    .limit(limit)
    .execute()

export type Chained = Pick<AuditEntryRow, 'seq'> & { readonly n: number; readonly hash: string }

const chained = prepared<{ rows: string }, never>((db, p) => {
  const rows = dialectOf(db).rowsFrom(p.rows, [
    ['seq', 'bigint'],
    ['n', 'bigint'],
    ['hash', 'text'],
  ])
  return sql`update audit_entries set n = given.n, hash = given.hash from ${rows} as given
    where audit_entries.seq = given.seq`
})
export const updateChained = async (tx: Queries, rows: readonly Chained[]): Promise<void> => {
  await chained.count(tx, { rows: JSON.stringify(rows.map(({ seq, n, hash }) => [seq, n, hash])) })
}

export type EntryNoun = Pick<AuditEntryRow, 'customer_id' | 'created_at' | 'seq'> & { readonly noun: string }

const named = prepared<{ rows: string }, never>((db, p) => {
  const rows = dialectOf(db).rowsFrom(p.rows, [
    ['customer_id', 'text'],
    ['noun', 'text'],
    ['created_at', 'bigint'],
    ['seq', 'bigint'],
  ])
  return sql`insert into audit_nouns (customer_id, noun, created_at, seq)
    select customer_id, noun, created_at, seq from ${rows} as given where true on conflict do nothing`
})
export const insertAuditNouns = async (tx: Queries, nouns: readonly EntryNoun[]): Promise<void> => {
  const lists = nouns.map(({ customer_id, noun, created_at, seq }) => [customer_id, noun, created_at, seq])
  if (lists.length > 0) await named.count(tx, { rows: JSON.stringify(lists) })
}

/** Returns whether an entry contains exactly this ID. */
export const hasAuditNoun = async (db: Queries, customerId: string, noun: string): Promise<boolean> => {
  const found = db.selectFrom('audit_nouns').select('seq').where('customer_id', '=', customerId)
  return (await found.where('noun', '=', noun).limit(1).executeTakeFirst()) !== undefined
}

/** Entries in chain order, after position `n`. */
export const listChainedEntries = (
  db: Queries,
  customerId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<AuditEntryRow[]> =>
  db
    .selectFrom('audit_entries')
    .selectAll()
    .where('customer_id', '=', customerId)
    .where('n', '>', after)
    .orderBy('n')
    .limit(limit)
    .execute()

/** Finds an entry that should already have been deleted because of its age. */
export const findEntryBefore = (
  db: Queries,
  customerId: string,
  n: number,
): Promise<{ id: string } | undefined> =>
  db
    .selectFrom('audit_entries')
    .select('id')
    .where('customer_id', '=', customerId)
    .where('n', '<=', n)
    .limit(1)
    .executeTakeFirst()

/** Counts unchained entries written before `before`, and returns the ID of the first one. */
export const countUnchained = (
  db: Queries,
  customerId: string,
  before: number,
): Promise<{ readonly count: number; readonly first: string | null }> =>
  db
    .selectFrom('audit_entries')
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.min('id').as('first')])
    .where('customer_id', '=', customerId)
    .where((e) => e.or([e('hash', 'is', null), e('n', 'is', null)]))
    .where('created_at', '<', before)
    .executeTakeFirstOrThrow()

/** Number of unchained entries in all accounts, up to `most`, and when the first of them was written. */
export const countAllUnchained = (
  db: Queries,
  most: number,
): Promise<{ readonly count: number; readonly oldest: number | null }> => {
  const unchained = db.selectFrom('audit_entries').select('created_at').where('hash', 'is', null).limit(most)
  return db
    .selectFrom(unchained.as('unchained'))
    .select((e) => [e.fn.countAll<number>().as('count'), e.fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow()
}

/** Deletes entries up to a chain position. */
export const deleteChainedEntries = async (tx: Queries, customerId: string, n: number): Promise<void> => {
  await tx.deleteFrom('audit_entries').where('customer_id', '=', customerId).where('n', '<=', n).execute()
}

export type EntryFilter = {
  readonly customerId: string
  /** A user ID, a token ID, or a kind of actor. */
  readonly actor?: string
  readonly action?: string
  readonly noun?: string
  /** Milliseconds since 1970. Both bounds are inclusive. */
  readonly from?: number
  readonly to?: number
}
/** An entry's position in the list, newest first. */
export type EntryPlace = Pick<AuditEntryRow, 'created_at' | 'seq'>

/** At most `limit` entries, newest first, after a position. Every filter has an index in this order. */
export const listAuditEntries = (
  db: Queries,
  { customerId, actor, action, noun, from, to }: EntryFilter,
  { after, limit }: { readonly after: EntryPlace | undefined; readonly limit: number },
): Promise<AuditEntryRow[]> => {
  const of = noun === undefined ? 'audit_entries' : 'audit_nouns'
  const time = sql<number>`${sql.ref(`${of}.created_at`)}`
  const place = sql`(${time}, ${sql.ref(`${of}.seq`)})`
  return db
    .selectFrom('audit_entries')
    .selectAll('audit_entries')
    .$if(noun !== undefined, (query) =>
      query
        .innerJoin('audit_nouns', 'audit_nouns.seq', 'audit_entries.seq')
        .where('audit_nouns.customer_id', '=', customerId)
        .where('audit_nouns.noun', '=', noun ?? ''),
    )
    .where('audit_entries.customer_id', '=', customerId)
    .$if(actor !== undefined, (query) =>
      query.where(sql<string>`coalesce(actor_id, actor_kind)`, '=', actor ?? ''),
    )
    .$if(action !== undefined, (query) => query.where('action', '=', action ?? ''))
    .$if(from !== undefined, (query) => query.where(time, '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where(time, '<=', to ?? 0))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`${place} < (${after?.created_at}, ${after?.seq})`),
    )
    .orderBy(time, 'desc')
    .orderBy(sql.ref(`${of}.seq`), 'desc')
    .limit(limit)
    .execute()
}
