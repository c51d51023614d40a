/**
 * Examples of requests and responses, generated from an endpoint's schemas. A field shows the first of its
 * own `examples`, or the value for its name in `example-values.ts`, so that all examples share one scenario.
 * Examples that can't be derived are in the endpoint's declaration.
 */
import type { TSchema } from 'typebox'
import type { Endpoint } from '../api/endpoint.ts'
import { exampleValues } from './example-values.ts'

type Node = {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: readonly string[]
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}
/** The location of a value: its own name, and that of its parent. */
type Place = { readonly name: string; readonly holder: string }

/**
 * A field without a known example. To fix this, add `examples` to the schema or a line to
 * `example-values.ts`.
 */
class NoExample extends Error {
  constructor({ name, holder }: Place) {
    super(`no example for the member ${holder === '' ? name : `${holder}.${name}`}`)
    this.name = 'NoExample'
  }
}

export type Part = 'params' | 'query' | 'body' | 'answer'

/** Returns undefined if there is nothing to send. */
export function exampleFor(endpoint: Endpoint, part: Part): unknown {
  const declared = endpoint.example?.[part]
  if (declared !== undefined) return declared
  if (part === 'answer') return answerOf(endpoint)
  const node = endpoint[part] as Node
  if (node.type === 'object' && !hasMembers(node)) return undefined
  if (part === 'query') return membersOf(node, TOP, node.required ?? [])
  return node.type === 'object' ? sentMembers(node) : valueFor(node, { name: part, holder: '' }, false)
}

/** Values in the request appear in the response, so that the two match. */
function answerOf(endpoint: Endpoint): unknown {
  const answer = valueFor(endpoint.response as Node, TOP, true)
  const sent = { ...objectOf(exampleFor(endpoint, 'query')), ...objectOf(exampleFor(endpoint, 'body')) }
  if (typeof answer !== 'object' || answer === null) return answer
  const whole = repeating(answer, sent)
  const nouns = Object.entries(whole).filter(([, value]) => isObject(value))
  return {
    ...whole,
    ...Object.fromEntries(nouns.map(([name, value]) => [name, repeating(value as object, sent)])),
  }
}

function repeating(answer: object, sent: object): object {
  const same = Object.entries(sent).filter(([name, value]) => name in answer && !isObject(value))
  return { ...answer, ...Object.fromEntries(same) }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function objectOf(value: unknown): object {
  return isObject(value) ? value : {}
}

function hasMembers({ properties = {} }: Node): boolean {
  return Object.keys(properties).length > 0
}

/** The required fields, or one field if none is required. */
function sentMembers(node: Node): unknown {
  const required = node.required ?? []
  return membersOf(node, TOP, required.length > 0 ? required : Object.keys(node.properties ?? {}).slice(0, 1))
}

const TOP: Place = { name: '', holder: '' }

/** The example of one path or query parameter. Undefined if none is known. */
export function exampleOfMember(schema: TSchema | object, name: string): unknown {
  try {
    return valueFor(schema as Node, { name, holder: '' }, true)
  } catch (error) {
    if (error instanceof NoExample) return undefined
    throw error
  }
}

/** `whole` also includes optional fields. */
function valueFor(node: Node, place: Place, whole: boolean): unknown {
  if (node.examples !== undefined) return node.examples[0]
  if ('const' in node) return node.const
  const known = exampleValues[`${place.holder}.${place.name}`] ?? exampleValues[place.name]
  // Builds objects with declared fields field by field, instead of using the known value.
  if (known !== undefined && !hasMembers(node) && fits(node, known)) return known
  if (node.enum !== undefined) return node.enum[0]
  return node.anyOf?.[0] === undefined ? madeOf(node, place, whole) : valueFor(node.anyOf[0], place, whole)
}

function madeOf(node: Node, place: Place, whole: boolean): unknown {
  const types = typesOf(node)
  if (types.includes('object') && node.properties !== undefined) {
    const names = whole ? Object.keys(node.properties) : (node.required ?? [])
    return membersOf(node, place, names)
  }
  if (types.includes('array') && node.items !== undefined) {
    const entry = { name: singular(place.name), holder: place.holder }
    return [valueFor(node.items, entry, whole)]
  }
  if (types.includes('boolean')) return false
  if (types.includes('null')) return null
  throw new NoExample(place)
}

function membersOf({ properties = {} }: Node, { name }: Place, names: readonly string[]) {
  const values = names.map((each) => [
    each,
    valueFor(properties[each] ?? {}, { name: each, holder: name }, true),
  ])
  return Object.fromEntries(values)
}

function typesOf({ type }: Node): readonly string[] {
  return [type ?? []].flat()
}

/** The same name may be a string in one schema and a number in another. */
function fits(node: Node, value: unknown): boolean {
  const types = typesOf(node)
  if (node.enum !== undefined) return node.enum.includes(value)
  return types.length === 0 || types.some((type) => IS[type]?.(value))
}

const IS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
}

function singular(name: string): string {
  if (name === 'people') return 'person'
  return name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
}
