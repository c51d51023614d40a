/** Finds compared strings that are easy to guess, so that the build report can warn about them. */

import type { PassContext } from '../pass-context.ts'
import type { Bytes, Chunk, Offset } from '../syntax/ast.ts'
import { rewrite } from '../syntax/walk.ts'
import { comparisonOf } from './comparisons.ts'

/** Shorter strings can be found by brute force. */
const MIN_BYTES = 8

/** Maximum number of comparisons to warn about. */
const MAX_WARNINGS = 3

/**
 * Words of eight or more characters from lists of common passwords, and words that scripts often use in
 * comparisons.
 */
const COMMON = new Set(
  [
    'password passwort password1 password12 password123 passw0rd iloveyou sunshine princess football baseball',
    'superman trustno1 whatever computer internet security starwars michelle jennifer 12345678 123456789 1234567890',
    '87654321 11111111 00000000 qwertyuiop asdfghjkl 1q2w3e4r administrator superuser developer moderator',
    'username anonymous undefined whitelist whitelisted blacklist blacklisted activated deactivated unlocked',
    'licensed unlicensed lifetime unlimited verified unverified disabled production development subscribed',
    'authorized unauthorized authenticated permanent temporary',
  ]
    .join(' ')
    .split(' '),
)

export class GuessableTexts {
  readonly #context: PassContext
  /** How many times each string occurs in the script, except in comparisons that can lock code. */
  readonly #elsewhere: ReadonlyMap<Bytes, number>
  readonly #reported = new Set<Offset>()

  constructor(chunk: Chunk, context: PassContext) {
    this.#context = context
    this.#elsewhere = textsElsewhere(chunk)
  }

  /** Warns about a string that locks code but is easy to guess. */
  check(text: Bytes, at: Offset): void {
    const reason = this.#reasonOf(text)
    if (reason === null || this.#reported.has(at) || this.#reported.size >= MAX_WARNINGS) return
    this.#reported.add(at)
    const { diagnostics, report } = this.#context
    report.warn(
      `${diagnostics.placeOf(at)}: the string compared here is easy to guess because ${reason}: use one of at least ${MIN_BYTES} bytes that occurs nowhere else`,
    )
  }

  #reasonOf(text: Bytes): string | null {
    if ((this.#elsewhere.get(text) ?? 0) > 0) return 'it occurs elsewhere in the script'
    if (text.length < MIN_BYTES) return `it has fewer than ${MIN_BYTES} bytes`
    return COMMON.has(text.toLowerCase()) ? 'it is a common word' : null
  }
}

function textsElsewhere(chunk: Chunk): ReadonlyMap<Bytes, number> {
  const found = new Map<Bytes, number>()
  const count = (text: Bytes, by: number): undefined => void found.set(text, (found.get(text) ?? 0) + by)
  rewrite(chunk, {
    StringLiteral: ({ value }) => count(value, 1),
    Binary: (node) => {
      const compared = comparisonOf(node)
      return compared ? count(compared.text, -1) : undefined
    },
  })
  return found
}
