/**
 * An account's hash chain. Each entry's hash covers the previous hash, so changed, missing and inserted
 * entries are detected. Entries are chained after they are written (see
 * `docs/decisions/0049-audit-entries-are-chained-afterwards.md`). A register counts chains and entries, so
 * that a missing chain is detected too.
 */

import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { type Keyed, linkOf, macOfChain, macOfRegister } from './mac.ts'
import {
  type AuditChainRow,
  type AuditEnds,
  findAuditRegister,
  hasAuditChains,
  insertAuditRegister,
  lockAuditChain,
  lockAuditRegister,
  updateAuditEnds,
  updateAuditRegister,
} from './store/audit-chains.ts'
import {
  type AuditEntryRow,
  type Chained,
  deleteChainedEntries,
  type HashedEntry,
  insertAuditNouns,
  listChainedEntries,
  listUnchainedAccounts,
  listUnchainedEntries,
  updateChained,
} from './store/audit-entries.ts'

/** The previous hash of the first entry. */
export const CHAIN_START = '0'.repeat(64)
/** Limits how long a transaction blocks SQLite's only writer. */
const ENTRIES_AT_ONCE = 500
const ACCOUNTS_AT_ONCE = 100

type Chaining = Keyed & Pick<Deps, 'db'>

/**
 * Chains unchained entries, up to a limit per account. Several processes may do this concurrently. Returns
 * whether there may be more.
 */
export async function chainEntries(deps: Chaining): Promise<boolean> {
  const { db } = deps
  if ((await findAuditRegister(db.read)) === undefined) await db.transaction((tx) => openRegister(tx, deps))
  const accounts = await listUnchainedAccounts(db.read, ACCOUNTS_AT_ONCE)
  let isMore = accounts.length === ACCOUNTS_AT_ONCE
  for (const customerId of accounts) {
    const count = await db.transaction((tx) => chainAccount(tx, deps, customerId))
    isMore ||= count === ENTRIES_AT_ONCE
  }
  return isMore
}

/**
 * Creates the register before the first chain. If there is a chain without a register, someone has removed the
 * register. No new one is created, because it would hide missing entries.
 */
async function openRegister(tx: Queries, keyed: Keyed): Promise<void> {
  if (await hasAuditChains(tx)) return
  const register = { chains: 0, entries: 0 }
  await insertAuditRegister(tx, { ...register, seal: macOfRegister(keyed, register) })
}

async function moveEnds(
  tx: Queries,
  keyed: Keyed,
  chain: AuditChainRow & { readonly isNew?: boolean },
  ends: Partial<Omit<AuditEnds, 'seal'>>,
): Promise<void> {
  // The ends of a tampered chain keep their invalid MAC, so that verification detects it.
  const isOurs = chain.isNew === true || chain.seal === macOfChain(keyed, chain)
  const seal = isOurs ? macOfChain(keyed, { ...chain, ...ends }) : chain.seal
  await updateAuditEnds(tx, chain.customer_id, { ...ends, seal })
}

/**
 * Locks the chain first, so that entries that another process chains in the meantime are not chained again.
 */
async function chainAccount(tx: Queries, keyed: Keyed, customerId: string): Promise<number> {
  const chain = await lockAuditChain(tx, customerId, CHAIN_START)
  const rows = await listUnchainedEntries(tx, customerId, ENTRIES_AT_ONCE)
  const chained: Chained[] = []
  for (const row of rows) {
    const last = chained.at(-1) ?? { n: chain.head_n, hash: chain.head_hash }
    chained.push({ seq: row.seq, n: last.n + 1, hash: linkOf(keyed, last.hash, last.n + 1, row) })
  }
  const head = chained.at(-1) ?? { n: chain.head_n, hash: chain.head_hash }
  if (rows.length === 0 && !chain.isNew) return 0
  await updateChained(tx, chained)
  await insertAuditNouns(tx, rows.flatMap(nounsOf))
  await moveEnds(tx, keyed, chain, { head_n: head.n, head_hash: head.hash })
  await register(tx, keyed, { chains: chain.isNew ? 1 : 0, entries: rows.length })
  return rows.length
}

async function register(
  tx: Queries,
  keyed: Keyed,
  more: { readonly chains: number; readonly entries: number },
): Promise<void> {
  const known = await lockAuditRegister(tx)
  if (known === undefined) return
  const sums = { chains: known.chains + more.chains, entries: known.entries + more.entries }
  // A forged register keeps its invalid MAC, so that verification detects it.
  const isOurs = known.seal === macOfRegister(keyed, known)
  await updateAuditRegister(tx, { ...sums, seal: isOurs ? macOfRegister(keyed, sums) : known.seal })
}

function nounsOf({ customer_id, created_at, seq, nouns }: HashedEntry) {
  const ids = new Set(Object.values(JSON.parse(nouns) as Record<string, string>))
  return [...ids].map((noun) => ({ customer_id, noun, created_at, seq }))
}

/**
 * Deletes an account's entries that were written before `before`, oldest first, and keeps the hash of the
 * last deleted entry.
 */
export async function cutChain(
  tx: Queries,
  keyed: Keyed,
  { customerId, before }: { readonly customerId: string; readonly before: number },
): Promise<number> {
  const chain = await lockAuditChain(tx, customerId, CHAIN_START)
  const rows = await listChainedEntries(tx, customerId, { after: chain.cut_n, limit: ENTRIES_AT_ONCE })
  const end = rows.findIndex((row, i) => row.created_at >= before || row.n !== chain.cut_n + 1 + i)
  const old = end === -1 ? rows : rows.slice(0, end)
  const last = old.at(-1) as (AuditEntryRow & Chained) | undefined
  if (last === undefined) return 0
  await moveEnds(tx, keyed, chain, { cut_n: last.n, cut_hash: last.hash })
  await deleteChainedEntries(tx, customerId, last.n)
  return old.length
}
