/**
 * Warnings about names that may occur hundreds of times: each message is reported once, with the line of
 * its first occurrence.
 */

import type { PassContext } from '../pass-context.ts'
import type { Offset } from '../syntax/ast.ts'

/** Maximum number of distinct messages; the rest are dropped. */
const MAX_NOTICES = 40

type Notice = { readonly at: Offset; count: number }

export class Notices {
  readonly #context: Pick<PassContext, 'diagnostics' | 'report'>
  readonly #found = new Map<string, Notice>()

  constructor(context: Pick<PassContext, 'diagnostics' | 'report'>) {
    this.#context = context
  }

  add(at: Offset, text: string): void {
    const known = this.#found.get(text)
    if (known) known.count += 1
    else if (this.#found.size < MAX_NOTICES) this.#found.set(text, { at, count: 1 })
  }

  /** Adds all messages to the report. */
  report(): void {
    const { diagnostics, report } = this.#context
    for (const [text, { at, count }] of this.#found) {
      const more = count === 1 ? '' : ` and ${count - 1} more`
      report.warn(`${diagnostics.placeOf(at)}${more}: ${text}`)
    }
  }
}
