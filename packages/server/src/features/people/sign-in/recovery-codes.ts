/** Codes that replace a lost authenticator app, once each. The database has their hashes alone. */
import { hash } from 'node:crypto'
import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { deleteRecoveryCode, deleteRecoveryCodes, insertRecoveryCodes } from '../store/recovery-codes.ts'

const COUNT = 10
/** 120 random bits, so that a plain hash is enough. Letters and digits that look alike are left out. */
const LENGTH = 24
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUP = /.{4}(?=.)/g

/** Ten new codes, such as `k7bq-…`; former ones count no more. */
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

/** Whether it is one of the person's codes, which then counts no more. */
export function useRecoveryCode(tx: Queries, personId: string, code: string): Promise<boolean> {
  return deleteRecoveryCode(tx, personId, hashCode(code))
}

function newCode(random: (count: number) => Buffer): string {
  const text = Array.from(random(LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return text.replace(GROUP, '$&-')
}

/** However it was typed: blanks, dashes and upper case do not count. */
function hashCode(code: string): string {
  return hash('sha256', code.toLowerCase().replace(/[^a-z0-9]/g, ''), 'hex')
}
