/**
 * Compiles schemas into checks whose errors name the field and the fix. Strings in a path or query are also
 * converted to numbers and booleans. The domain code interprets well-formed values.
 */
import type { FastifyRouteSchemaDef } from 'fastify/types/schema.js'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { type Refused, refuse } from '../../api/refusals.ts'
import { findBadText } from './body.ts'

export type Failure = { readonly field: string; readonly errors: readonly string[] }
export type Check = (value: unknown) => readonly Failure[]

const NONE: readonly Failure[] = []
/**
 * An object with more unknown fields than this is rejected without listing them, because the validator takes
 * a microsecond for each.
 */
const MAX_UNKNOWN = 8
const LONG_LIST = 1000

type Node = {
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: boolean | Node
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly maxItems?: number
  readonly maxProperties?: number
}
type Complaint = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * Compiles a check for `schema`. In errors, `whole` is the name of the value itself. The check is compiled on
 * first use, because the checks of all endpoints together take up megabytes, and most are never used.
 */
export function compileCheck(schema: TSchema, whole: string): Check {
  let validator: Validator | undefined
  return (value) => {
    validator ??= Compile(schema)
    return validator.Check(value) ? NONE : failuresOf(validator, schema as Node, whole, value)
  }
}

/** Fastify uses this to check the path or query of a request. Both arrive as strings. */
export function compileInput({ schema, httpPart }: FastifyRouteSchemaDef<TSchema>) {
  const whole = httpPart === 'params' ? 'path' : 'query'
  const check = compileCheck(schema, whole)
  return (input: unknown) => {
    const value = readTexts(schema, input)
    const failed = check(value)
    const refused = failed.length > 0 ? refuse('invalid_request', { failed }) : findBadText(value, whole)
    return refused === undefined ? { value } : { error: new InvalidInput(refused) }
  }
}

/** Fastify treats validation errors as exceptions and passes them to its error handler. */
export class InvalidInput extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super('invalid input')
    this.refused = refused
  }
}

/**
 * Converts numbers and booleans, which arrive as strings. Anything else stays a string and fails the check.
 */
export function readTexts(schema: TSchema, texts: unknown): Record<string, unknown> {
  const properties = (schema as Node).properties ?? {}
  // A name such as `__proto__` is an ordinary unknown field.
  const read: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(texts as Record<string, unknown>)) {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined
    const isOther = node !== undefined && node.type !== 'string'
    read[name] = isOther && typeof value === 'string' ? readText(typesOf(node), value) : value
  }
  return read
}

/** Whether a field may be a string. */
export function takesText(schema: TSchema, name: string): boolean {
  return typesOf((schema as Node).properties?.[name] ?? {}).includes('string')
}

function readText(types: readonly string[], text: string): unknown {
  if (types.includes('string')) return text
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (/^-?\d{1,16}(\.\d{1,16})?$/.test(text) && (types.includes('number') || types.includes('integer')))
    return Number(text)
  return text === '' && types.includes('null') ? null : text
}

/**
 * Never returns an empty list, because that would mean that the value is valid. The validator reports only a
 * few errors and is slow on long lists and many fields, so a list that is too long or an object with too many
 * fields is rejected first.
 */
function failuresOf(validator: Validator, schema: Node, whole: string, value: unknown): Failure[] {
  const tooLong = tooLongLists(schema, value)
  const tooLarge = tooLong.length > 0 ? tooLong : tooManyMembers(schema, whole, value)
  if (tooLarge.length > 0) return tooLarge
  const complaints = complaintsOf(validator, schema, whole, narrow(validator, value))
  return complaints.length > 0 ? complaints : [{ field: whole, errors: [expected(schema)] }]
}

/** Only the fields of the body itself are counted, because no object below it declares its fields. */
function tooManyMembers(schema: Node, whole: string, value: unknown): Failure[] {
  if (typeof value !== 'object' || value === null || schema.additionalProperties !== false) return []
  const most = Object.keys(schema.properties ?? {}).length + MAX_UNKNOWN
  const isTooMany = Object.keys(value).length > most
  return isTooMany ? [{ field: whole, errors: [`has too many fields (${known(schema)})`] }] : []
}

