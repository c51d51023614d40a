/** Codes of authenticator apps (RFC 6238): six digits of HMAC-SHA-1, new every 30 seconds, which is what every app can. */
import { Secret, TOTP } from 'otpauth'

const SECRET_BYTES = 20
const ISSUER = 'Scriptward'
/** Steps that the clock of a telephone may be ahead or behind. */
const WINDOW = 1

/** In base32, as apps take it. */
export function newTotpSecret(random: (count: number) => Buffer): string {
  return new Secret({ buffer: Uint8Array.from(random(SECRET_BYTES)).buffer }).base32
}

/** What a QR code for apps holds; `label` is how the person knows the account. */
export function totpUri(secret: string, label: string): string {
  return new TOTP({ issuer: ISSUER, label, secret }).toString()
}

/** The time step of a code: the current one, the one before or the one after; undefined for a wrong code. */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const totp = new TOTP({ secret })
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta
}
