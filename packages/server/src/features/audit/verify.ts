/** Verifies the audit log's hash chains and detects changes made directly in the database. */
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { CHAIN_START } from './chain.ts'
import { type Keyed, linkOf, macOfChain, macOfEntry, macOfRegister } from './mac.ts'
import {
  type AuditChainRow,
  compareAuditRegister,
  findAuditChain,
  hasAuditChains,
  listAuditedAccounts,
} from './store/audit-chains.ts'
import {
  type AuditEntryRow,
  countUnchained,
  findEntryBefore,
  listChainedEntries,
} from './store/audit-entries.ts'

/** The first error in an account's chain. */
type AuditFault = {
  /** Empty for server-wide entries. */
  readonly customerId: string
  readonly text: string
}
export type Verified = {
  readonly accounts: number
  readonly entries: number
  readonly faults: AuditFault[]
}

const READ_ROWS = 1000
const ACCOUNTS_AT_ONCE = 100
/** The chaining job runs every second, so an older unchained entry is suspicious. */
const CHAINED_WITHIN_MS = 60_000

type Looking = Keyed & Pick<Deps, 'db' | 'now'>
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
    if (ids.length < ACCOUNTS_AT_ONCE) break
    after = ids.at(-1)
  }
  // Entries that are missing from a chain have already been reported as that chain's error.
  const text = faults.length === 0 ? await registerFault(deps) : undefined
  if (text !== undefined) faults.push({ customerId: '', text })
  return { accounts, entries, faults }
}

/** A missing register is fine only if nothing was ever chained. Otherwise, someone has removed it. */
async function registerFault(deps: Looking): Promise<string | undefined> {
  const found = await compareAuditRegister(deps.db.read)
  if (found === undefined)
    return (await hasAuditChains(deps.db.read)) ? 'the register of all chains is missing' : undefined
  const { register, chains, entries } = found
  if (register.seal !== macOfRegister(deps, register)) return 'the register of all chains was modified'
  if (register.chains !== chains)
    return `${register.chains} chains are registered, but ${chains} exist: entire chains were removed or inserted`
  if (register.entries !== entries)
    return `${register.entries} entries are registered, but the chains contain ${entries}: a chain was reset to an earlier state`
  return undefined
}

/** Finds the first error in the chain, and overdue unchained entries. */
async function verifyAccount(deps: Looking, customerId: string): Promise<Walked> {
  const { db, now } = deps
  const walked = await walkStable(deps, customerId)
  const { count, first } = await countUnchained(db.read, customerId, now() - CHAINED_WITHIN_MS)
  if (count === 0) return walked
  const text = `${count} entries, starting with ${first}, are not in the chain: start the server, which adds recent entries to the chain. Entries that remain may have been inserted by someone else`
  return { ...walked, faults: [...walked.faults, text] }
}

/** Repeats the pass if pruning has shortened the chain in the meantime. */
async function walkStable(deps: Looking, customerId: string): Promise<Walked> {
  const { db } = deps
  const before = await findAuditChain(db.read, customerId)
  const walked = await walk(deps, customerId, before)
  if (walked.faults.length === 0) return walked
  const after = await findAuditChain(db.read, customerId)
  return after?.cut_n === before?.cut_n ? walked : walkStable(deps, customerId)
}

async function walk(deps: Looking, customerId: string, chain: AuditChainRow | undefined): Promise<Walked> {
  const { db } = deps
  const ends = chain ?? { ...NO_ENDS, customer_id: customerId }
  const early = await findEntryBefore(db.read, customerId, ends.cut_n)
  if (early) return { entries: 0, faults: [`entry ${early.id} was inserted before the first retained entry`] }
  let last = { n: ends.cut_n, hash: ends.cut_hash }
  const walked = (faults: readonly string[]): Walked => ({ entries: last.n - ends.cut_n, faults })
  const endFaults = () => [...headFault(last, ends), ...macFault(deps, chain)].slice(0, 1)
  for (;;) {
    const rows = await listChainedEntries(db.read, customerId, { after: last.n, limit: READ_ROWS })
    for (const row of rows) {
      const isPastHead = last.n === ends.head_n
      // Leaves entries that were chained during this pass to the next pass.
      if (isPastHead && (await isMoved(db, customerId, ends))) return walked(endFaults())
      const fault = faultOf(deps, row, { last, ends })
      if (fault) return walked([fault])
      last = { n: last.n + 1, hash: row.hash ?? '' }
    }
    if (rows.length < READ_ROWS) return walked(endFaults())
    await setImmediate()
  }
}

const NO_ENDS = { cut_n: 0, cut_hash: CHAIN_START, head_n: 0, head_hash: CHAIN_START, seal: null }

type Ends = AuditChainRow
type Place = { readonly n: number; readonly hash: string }

async function isMoved(db: Database, customerId: string, ends: Ends): Promise<boolean> {
  return ((await findAuditChain(db.read, customerId))?.head_n ?? 0) > ends.head_n
}

function faultOf(
  keyed: Keyed,
  row: AuditEntryRow,
  { last, ends }: { readonly last: Place; readonly ends: Ends },
): string | undefined {
  const n = last.n + 1
  if (row.n !== n) return `entry ${n} is missing: the next entry is ${row.id}, number ${row.n}`
  if (n > ends.head_n)
    return `entry ${row.id}, number ${n}, comes after the recorded end of the chain, ${ends.head_n}: it was inserted, or the recorded end was modified`
  if (row.hash !== linkOf(keyed, last.hash, n, row))
    return `entry ${row.id}, number ${n}, or the one before it was modified`
  return row.seal === macOfEntry(keyed, row)
    ? undefined
    : `entry ${row.id}, number ${n}, was modified, or was not written by this server`
}

function macFault(keyed: Keyed, chain: Ends | undefined): string[] {
  if (chain === undefined || chain.seal === macOfChain(keyed, chain)) return []
  return [
    `the recorded ends of the chain, ${chain.cut_n} and ${chain.head_n}, were modified: entries may be missing at either end`,
  ]
}

function headFault(last: Place, { head_n, head_hash }: Ends): string[] {
  if (last.n < head_n) return [`entries ${last.n + 1} to ${head_n} are missing at the end`]
  return last.hash === head_hash
    ? []
    : [`the recorded end of the chain does not match the last entry, number ${last.n}`]
}
