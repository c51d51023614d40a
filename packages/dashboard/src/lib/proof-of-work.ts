/** The server's own sign-up captcha: a proof of work. */
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { Captcha, Proof } from '../queries/auth.ts'

/** Number of hashes per slice. The page can respond to input between slices. */
const BATCH = 4000

/** Finds a string such that the SHA-256 hash of `challenge:string` starts with `bits` zero bits. */
export async function solve({ challenge, bits }: Extract<Captcha, { kind: 'pow' }>): Promise<Proof> {
  for (let number = 0; ; number += 1) {
    const [a = 0, b = 0, c = 0, d = 0] = sha256(utf8ToBytes(`${challenge}:${number}`))
    const first = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0
    if (first >>> (32 - bits) === 0) return { challenge, solution: String(number) }
    if (number % BATCH === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}
