/** Reads the entries of a table literal that is to be moved to the server. */

import type { Diagnostics } from '../diagnostics.ts'
import type { Expression, KeyedItem, Table } from '../syntax/ast.ts'
import { MAX_TABLE_BYTES, type ServerKey, type ServerTable, type ServerValue } from './server-code.ts'

/**
 * Reports every part that is not a literal. Omits entries whose value is nil. If a key occurs more than once,
 * the last entry counts.
 */
export function readEntries(table: Table, diagnostics: Diagnostics): ServerTable['entries'] {
  const reader = new EntryReader(diagnostics)
  const entries = reader.entriesOf(table)
  if (reader.bytes > MAX_TABLE_BYTES)
    diagnostics.report(table.at, 'serverTooLarge', reader.bytes, MAX_TABLE_BYTES)
  return entries
}

class EntryReader {
  bytes = 0
  readonly #diagnostics: Diagnostics

  constructor(diagnostics: Diagnostics) {
    this.#diagnostics = diagnostics
  }

  entriesOf({ items }: Table): ServerTable['entries'] {
    const entries = new Map<ServerKey, ServerValue>()
    let position = 0
    for (const item of items) {
      const key = item.kind === 'KeyedItem' ? this.#key(item.key) : ++position
      const value = this.#value(item.value)
      if (key !== null && value !== null) entries.set(key, value)
    }
    return [...entries]
  }

  #key(node: Expression): ServerKey | null {
    const value = node.kind === 'Table' ? null : this.#scalar(node)
    if (value === null) this.#diagnostics.report(node.at, 'serverTableKey')
    return value
  }

  #value(node: Expression): ServerValue | null {
    if (node.kind === 'NilLiteral') return null
    if (node.kind === 'Table') return this.#table(node)
    const value = this.#scalar(node)
    if (value === null) this.#diagnostics.report(node.at, 'serverTableValue')
    return value
  }

  #scalar(node: Expression): ServerKey | null {
    this.bytes += 16
    if (node.kind === 'StringLiteral') this.bytes += node.value.length
    if (node.kind === 'StringLiteral' || node.kind === 'BooleanLiteral' || node.kind === 'NumberLiteral')
      return node.value
    const operand = node.kind === 'Unary' && node.operator === '-' ? node.operand : null
    return operand?.kind === 'NumberLiteral' ? -operand.value : null
  }

  #table({ items, at }: Table): ServerValue {
    const keyed = items.filter((item): item is KeyedItem => item.kind === 'KeyedItem')
    if (keyed.length > 0 && keyed.length < items.length) this.#diagnostics.report(at, 'serverTableMixed')
    if (keyed.length === 0) {
      return { list: items.map((item) => this.#value(item.value)) }
    }
    const members = keyed.flatMap(({ key, value }): (readonly [string, ServerValue])[] => {
      const read = this.#value(value)
      if (key.kind !== 'StringLiteral') this.#diagnostics.report(key.at, 'serverTableKey')
      else if (read !== null) return [[key.value, read]]
      return []
    })
    return { members }
  }
}
