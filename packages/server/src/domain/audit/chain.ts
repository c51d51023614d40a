/**
 * The hash chain of an account: each entry's hash covers the one before it, so a changed, missing or inserted entry shows.
 * Entries are chained after they were written; see `docs/decisions/0049-audit-entries-are-chained-afterwards.md`.
 */
import { hash } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { Queries } from '../../store/engine/db.ts'
import { lockAuditChain, updateAuditCut, updateAuditHead } from '../../store/tables/audit-chains.ts'
import {
  type AuditEntryRow,
  type Chained,
  deleteChainedEntries,
  HASHED,
  type HashedEntry,
  insertAuditNouns,
  listChainedEntries,
  listUnchainedAccounts,
  listUnchainedEntries,
  updateChained,
} from '../../store/tables/audit-entries.ts'

/** Before the first entry. */
export const CHAIN_START = '0'.repeat(64)
/** Bounds how long one transaction holds SQLite's writer. */
const ENTRIES_AT_ONCE = 500
const ACCOUNTS_AT_ONCE = 100

/** SHA-256, in hex, of the previous hash and the entry as JSON: its place, then the columns in the order of `HASHED`. */
export function hashEntry(previous: string, n: number, row: HashedEntry): string {
  return hash('sha256', previous + JSON.stringify([n, ...HASHED.map((name) => row[name])]))
}

/**
 * Gives the entries that have none their place, some of each account. Any number of processes may do it at once. Returns
 * whether there may be more.
 */
export async function chainEntries({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  const accounts = await listUnchainedAccounts(db.read, ACCOUNTS_AT_ONCE)
  let isMore = accounts.length === ACCOUNTS_AT_ONCE
  for (const customerId of accounts) {
    const count = await db.transaction((tx) => chainAccount(tx, customerId))
    isMore ||= count === ENTRIES_AT_ONCE
  }
  return isMore
}

/** The lock comes first: what another process chained meanwhile is then no longer among the unchained. */
async function chainAccount(tx: Queries, customerId: string): Promise<number> {
  const { head_n, head_hash } = await lockAuditChain(tx, customerId, CHAIN_START)
  const rows = await listUnchainedEntries(tx, customerId, ENTRIES_AT_ONCE)
  const chained: Chained[] = []
  for (const row of rows) {
    const last = chained.at(-1) ?? { n: head_n, hash: head_hash }
    chained.push({ seq: row.seq, n: last.n + 1, hash: hashEntry(last.hash, last.n + 1, row) })
  }
  const head = chained.at(-1)
  if (head === undefined) return 0
  await updateChained(tx, chained)
  await insertAuditNouns(tx, rows.flatMap(nounsOf))
  await updateAuditHead(tx, customerId, { head_n: head.n, head_hash: head.hash })
  return rows.length
}

function nounsOf({ customer_id, created_at, seq, nouns }: HashedEntry) {
  const ids = new Set(Object.values(JSON.parse(nouns) as Record<string, string>))
  return [...ids].map((noun) => ({ customer_id, noun, created_at, seq }))
}

/** Deletes the oldest entries of an account as far as they were made before a time, and keeps the hash where it cut. */
export async function cutChain(tx: Queries, customerId: string, before: number): Promise<number> {
  const chain = await lockAuditChain(tx, customerId, CHAIN_START)
  const rows = await listChainedEntries(tx, customerId, { after: chain.cut_n, limit: ENTRIES_AT_ONCE })
  const end = rows.findIndex((row, i) => row.created_at >= before || row.n !== chain.cut_n + 1 + i)
  const old = end === -1 ? rows : rows.slice(0, end)
  const last = old.at(-1) as (AuditEntryRow & Chained) | undefined
  if (last === undefined) return 0
  await updateAuditCut(tx, customerId, { cut_n: last.n, cut_hash: last.hash })
  await deleteChainedEntries(tx, customerId, last.n)
  return old.length
}
