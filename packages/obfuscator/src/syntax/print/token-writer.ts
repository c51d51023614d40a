/** Writes Lua tokens, with separators only where tokens would merge. */

import { needsSpace } from './print-rules.ts'
import { StringBuilder } from './string-builder.ts'

export class TokenWriter {
  readonly #written = new StringBuilder()
  #last = 0
  #isAfterNumber = false
  /** Whether a `(` at this point would be parsed as a call on the previous statement. */
  #isAfterStatement = false

  get text(): string {
    return this.#written.text
  }

  /** Writes one token, or several that need no separators. */
  put(text: string): void {
    const first = text.charCodeAt(0)
    if (this.#isAfterStatement && first === 40) this.#written.add(';')
    else if (needsSpace(this.#last, first, this.#isAfterNumber)) this.#written.add(' ')
    this.#written.add(text)
    this.#last = text.charCodeAt(text.length - 1)
    this.#isAfterNumber = false
    this.#isAfterStatement = false
  }

  number(text: string): void {
    this.put(text)
    this.#isAfterNumber = true
  }

  /** Specifies whether the next token starts a statement that follows another one. */
  followStatement(isBehind: boolean): void {
    this.#isAfterStatement = isBehind
  }

  /** @param lines line breaks; an empty string stays on the same line. */
  endLine(lines: string): void {
    if (lines === '') return
    this.#written.add(lines)
    this.#last = 0
  }
}
