/**
 * Names under which PostgreSQL keeps what it made of a statement: reading and planning one anew costs it more than running
 * it. Each connection keeps its own, for as long as it lives.
 */
import { createHash } from 'node:crypto'

/** Longer ones are lists of values, of which hardly two are alike. */
const LONGEST = 2000
/** Each takes memory of the database, in every connection. */
const MOST = 200

/** The same for the same words, in every process. */
export function statementName(text: string): string {
  return `sw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** Names for the first statements that come. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Undefined for what is not worth to be kept. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || text.length > LONGEST || this.#names.size >= MOST) return known
    const name = statementName(text)
    this.#names.set(text, name)
    return name
  }
}
