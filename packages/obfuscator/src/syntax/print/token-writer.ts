/** Writes the tokens of Lua one after the other, with nothing between them but what keeps them apart. */

import { needsSpace } from './print-rules.ts'
import { StringBuilder } from './string-builder.ts'

export class TokenWriter {
  readonly #written = new StringBuilder()
  #last = 0
  #isAfterNumber = false
  /** Whether a `(` now would be read as a call of the end of the last statement. */
  #isAfterStatement = false

  get text(): string {
    return this.#written.text
  }

  /** Writes one token, or several that need nothing between them. */
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

  /** What comes next is a statement behind another one, or not. */
  followStatement(isBehind: boolean): void {
    this.#isAfterStatement = isBehind
  }

  /** @param lines ends of lines; none keeps the line. */
  endLine(lines: string): void {
    if (lines === '') return
    this.#written.add(lines)
    this.#last = 0
  }
}
