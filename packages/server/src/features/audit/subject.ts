/**
 * How the audit log names one user. Keys stand in it by their beginnings, which many may share, so each entry about a user
 * also has this name: it finds their entries, and no key can be told from it.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Secrets } from '../../platform/secrets/keyring.ts'

const DIGITS = 32

/** Keys are unique for a customer only. */
export function nameSubject(
  { fingerprintPepper }: Pick<Secrets, 'fingerprintPepper'>,
  customerId: string,
  userKey: string,
): string {
  const code = createHmac('sha256', createSecretKey(fingerprintPepper))
  const text = ['audit subject', customerId, userKey].join('\0')
  return `usr_${code.update(text).digest('hex').slice(0, DIGITS)}`
}
