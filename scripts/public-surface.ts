/**
 * The public surface that other programs depend on: each operation and event with its parameters, request and
 * response fields, and error codes. It is stored as text, so that API changes are visible in code reviews.
 */

export type Field = { readonly types: readonly string[]; readonly isOptional: boolean }
/** Keyed by the location of the field: `query.limit`, `body.tags[]`, `200.users[].key`, `codes.3`. */
export type Fields = ReadonlyMap<string, Field>
/** Keyed by operation, such as `POST /v1/users`, or by event, such as `EVENT user.created`. */
export type Surface = ReadonlyMap<string, Fields>

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
type Example = {
  readonly $ref?: string
  readonly value?: { readonly error?: { readonly code: number; readonly type: string } }
}
type Media = { readonly schema?: Schema; readonly examples?: Readonly<Record<string, Example>> }
type Content = Readonly<Record<string, Media>>
type Response = { readonly $ref?: string; readonly content?: Content }
type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}
type Operation = {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Readonly<Record<string, Response>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>
export type Document = {
  readonly paths?: Paths
  readonly webhooks?: Paths
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly responses?: Readonly<Record<string, Response>>
    readonly examples?: Readonly<Record<string, Example>>
  }
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete'])
/** Group for values that are not fields of an object, such as an entire body or response. */
const ROOT_GROUP = 'parts'

export function surfaceOf(document: Document): Surface {
  const read = (paths: Paths = {}, nameOf: (path: string, method: string) => string) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => METHODS.has(method))
        .map(([method, one]) => [nameOf(path, method), fieldsOf(one as Operation, document)] as const),
    )
  return new Map([
    ...read(document.paths, (path, method) => `${method.toUpperCase()} ${path}`),
    ...read(document.webhooks, (path) => `EVENT ${path}`),
  ])
}

function fieldsOf(operation: Operation, document: Document): Fields {
  const { parameters = [], requestBody, responses = {} } = operation
  const { components } = document
  const place = { document, within: new Set<string>() }
  const body = schemaIn(requestBody?.content)
  const parts: Iterable<readonly [string, Field]>[] = [
    ...parameters
      .map((given) => named(given, components?.parameters))
      .map((one) =>
        schemaFields(one.schema ?? {}, { ...place, at: `${one.in}.${one.name}`, isOptional: !one.required }),
      ),
    body ? schemaFields(body, { ...place, at: 'body', isOptional: requestBody?.required !== true }) : [],
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [status, named(response, components?.responses)] as const)
      .map(([status, { content }]) =>
        schemaFields(schemaIn(content) ?? {}, { ...place, at: status, isOptional: false }),
      ),
    codesIn(responses, document),
  ]
  return new Map(parts.flatMap((part) => [...part]))
}

function schemaIn(content: Content = {}): Schema | undefined {
  return (content['application/json'] ?? Object.values(content)[0])?.schema
}

/** Error codes specific to the operation. -1 represents the errors that every operation can return. */
function codesIn(responses: NonNullable<Operation['responses']>, { components }: Document): Fields {
  const examples = Object.values(responses).flatMap((response) =>
    Object.values(named(response, components?.responses).content ?? {}).flatMap((media) =>
      Object.values(media.examples ?? {}),
    ),
  )
  const codes = new Map<string, Field>()
  for (const { value } of examples.map((one) => named(one, components?.examples))) {
    if (value?.error === undefined || value.error.code === -1) continue
    const at = `codes.${value.error.code}`
    const types = new Set([...(codes.get(at)?.types ?? []), value.error.type])
    codes.set(at, { types: [...types].toSorted(), isOptional: false })
  }
  return codes
}

/** Resolves a reference. Other values are returned unchanged. */
function named<T extends { readonly $ref?: string }>(one: T, all: Readonly<Record<string, T>> = {}): T {
  return one.$ref === undefined ? one : (all[one.$ref.split('/').at(-1) ?? ''] ?? one)
}

type Place = {
  readonly document: Document
  readonly at: string
  readonly isOptional: boolean
  /** References that are currently being followed. A schema may contain itself. */
  readonly within: ReadonlySet<string>
}

