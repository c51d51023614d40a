/** The sign-up captcha of the service itself: a proof of work. */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Captcha, Proof } from '../queries/auth.ts'

/** Hashes per slice. The page can respond between slices. */
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
