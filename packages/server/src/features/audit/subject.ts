/**
 * A user's pseudonym in the audit log. The log contains only a key's first characters, which many keys may
 * share. Each entry about a user therefore also contains this pseudonym, which identifies the user's entries
 * without revealing the key.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { Secrets } from '../../platform/secrets/keyring.ts'

const DIGITS = 32

/** A key is unique only within an account. */
export function nameSubject(
  { fingerprintPepper }: Pick<Secrets, 'fingerprintPepper'>,
  customerId: string,
  userKey: string,
): string {
  const code = createHmac('sha256', createSecretKey(fingerprintPepper))
  const text = ['audit subject', customerId, userKey].join('\0')
  return `usr_${code.update(text).digest('hex').slice(0, DIGITS)}`
}
