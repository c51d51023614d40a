/** The captcha of the sign-up page: a proof of work that is computed here, or the answer of another page. */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Captcha, Proof } from '../queries/auth.ts'
import { addressOf } from './address.ts'

/** Hashes between two looks at whether the page has something else to do. */
const BATCH = 4000

/** Finds a text so that SHA-256 of `challenge:text` begins with so many zero bits. */
export async function solve({ challenge, bits }: Extract<Captcha, { kind: 'pow' }>): Promise<Proof> {
  for (let number = 0; ; number += 1) {
    const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(`${challenge}:${number}`))
    const first = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
    if (first >>> (32 - bits) === 0) return { challenge, solution: String(number) }
    if (number % BATCH === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}

let answer: string | undefined

/** What the page of an external captcha sent the browser back with. */
export function externalAnswer(): string | undefined {
  return answer
}

/** Where to solve an external captcha; it sends the browser back with `&captcha=`. */
export function pageOf(page: string): string {
  const back = `${location.origin}${location.pathname}?sign-up`
  return `${page}${page.includes('?') ? '&' : '?'}return=${encodeURIComponent(back)}`
}

/** Takes the answer out of the address, and goes on with signing up. */
export function takeExternalAnswer(): void {
  const query = new URLSearchParams(location.search)
  if (!query.has('sign-up')) return
  answer = query.get('captcha') ?? undefined
  history.replaceState(null, '', location.pathname + addressOf.signUp)
}
