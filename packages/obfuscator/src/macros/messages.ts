/**
 * Webhooks that scripts send. `WARD_WEBHOOK('https://…', { content = 'Hello ' .. name })` becomes a call that
 * sends a message number and the values to the server. The URL and the constant fields of the table are
 * removed from the script.
 */

import type { Located } from '../diagnostics.ts'
import type { PassContext } from '../pass-context.ts'
import type { Bytes, Call, Chunk, Expression, KeyedItem, Table } from '../syntax/ast.ts'
import { nodesAt, oneValue } from '../syntax/nodes.ts'
import { rewrite } from '../syntax/walk.ts'
import { macroOf } from './macro-names.ts'

/**
 * One of these: a constant, the index of a value that the script sends, a string that joins constants and
 * indexed values, a list, or fields by name.
 */
export type MessagePart =
  | string
  | number
  | boolean
  | { readonly value: number }
  | { readonly text: readonly (string | number)[] }
  | { readonly list: readonly MessagePart[] }
  | { readonly members: readonly (readonly [name: string, part: MessagePart])[] }

/** `pattern` must match the entire value. If `pattern` is null, any value is accepted. */
export type MessageValue = Located & { readonly pattern: string | null }

/** The message of one `WARD_WEBHOOK` call. The script sends only its `values`. */
export type Message = Located & {
  readonly address: string
  readonly body: MessagePart
  readonly values: readonly MessageValue[]
}

/** Maximum number of messages per script. */
const MAX_MESSAGES = 10
/** Maximum number of values per message. */
const MAX_VALUES = 50

/**
 * Extracts the messages of a script. Only a server can send them. In a build without a server, each message
 * is therefore an error.
 */
export function takeMessages(
  chunk: Chunk,
  context: PassContext,
): { readonly chunk: Chunk; readonly messages: readonly Message[] } {
  const messages: Message[] = []
  const { diagnostics } = context
  const taken = rewrite(chunk, {
    Call(node) {
      if (macroOf(node.callee) !== 'webhook' || node.callee.kind !== 'GlobalName') return undefined
      const { at, name } = node.callee
      if (messages.length === MAX_MESSAGES) diagnostics.report(at, 'webhookTooMany', MAX_MESSAGES)
      else return new MessageReader(context, name).read(node, messages)
      return undefined
    },
  })
  return { chunk: taken, messages }
}

class MessageReader {
  readonly #context: PassContext
  readonly #name: string
  readonly #values: MessageValue[] = []
  readonly #given: Expression[] = []

  /** @param name the name that the script uses for the macro. */
  constructor(context: PassContext, name: string) {
    this.#context = context
    this.#name = name
  }

