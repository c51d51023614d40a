/**
 * Checks the codes of authenticator apps (RFC 6238): six digits of HMAC-SHA-1 that change every 30 seconds.
 * Every app supports these settings.
 */
import { Secret, TOTP } from 'otpauth'

const SECRET_BYTES = 20
const ISSUER = 'Scriptward'
/** Number of time steps that a phone's clock may be ahead or behind. */
const WINDOW = 1

/** Returns a new secret in base32, as apps expect it. */
export function newTotpSecret(random: (count: number) => Buffer): string {
  return new Secret({ buffer: Uint8Array.from(random(SECRET_BYTES)).buffer }).base32
}

/** Returns the content of a QR code for apps. `label` is the name that the app shows for the account. */
export function totpUri(secret: string, label: string): string {
  return new TOTP({ issuer: ISSUER, label, secret }).toString()
}

/**
 * Returns a code's time step, which may be the current or an adjacent one, or undefined if the code is wrong.
 */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  const totp = new TOTP({ secret })
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW })
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta
}