function schemaFields(schema: Schema, place: Place): Map<string, Field> {
  const { $ref, anyOf, properties = {}, required = [], items, additionalProperties } = schema
  if ($ref !== undefined) return referenceFields($ref, place)
  if (anyOf !== undefined) return formFields(anyOf, place)
  const { at, isOptional } = place
  const inner = (name: string, one: Schema, isInnerOptional = false) =>
    schemaFields(one, { ...place, at: at + name, isOptional: isInnerOptional })
  return new Map([
    [at, { types: typesOf(schema), isOptional }],
    ...Object.entries(properties).flatMap(([name, one]) => [
      ...inner(`.${name}`, one, !required.includes(name)),
    ]),
    ...(items ? inner('[]', items) : []),
    ...(typeof additionalProperties === 'object' ? inner('.*', additionalProperties) : []),
  ])
}

function referenceFields($ref: string, place: Place): Map<string, Field> {
  const { document, at, isOptional, within } = place
  const name = $ref.split('/').at(-1) ?? ''
  if (within.has(name)) return new Map([[at, { types: ['object'], isOptional }]])
  const target = document.components?.schemas?.[name] ?? {}
  return schemaFields(target, { ...place, within: new Set([...within, name]) })
}

/**
 * Merges the fields of alternative schemas. A field is required only if every alternative that has fields
 * requires it.
 */
function formFields(forms: readonly Schema[], place: Place): Map<string, Field> {
  const found = forms.map((form) => schemaFields(form, place))
  const withFields = found.filter(({ size }) => size > 1)
  const paths = new Set(found.flatMap((fields) => [...fields.keys()]))
  return new Map(
    [...paths].map((path) => {
      const all = found.flatMap((fields) => fields.get(path) ?? [])
      const types = [...new Set(all.flatMap((one) => one.types))].toSorted()
      const isEverywhere = path === place.at || all.length === withFields.length
      return [path, { types, isOptional: !isEverywhere || all.some(({ isOptional }) => isOptional) }]
    }),
  )
}

function typesOf({ type = 'any', enum: values, ...schema }: Schema): string[] {
  if ('const' in schema) return [literal(schema.const)]
  const types = values?.map(literal) ?? [type].flat()
  return types.toSorted()
}

/** Encodes a value as JSON without the characters that separate parts of a line. */
function literal(value: unknown): string {
  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[ ,|]/g, escaped)
}

/** Writes one paragraph per operation and one line per object with its fields. */
export function renderSurface(surface: Surface): string {
  const byPath = (name: string) => name.split(' ').toReversed().join(' ')
  const names = [...surface.keys()].toSorted((a, b) => compare(byPath(a), byPath(b)))
  return names.map((name) => `${name}\n${renderFields(surface.get(name) ?? new Map())}`).join('\n')
}

function renderFields(fields: Fields): string {
  const groups = Map.groupBy([...fields], ([path]) => groupOf(path))
  return [...groups]
    .toSorted(([a], [b]) => compare(a, b))
    .map(([group, list]) => {
      const entries = list.map(([path, { types, isOptional }]) => {
        const name = group === ROOT_GROUP ? path : path.slice(group.length + 1)
        return `${name}${isOptional ? '?' : ''} ${types.join('|')}`
      })
      return `  ${group}: ${entries.toSorted(compare).join(', ')}\n`
    })
    .join('')
}

function groupOf(path: string): string {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : ROOT_GROUP
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** Parses the output of `renderSurface`. */
export function parseSurface(text: string): Surface {
  const paragraphs = text.split(/\n{2,}/).filter((one) => one !== '')
  return new Map(
    paragraphs.map((paragraph) => {
      const [name = '', ...lines] = paragraph.trimEnd().split('\n')
      return [name, new Map(lines.flatMap(parseGroup))]
    }),
  )
}

function parseGroup(line: string): [string, Field][] {
  const [, group = '', entries = ''] = /^ *(.+?): (.*)$/.exec(line) ?? []
  return entries.split(', ').map((entry) => parseEntry(group, entry))
}

function parseEntry(group: string, entry: string): [string, Field] {
  const [, name = '', mark = '', types = ''] = /^(.*?)(\??) (.*)$/.exec(entry) ?? []
  const path = group === ROOT_GROUP ? name : `${group}.${name}`
  return [path, { types: types.split('|'), isOptional: mark === '?' }]
}
