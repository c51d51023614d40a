/** Generates API keys, tokens and user keys. API keys and tokens are looked up by their hash. */
import { hash } from 'node:crypto'
import { BASE62, randomText } from '../../api/ids.ts'

const SECRET_LENGTH = 40
const CHECKSUM_LENGTH = 6
export const USER_KEY_LENGTH = 32
const SHOWN_LENGTH = 8

type Random = (count: number) => Buffer

/** `start` is the credential's first characters, which help owners recognize it. */
export type ApiKey = { readonly text: string; readonly hash: string; readonly start: string }

export function newApiKey(random: Random): ApiKey {
  return newCredential('sw_', random)
}

export function newTokenSecret(random: Random): ApiKey {
  return newCredential('swt_', random)
}

/** Wraps an API key that the operator chose. */
export function apiKeyOf(text: string): ApiKey {
  return { text, hash: hashApiKey(text), start: text.slice(0, SHOWN_LENGTH) }
}

/** Plain SHA-256 is sufficient, because API keys are fully random. */
export function hashApiKey(text: string): string {
  return hash('sha256', text, 'hex')
}

export function newUserKey(random: Random): string {
  return randomText(random, USER_KEY_LENGTH)
}

/**
 * Returns the prefix, 40 random characters, and a 6-character checksum that lets secret scanners verify a
 * match.
 */
function newCredential(prefix: string, random: Random): ApiKey {
  const secret = randomText(random, SECRET_LENGTH)
  return apiKeyOf(`${prefix}${secret}${checksum(secret)}`)
}

function checksum(secret: string): string {
  let rest = BigInt(`0x${hash('sha256', secret, 'hex').slice(0, 16)}`)
  let text = ''
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    text += BASE62.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return text
}
