/**
 * Warnings about names that may occur hundreds of times. Each message is reported only once, with the line of
 * its first occurrence.
 */

import type { PassContext } from '../pass-context.ts'
import type { Offset } from '../syntax/ast.ts'

/** Maximum number of distinct messages. Further messages are dropped. */
const MAX_NOTICES = 40

type Notice = { readonly at: Offset; readonly isUnprotected: boolean; count: number }

export class Notices {
  readonly #context: Pick<PassContext, 'diagnostics' | 'report'>
  readonly #found = new Map<string, Notice>()

  constructor(context: Pick<PassContext, 'diagnostics' | 'report'>) {
    this.#context = context
  }

  add(at: Offset, text: string): void {
    this.#add(at, text, false)
  }

  /** Adds a message about protection that the author requested but that has no effect. */
  addUnprotected(at: Offset, text: string): void {
    this.#add(at, text, true)
  }

  #add(at: Offset, text: string, isUnprotected: boolean): void {
    const known = this.#found.get(text)
    if (known) known.count += 1
    else if (this.#found.size < MAX_NOTICES) this.#found.set(text, { at, isUnprotected, count: 1 })
  }

  /** Adds all messages to the report. */
  report(): void {
    const { diagnostics, report } = this.#context
    for (const [text, { at, isUnprotected, count }] of this.#found) {
      const more = count === 1 ? '' : ` and ${count - 1} more`
      const message = `${diagnostics.placeOf(at)}${more}: ${text}`
      if (isUnprotected) report.warnUnprotected(message)
      else report.warn(message)
    }
  }
}
