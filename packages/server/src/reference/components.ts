/** The components of the OpenAPI document. Each is defined once and referenced by name. */

export type Reference = { readonly $ref: string }
type Section = 'schemas' | 'responses' | 'examples' | 'parameters'

/**
 * Adds `value` to the components under this name, and returns a reference to it. Throws if the name has a
 * different value.
 */
export type Refer = (section: Section, name: string, value: object) => Reference

export type Components = {
  readonly refer: Refer
  readonly all: Readonly<Record<Section, Readonly<Record<string, object>>>>
}

export function makeComponents(): Components {
  const all: Record<Section, Record<string, object>> = {
    schemas: {},
    responses: {},
    examples: {},
    parameters: {},
  }
  const refer: Refer = (section, name, value) => {
    const known = all[section][name] ?? value
    // Readers would confuse two components with the same name.
    if (known !== value && JSON.stringify(known) !== JSON.stringify(value))
      throw new Error(`the document has two different ${section} with the name ${name}`)
    all[section][name] = known
    return { $ref: `#/components/${section}/${name}` }
  }
  return { all, refer }
}

/** A value of one operation, and its name as a component if other operations have the same value. */
export type Candidate = { readonly name: string; readonly value: object }

/**
 * Returns a function that replaces each value shared by several candidates with a reference, and keeps all
 * others.
 */
export function sharing(
  section: Section,
  candidates: readonly Candidate[],
  refer: Refer,
): (value: object) => object {
  const names = namesOf(candidates)
  return (value) => {
    const name = names.get(JSON.stringify(value))
    return name === undefined ? value : refer(section, name, value)
  }
}

/**
 * Maps the JSON of each value to its name. If several values have the same name, the less frequent ones get a
 * number.
 */
function namesOf(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const groups = [...Map.groupBy(candidates, ({ value }) => JSON.stringify(value))]
  const repeated = groups
    .filter(([, { length }]) => length > 1)
    .toSorted(([, a], [, b]) => b.length - a.length)
  const byName = Map.groupBy(repeated, ([, [one]]) => one?.name ?? '')
  return new Map(
    [...byName].flatMap(([name, ones]) =>
      ones.map(([json], at) => [json, at === 0 ? name : `${name}-${at + 1}`] as const),
    ),
  )
}

/** Converts `users:write` to `UsersWrite`, `ad system` to `AdSystem`, and `not_found` to `NotFound`. */
export function pascalCase(words: string): string {
  return words.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Turns a description into a sentence. In schemas, descriptions are phrases, because validation errors quote
 * them in parentheses.
 */
export function sentence(phrase: string): string {
  const start = /^[a-z]+(?:-[a-z]+)*(?=[ ,;:.]|$)/.test(phrase)
    ? phrase.charAt(0).toUpperCase() + phrase.slice(1)
    : phrase
  return start.endsWith('.') ? start : `${start}.`
}

type Node = {
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly additionalProperties?: boolean | Node
}

/** Replaces every titled part of a schema with a reference, and turns descriptions into sentences. */
export function withReferences<S extends object>(schema: S, refer: Refer): S | Reference {
  const { title, ...node } = schema as Node
  const { description, properties, items, anyOf, additionalProperties } = node
  const inside = (one: Node) => withReferences(one, refer)
  const own = {
    ...node,
    ...(description === undefined ? {} : { description: sentence(description) }),
    ...(properties === undefined ? {} : { properties: mapped(properties, inside) }),
    ...(items === undefined ? {} : { items: inside(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inside) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: inside(additionalProperties) }
      : {}),
  } as S
  return title === undefined ? own : refer('schemas', title, own)
}

function mapped(properties: Readonly<Record<string, Node>>, map: (one: Node) => object) {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, map(one)]))
}
