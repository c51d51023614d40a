/** Walks the hash chains of the audit log and finds what was changed in the database by another hand. */
import { setImmediate } from 'node:timers/promises'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../store/engine/db.ts'
import { type AuditChainRow, findAuditChain, listAuditedAccounts } from '../../store/tables/audit-chains.ts'
import {
  type AuditEntryRow,
  countUnchained,
  findEntryBefore,
  listChainedEntries,
} from '../../store/tables/audit-entries.ts'
import { CHAIN_START, hashEntry } from './chain.ts'

/** What is wrong with the chain of an account, and where it begins. */
type AuditFault = {
  /** Empty for what concerns the service as a whole. */
  readonly customerId: string
  readonly text: string
}
export type Verified = { readonly accounts: number; readonly entries: number; readonly faults: AuditFault[] }

const READ_ROWS = 1000
const ACCOUNTS_AT_ONCE = 100
/** The job that chains runs every second. */
const CHAINED_WITHIN_MS = 60_000

type Looking = Pick<Deps, 'db' | 'now'>
type Walked = { readonly entries: number; readonly faults: readonly string[] }

export async function verifyAudit(deps: Looking): Promise<Verified> {
  const faults: AuditFault[] = []
  let [accounts, entries] = [0, 0]
  for (let after: string | undefined; ; ) {
    const ids = await listAuditedAccounts(deps.db.read, after, ACCOUNTS_AT_ONCE)
    for (const customerId of ids) {
      const walked = await verifyAccount(deps, customerId)
      accounts += 1
      entries += walked.entries
      faults.push(...walked.faults.map((text) => ({ customerId, text })))
    }
    if (ids.length < ACCOUNTS_AT_ONCE) return { accounts, entries, faults }
    after = ids.at(-1)
  }
}

/** The first fault of the chain, and entries that are in no chain though they should be. */
async function verifyAccount({ db, now }: Looking, customerId: string): Promise<Walked> {
  const walked = await walkStable(db, customerId)
  const { count, first } = await countUnchained(db.read, customerId, now() - CHAINED_WITHIN_MS)
  if (count === 0) return walked
  const text = `${count} entries have no place in the chain, the first is ${first}: start the service, which chains what it wrote itself; entries that another hand inserted look the same`
  return { ...walked, faults: [...walked.faults, text] }
}

/** Once more when pruning cut the chain during the walk. */
async function walkStable(db: Database, customerId: string): Promise<Walked> {
  const before = await findAuditChain(db.read, customerId)
  const walked = await walk(db, customerId, before)
  if (walked.faults.length === 0) return walked
  const after = await findAuditChain(db.read, customerId)
  return after?.cut_n === before?.cut_n ? walked : walkStable(db, customerId)
}

async function walk(db: Database, customerId: string, chain: AuditChainRow | undefined): Promise<Walked> {
  const ends = chain ?? { cut_n: 0, cut_hash: CHAIN_START, head_n: 0, head_hash: CHAIN_START }
  const early = await findEntryBefore(db.read, customerId, ends.cut_n)
  if (early) return { entries: 0, faults: [`entry ${early.id} was inserted before where retention cut`] }
  let last = { n: ends.cut_n, hash: ends.cut_hash }
  for (let entries = 0; ; await setImmediate()) {
    const rows = await listChainedEntries(db.read, customerId, { after: last.n, limit: READ_ROWS })
    for (const row of rows) {
      const isPastHead = last.n === ends.head_n
      // Entries that were chained meanwhile are left to the next walk.
      if (isPastHead && (await isMoved(db, customerId, ends)))
        return { entries, faults: headFault(last, ends) }
      const fault = faultOf(row, last, ends)
      if (fault) return { entries, faults: [fault] }
      last = { n: last.n + 1, hash: row.hash ?? '' }
      entries += 1
    }
    if (rows.length < READ_ROWS) return { entries, faults: headFault(last, ends) }
  }
}

type Ends = Omit<AuditChainRow, 'customer_id'>
type Place = { readonly n: number; readonly hash: string }

async function isMoved(db: Database, customerId: string, ends: Ends): Promise<boolean> {
  return ((await findAuditChain(db.read, customerId))?.head_n ?? 0) > ends.head_n
}

function faultOf(row: AuditEntryRow, last: Place, ends: Ends): string | undefined {
  const n = last.n + 1
  if (row.n !== n) return `entry ${n} is missing: the next one is ${row.id} with number ${row.n}`
  if (n > ends.head_n)
    return `entry ${row.id}, number ${n}, is after the head, which is ${ends.head_n}: it was inserted, or the head was cut`
  if (row.hash !== hashEntry(last.hash, n, row))
    return `entry ${row.id}, number ${n}, was changed, or the one before it`
  return undefined
}

function headFault(last: Place, { head_n, head_hash }: Ends): string[] {
  if (last.n < head_n) return [`entries ${last.n + 1} to ${head_n} are missing at the end`]
  return last.hash === head_hash ? [] : [`the head does not belong to the last entry, number ${last.n}`]
}
