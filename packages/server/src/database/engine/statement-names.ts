/**
 * Names of prepared statements on PostgreSQL, for which parsing and planning a small statement costs more than running it.
 * Each connection holds its own.
 */
import { createHash } from 'node:crypto'

/** Longer ones hold lists of values, and hardly two of them are alike. */
const MAX_LENGTH = 2000
/** Each takes memory of the database server, in every connection. */
const MAX_NAMES = 200

/** The same for the same text, in every process. */
export function statementName(text: string): string {
  return `sw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** Names for the first `MAX_NAMES` statements. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Undefined for a statement that is not worth preparing. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || text.length > MAX_LENGTH || this.#names.size >= MAX_NAMES) return known
    const name = statementName(text)
    this.#names.set(text, name)
    return name
  }
}
