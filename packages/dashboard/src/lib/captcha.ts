/** The sign-up captcha: a local proof of work or the result of an external page. */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Captcha, Proof } from '../queries/auth.ts'
import { addressOf } from './address.ts'

/** Hashes per slice, between which the page can respond. */
const BATCH = 4000

/** Finds a string so that SHA-256 of `challenge:string` starts with `bits` zero bits. */
export async function solve({ challenge, bits }: Extract<Captcha, { kind: 'pow' }>): Promise<Proof> {
  for (let number = 0; ; number += 1) {
    const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(`${challenge}:${number}`))
    const first = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
    if (first >>> (32 - bits) === 0) return { challenge, solution: String(number) }
    if (number % BATCH === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}

let answer: string | undefined

/** Returns the result that an external captcha added to the URL. */
export function externalAnswer(): string | undefined {
  return answer
}

/** URL of the external captcha; it redirects back with `&captcha=`. */
export function pageOf(page: string): string {
  const back = `${location.origin}${location.pathname}?sign-up`
  return `${page}${page.includes('?') ? '&' : '?'}return=${encodeURIComponent(back)}`
}

/** Removes the captcha result from the URL and continues signing up. */
export function takeExternalAnswer(): void {
  const query = new URLSearchParams(location.search)
  if (!query.has('sign-up')) return
  answer = query.get('captcha') ?? undefined
  history.replaceState(null, '', location.pathname + addressOf.signUp)
}
