/**
 * Schemas as checks whose complaints name the member and the mend. Which text of a query stands for which number is
 * decided here too; what a well-formed value means is the domain's business.
 */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

export type Failure = { readonly field: string; readonly errors: readonly string[] }
export type Check = (value: unknown) => readonly Failure[]

const NONE: readonly Failure[] = []

type Node = {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: unknown
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly maxItems?: number
}
type Complaint = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * A check of `schema`; `whole` is what a complaint about the value itself calls it. Compiled with the first value: those
 * of all endpoints together hold megabytes, and most are never asked for.
 */
export function compileCheck(schema: TSchema, whole: string): Check {
  let validator: Validator | undefined
  return (value) => {
    validator ??= Compile(schema)
    return validator.Check(value) ? NONE : failuresOf(validator, schema as Node, whole, value)
  }
}

/** Numbers and booleans arrive in a query as text; what does not read as one stays text and is refused by the check. */
export function readQuery(schema: TSchema, query: unknown): Record<string, unknown> {
  const properties = (schema as Node).properties ?? {}
  const read: Record<string, unknown> = {}
  for (const name of Object.keys(query as Record<string, unknown>)) {
    const value = (query as Record<string, unknown>)[name]
    const node = properties[name]
    const isOther = node !== undefined && node.type !== 'string'
    read[name] = isOther && typeof value === 'string' ? readText(typesOf(node), value) : value
  }
  return read
}

/** Whether a query of this schema reads as what was sent. */
export function isAllText(schema: TSchema): boolean {
  return Object.values((schema as Node).properties ?? {}).every(({ type }) => type === 'string')
}

function readText(types: readonly string[], text: string): unknown {
  if (types.includes('string')) return text
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (/^-?\d{1,16}(\.\d{1,16})?$/.test(text) && (types.includes('number') || types.includes('integer')))
    return Number(text)
  return text === '' && types.includes('null') ? null : text
}

/**
 * Never empty, because no complaint means that the value is well formed. The validator tells a few complaints only, and
 * takes its time for long lists, so that those which are too long are not shown to it.
 */
function failuresOf(validator: Validator, schema: Node, whole: string, value: unknown): Failure[] {
  const tooLong = tooLongLists(schema, value)
  const failures = tooLong.length > 0 ? tooLong : complaintsOf(validator, schema, whole, value)
  return failures.length > 0 ? failures : [{ field: whole, errors: [expected(schema)] }]
}

function tooLongLists(schema: Node, value: unknown): Failure[] {
  const members = Object.entries(schema.properties ?? {})
  return members.flatMap(([field, { maxItems = Number.POSITIVE_INFINITY }]) => {
    const list = (value as Record<string, unknown> | null)?.[field]
    return Array.isArray(list) && list.length > maxItems
      ? [{ field, errors: [tooManyEntries(maxItems)] }]
      : []
  })
}

function complaintsOf(validator: Validator, schema: Node, whole: string, value: unknown): Failure[] {
  const byField = new Map<string, string[]>()
  const add = (field: string, words: string) => {
    const known = byField.get(field) ?? []
    if (!known.includes(words)) byField.set(field, [...known, words])
  }
  for (const complaint of validator.Errors(value) as readonly Complaint[]) {
    const path = complaint.instancePath.split('/').slice(1).map(unescapePointer)
    // An extra member is reported as one that fits the schema `false`, which only its object can put into words.
    const isExtra = complaint.keyword === 'boolean'
    if (isExtra) add(path.join('.').slice(0, 200), unknownMember(nodeAt(schema, path.slice(0, -1))))
    for (const [member, words] of isExtra ? [] : wordsOf(complaint, nodeAt(schema, path))) {
      add([...path, ...(member === undefined ? [] : [member])].join('.') || whole, words)
    }
  }
  return [...byField].map(([field, errors]) => ({ field, errors }))
}

function wordsOf({ keyword, params }: Complaint, node: Node): [string | undefined, string][] {
  const limit = String(params.limit)
  switch (keyword) {
    case 'const':
    case 'additionalProperties':
      return []
    case 'required':
      return (params.requiredProperties as readonly string[]).map((name) => [name, 'is required'])
    case 'minLength':
      return [[undefined, limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`]]
    case 'maxLength':
      return [[undefined, `must have at most ${limit} characters`]]
    case 'minItems':
      return [[undefined, `must have at least ${limit} entries`]]
    case 'maxItems':
      return [[undefined, tooManyEntries(limit)]]
    case 'minimum':
      return [[undefined, `must be ${limit} or more`]]
    case 'maximum':
      return [[undefined, `must be ${limit} or less`]]
    default:
      return [[undefined, expected(node)]]
  }
}

function tooManyEntries(limit: number | string): string {
  return `must have at most ${limit} entries`
}

function unknownMember(node: Node): string {
  const known = Object.keys(node.properties ?? {})
  return known.length === 0
    ? 'is unknown: nothing is expected here'
    : `is unknown: expected is ${oneOf(known)}`
}

function expected(node: Node): string {
  if (node.enum !== undefined) return `must be ${oneOf(node.enum.map(String))}`
  if (node.anyOf?.every((choice) => 'const' in choice)) {
    return `must be ${oneOf(node.anyOf.map((choice) => String(choice.const)))}`
  }
  const kind = `must be ${oneOf(typesOf(node).map((type) => TYPES[type] ?? type))}`
  return node.description === undefined ? kind : `${kind} (${node.description})`
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function oneOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function typesOf(node: Node): readonly string[] {
  if (node.anyOf !== undefined) return node.anyOf.flatMap(typesOf)
  return typeof node.type === 'string' ? [node.type] : (node.type ?? [])
}

function nodeAt(schema: Node, path: readonly string[]): Node {
  return path.reduce<Node>((node, step) => node.properties?.[step] ?? node.items ?? {}, schema)
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