  read(node: Call, messages: Message[]): Expression | undefined {
    const { diagnostics, ward } = this.#context
    const [address, table] = node.args
    if (node.args.length !== 2 || address?.kind !== 'StringLiteral' || table?.kind !== 'Table') {
      diagnostics.report(node.callee.at, 'webhookArguments', this.#name)
      return undefined
    }
    if (ward === null) {
      diagnostics.report(node.callee.at, 'webhookNeedsService', this.#name)
      return undefined
    }
    const body = this.#table(table)
    if (typeof body !== 'object' || !('members' in body)) {
      diagnostics.report(table.at, 'webhookMembers', this.#name)
    }
    if (this.#given.length > MAX_VALUES) diagnostics.report(node.callee.at, 'webhookValues', MAX_VALUES)
    const place = diagnostics.locate(node.callee.at)
    const to = this.#text(address.value, address.at)
    messages.push({ ...place, address: to, body, values: this.#values })
    const make = nodesAt(node.at)
    const send = make.index(make.use(ward), make.string('send'))
    return make.call(send, make.number(messages.length), ...this.#given.map(oneValue))
  }

  #part(node: Expression): MessagePart | null {
    switch (node.kind) {
      case 'NilLiteral':
        return null
      case 'StringLiteral':
        return this.#text(node.value, node.at)
      case 'BooleanLiteral':
        return node.value
      case 'Table':
        return this.#table(node)
      case 'InterpolatedString':
        return this.#joined(this.#interpolated(node))
      case 'Binary':
        if (node.operator === '..') return this.#joined(this.#texts(node))
        break
      case 'Call':
        if (macroOf(node.callee) === 'clean') return { value: this.#clean(node) }
        break
    }
    const number = numberOf(node)
    return number === null ? { value: this.#value(node, null, node) } : number
  }

  #table({ items }: Table): MessagePart {
    const keyed = items.filter((item): item is KeyedItem => item.kind === 'KeyedItem')
    if (keyed.length > 0 && keyed.length < items.length) {
      const other = items.find(({ kind }) => kind === 'PositionalItem')
      this.#context.diagnostics.report(other?.at ?? 0, 'webhookMixed')
    }
    const parts = items.map((item) => this.#part(item.value))
    if (keyed.length === 0) return { list: parts.filter((part) => part !== null) }
    const members = keyed.flatMap(({ key }, i): [string, MessagePart][] => {
      const part = parts[i]
      if (key.kind !== 'StringLiteral') this.#context.diagnostics.report(key.at, 'webhookKey')
      else if (part !== undefined && part !== null) return [[this.#text(key.value, key.at), part]]
      return []
    })
    return { members }
  }

  /** Returns the constants and value indexes of a concatenation, from left to right. */
  #texts(node: Expression): (string | number)[] {
    if (node.kind === 'Binary' && node.operator === '..')
      return [...this.#texts(node.left), ...this.#texts(node.right)]
    if (node.kind === 'StringLiteral') return [this.#text(node.value, node.at)]
    if (node.kind === 'InterpolatedString') return this.#interpolated(node)
    if (node.kind === 'Call' && macroOf(node.callee) === 'clean') return [this.#clean(node)]
    const make = nodesAt(node.at)
    return [this.#value(node, null, make.binary(oneValue(node), '..', make.string('')))]
  }

  #interpolated({ strings, values, at }: Extract<Expression, { kind: 'InterpolatedString' }>) {
    return strings.flatMap((constant, i): (string | number)[] => {
      const value = values[i]
      const text = this.#text(constant, at)
      if (!value) return [text]
      if (value.kind === 'Call' && macroOf(value.callee) === 'clean') return [text, this.#clean(value)]
      return [text, this.#value(value, null, asText(value))]
    })
  }

  /** A string that contains no values is a constant. */
  #joined(text: readonly (string | number)[]): MessagePart {
    return text.every((each) => typeof each === 'string') ? text.join('') : { text }
  }

  #clean({ callee, args }: Call): number {
    const [value, pattern] = args
    if (args.length === 2 && value && pattern?.kind === 'StringLiteral')
      return this.#value(value, this.#text(pattern.value, pattern.at), asText(value))
    const name = callee.kind === 'GlobalName' ? callee.name : 'WARD_CLEAN'
    this.#context.diagnostics.report(callee.at, 'cleanArguments', name)
    return 0
  }

  /**
   * Adds a value for the script to send.
   * @returns the index of the value.
   */
  #value(node: Expression, pattern: string | null, given: Expression): number {
    this.#values.push({ pattern, ...this.#context.diagnostics.locate(node.at) })
    return this.#given.push(given) - 1
  }

  #text(bytes: Bytes, at: number): string {
    try {
      return decodeUtf8(bytes)
    } catch {
      this.#context.diagnostics.report(at, 'webhookText')
      return ''
    }
  }
}

/** @throws URIError if the bytes are not valid UTF-8. */
function decodeUtf8(bytes: Bytes): string {
  const hex = (byte: string) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`
  return decodeURIComponent(bytes.replace(/[%\x80-\xff]/g, hex))
}

function numberOf(node: Expression): number | null {
  if (node.kind === 'NumberLiteral') return Number.isFinite(node.value) ? node.value : null
  const inner = node.kind === 'Unary' && node.operator === '-' ? numberOf(node.operand) : null
  return inner === null ? null : -inner
}

function asText(node: Expression): Expression {
  return nodesAt(node.at).call({ kind: 'GlobalName', at: node.at, name: 'tostring' }, oneValue(node))
}
