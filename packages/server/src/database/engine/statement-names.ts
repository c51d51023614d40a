/**
 * Names prepared statements on PostgreSQL, where parsing and planning a small statement costs more than
 * running it. Each connection has its own prepared statements.
 */
import { createHash } from 'node:crypto'

/** Longer statements contain lists of values, and are rarely identical. */
const MAX_LENGTH = 2000
/** Each prepared statement uses memory on the database server for every connection. */
const MAX_NAMES = 200

/** Returns the same name for the same SQL in every process. */
export function statementName(text: string): string {
  return `sw_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

/** Names for the first `MAX_NAMES` statements. */
export class StatementNames {
  readonly #names = new Map<string, string>()

  /** Returns undefined for a statement that is not worth preparing. */
  nameOf(text: string): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined || text.length > MAX_LENGTH || this.#names.size >= MAX_NAMES) return known
    const name = statementName(text)
    this.#names.set(text, name)
    return name
  }
}
