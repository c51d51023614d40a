/**
 * The audit log's MACs (keyed hashes), stored in the `seal` column. Someone who only has write access to the
 * database doesn't have the key, so they can't forge entries or the ends of a chain (see `docs/audit.md`).
 */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../deps.ts'
import type { AuditChainRow, AuditRegisterRow } from './store/audit-chains.ts'
import { type AuditEntryRow, HASHED, type HashedEntry } from './store/audit-entries.ts'

export type Keyed = { readonly secrets: Pick<Deps['secrets'], 'auditKey'> }

type Covered = Omit<AuditEntryRow, 'seq' | 'n' | 'hash' | 'seal'>

export function macOfEntry(keyed: Keyed, row: Covered): string {
  return macOf(keyed, ['entry', ...HASHED.map((name) => row[name]), row.count])
}

export function macOfChain(keyed: Keyed, row: Omit<AuditChainRow, 'seal'>): string {
  const { customer_id, cut_n, cut_hash, head_n, head_hash } = row
  return macOf(keyed, ['chain', customer_id, cut_n, cut_hash, head_n, head_hash])
}

export function macOfRegister(
  keyed: Keyed,
  { chains, entries }: Pick<AuditRegisterRow, 'chains' | 'entries'>,
): string {
  return macOf(keyed, ['register', chains, entries])
}

/** The hash that links an entry to the previous one. */
export function linkOf(keyed: Keyed, previous: string, n: number, row: HashedEntry): string {
  return macOf(keyed, ['link', previous, n, ...HASHED.map((name) => row[name])])
}

function macOf({ secrets }: Keyed, parts: readonly unknown[]): string {
  return createHmac('sha256', secrets.auditKey).update(JSON.stringify(parts)).digest('hex')
}
