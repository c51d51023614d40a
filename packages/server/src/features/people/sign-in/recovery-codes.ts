/** Single-use codes that replace a lost authenticator app. The database stores only their hashes. */
import { hash } from 'node:crypto'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { deleteRecoveryCode, deleteRecoveryCodes, insertRecoveryCodes } from '../store/recovery-codes.ts'

const COUNT = 10
/**
 * A code has 120 random bits, so it is safe to store a plain hash of it. Similar-looking characters are left
 * out.
 */
const LENGTH = 24
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUP = /.{4}(?=.)/g

/** Creates ten new codes, such as `k7bq-…`, and invalidates the previous ones. */
export async function replaceRecoveryCodes(
  { random }: Pick<Deps, 'random'>,
  tx: Queries,
  personId: string,
): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, () => newCode(random))
  await deleteRecoveryCodes(tx, personId)
  await insertRecoveryCodes(tx, personId, codes.map(hashCode))
  return codes
}

/** Returns whether the code is one of the user's. If it is, invalidates it. */
export function useRecoveryCode(tx: Queries, personId: string, code: string): Promise<boolean> {
  return deleteRecoveryCode(tx, personId, hashCode(code))
}

function newCode(random: (count: number) => Buffer): string {
  const text = Array.from(random(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return text.replace(GROUP, '$&-')
}

/** Normalizes a typed code, so that spaces, dashes and case don't matter. */
function hashCode(code: string): string {
  return hash('sha256', code.toLowerCase().replace(/[^a-z0-9]/g, ''), 'hex')
}