function tooLongLists(schema: Node, value: unknown): Failure[] {
  const members = Object.entries(schema.properties ?? {})
  return members.flatMap(([field, { maxItems, maxProperties }]) => {
    const part = (value as Record<string, unknown> | null)?.[field]
    if (Array.isArray(part))
      return part.length > (maxItems ?? Number.POSITIVE_INFINITY)
        ? [{ field, errors: [tooManyEntries(maxItems ?? 0)] }]
        : []
    if (maxProperties === undefined || typeof part !== 'object' || part === null) return []
    const isTooMany = Object.keys(part).length > maxProperties
    return isTooMany ? [{ field, errors: [`must have at most ${maxProperties} fields`] }] : []
  })
}

/**
 * A value whose long lists are reduced to the part with the first invalid entry, and the number of entries
 * removed before that part.
 */
type Narrowed = { readonly value: unknown; readonly cut: ReadonlyMap<string, number> }

/**
 * The validator takes a microsecond to collect errors about an entry, but only a tenth of that to accept one.
 */
function narrow(validator: Validator, value: unknown): Narrowed {
  const cut = new Map<string, number>()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { value, cut }
  const members: Record<string, unknown> = { ...value }
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || list.length <= LONG_LIST) continue
    const start = firstWrong(list, (part) => validator.Check({ ...members, [name]: part }))
    cut.set(name, start)
    members[name] = list.slice(start, start + MAX_UNKNOWN)
  }
  return { value: members, cut }
}

/** Checks each half once, so the total time is the same as for one pass over the list. */
function firstWrong(list: readonly unknown[], isRight: (part: readonly unknown[]) => boolean): number {
  let [start, end] = [0, list.length]
  while (end - start > 1) {
    const middle = (start + end) >> 1
    if (isRight(list.slice(start, middle))) start = middle
    else end = middle
  }
  return start
}

function pathOf({ instancePath }: Complaint, cut: Narrowed['cut']): string[] {
  const [name, entry, ...rest] = instancePath.split('/').slice(1).map(unescapePointer)
  if (name === undefined) return []
  if (entry === undefined) return [name]
  const start = cut.get(name)
  return [name, start === undefined ? entry : String(Number(entry) + start), ...rest]
}

function complaintsOf(
  validator: Validator,
  schema: Node,
  whole: string,
  { value, cut }: Narrowed,
): Failure[] {
  const byField = new Map<string, string[]>()
  const add = (field: string, words: string) => {
    const known = byField.get(field) ?? []
    if (!known.includes(words)) byField.set(field, [...known, words])
  }
  for (const complaint of validator.Errors(value) as readonly Complaint[]) {
    const path = pathOf(complaint, cut)
    // The validator reports that an extra field fails the `false` schema. The allowed names are in the schema
    // of the object.
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
      return [[undefined, `must have at least ${limit} items`]]
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
  return `must have at most ${limit} items`
}

function unknownMember(node: Node): string {
  return `is not a known field (${known(node)})`
}

function known({ properties = {} }: Node): string {
  const names = Object.keys(properties)
  return names.length === 0 ? 'none are expected here' : `expected: ${oneOf(names)}`
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
  array: 'an array',
}

function oneOf(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}

function typesOf(node: Node): readonly string[] {
  if (node.anyOf !== undefined) return node.anyOf.flatMap(typesOf)
  return typeof node.type === 'string' ? [node.type] : (node.type ?? [])
}

function nodeAt(schema: Node, path: readonly string[]): Node {
  return path.reduce<Node>((node, step) => {
    const { properties, items, additionalProperties: others } = node
    return properties?.[step] ?? items ?? (typeof others === 'object' ? others : {})
  }, schema)
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}
