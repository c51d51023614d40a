/**
 * What of an OpenAPI document breaks the programs that were written for an earlier one. A caller sends what it always sent, so
 * nothing of that may be refused; it reads what it always read, so all of that has to be there.
 */

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
type Content = Readonly<Record<string, { readonly schema?: Schema }>>
type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema?: Schema
}
type Operation = {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content?: Content }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>
export type Document = {
  readonly paths?: Paths
  readonly webhooks?: Paths
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete'])

/** One line for each break, with the operation that it is in. */
export function breaksOf(before: Document, now: Document): string[] {
  const compare = comparison(before, now)
  const breaks = (paths: Paths = {}, others: Paths = {}, isOfCaller: boolean) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => METHODS.has(method))
        .flatMap((method) => {
          const where = isOfCaller ? `${method.toUpperCase()} ${path}` : `event ${path}`
          const other = others[path]?.[method] as Operation | undefined
          if (other === undefined) return [`${where} is gone`]
          const found = operationBreaks(methods[method] as Operation, other, isOfCaller, compare)
          return found.map((text) => `${where}: ${text}`)
        }),
    )
  return [...breaks(before.paths, now.paths, true), ...breaks(before.webhooks, now.webhooks, false)]
}

type Compare = (given: Side) => string[]
/** Two states of one place; `sent` by the callers of the service, or read by them. */
type Side = {
  readonly where: string
  readonly before: Schema | undefined
  readonly now: Schema | undefined
  readonly sent: boolean
  readonly within?: ReadonlySet<string>
}

function operationBreaks(before: Operation, now: Operation, isOfCaller: boolean, compare: Compare): string[] {
  const body = compare({
    where: 'body',
    before: schemaOf(before.requestBody?.content),
    now: schemaOf(now.requestBody?.content),
    sent: isOfCaller,
  })
  const isNew = now.requestBody?.required === true && before.requestBody?.required !== true
  return [
    ...parameterBreaks(before.parameters ?? [], now.parameters ?? [], compare),
    ...(isNew && isOfCaller ? ['a body is required now'] : body),
    ...answerBreaks(before.responses ?? {}, now.responses ?? {}, compare),
  ]
}

function parameterBreaks(
  before: readonly Parameter[],
  now: readonly Parameter[],
  compare: Compare,
): string[] {
  const find = (all: readonly Parameter[], one: Parameter) =>
    all.find(({ name, in: place }) => name === one.name && place === one.in)
  const added = now.filter((one) => one.required && find(before, one)?.required !== true)
  return [
    ...before.flatMap((one) => {
      const where = `${one.in} ${one.name}`
      const other = find(now, one)
      if (other === undefined) return [`${where} is gone`]
      return compare({ where, before: one.schema, now: other.schema, sent: true })
    }),
    ...added.map((one) => `${one.in} ${one.name} is required now`),
  ]
}

/** Of those that mean success: which refusals there are is told by their types. */
function answerBreaks(
  before: NonNullable<Operation['responses']>,
  now: NonNullable<Operation['responses']>,
  compare: Compare,
): string[] {
  const codes = Object.keys(before).filter((code) => code.startsWith('2'))
  return codes.flatMap((code) => {
    if (now[code] === undefined) return [`answer ${code} is gone`]
    const [one, other] = [schemaOf(before[code]?.content), schemaOf(now[code]?.content)]
    return compare({ where: 'answer', before: one, now: other, sent: false })
  })
}

function schemaOf(content: Content = {}): Schema | undefined {
  return (content['application/json'] ?? Object.values(content)[0])?.schema
}

function comparison(before: Document, now: Document): Compare {
  const resolve = (schema: Schema, document: Document): Schema => {
    const name = schema.$ref?.split('/').at(-1)
    return name === undefined ? schema : resolve(document.components?.schemas?.[name] ?? {}, document)
  }
  const compare: Compare = (side) => {
    const { where, within = new Set<string>() } = side
    if (side.before === undefined) return []
    if (side.now === undefined) return [`${where} is gone`]
    // A schema that holds itself was begun further out.
    const pair = side.before.$ref && `${side.before.$ref} ${side.now.$ref}`
    if (pair !== undefined && within.has(pair)) return []
    const [one, other] = [resolve(side.before, before), resolve(side.now, now)]
    const inner = { ...side, before: one, now: other, within: new Set([...within, pair ?? '']) }
    return [...valueBreaks(inner), ...formBreaks(inner, compare), ...memberBreaks(inner, compare)]
  }
  return compare
}

type Both = Side & { readonly before: Schema; readonly now: Schema }

/** Types and the values that are listed. */
function valueBreaks({ where, before, now, sent }: Both): string[] {
  const [types, others] = [typesOf(before), typesOf(now)]
  const [needed, given] = sent ? [types, others] : [others, types]
  // Without a type, values or forms say what it is.
  const isNarrowed = types.length > 0 && others.length > 0 && needed.some((type) => !accepts(given, type))
  if (isNarrowed) return [`${where} was ${types.join(' or ')} and is ${others.join(' or ')}`]
  const [values, left] = [valuesOf(before), valuesOf(now)]
  if (values === undefined) return left !== undefined && sent ? [`${where} takes only some values now`] : []
  const gone = values.filter((value) => left !== undefined && !left.includes(value))
  return gone.map((value) => `${where}: the value ${JSON.stringify(value)} is gone`)
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  return 'const' in schema ? [schema.const] : schema.enum
}

/** Each form that was possible on the side that decides is possible on the other. */
function formBreaks({ where, before, now, sent, within }: Both, compare: Compare): string[] {
  if (before.anyOf === undefined && now.anyOf === undefined) return []
  const [forms, others] = [before.anyOf ?? [before], now.anyOf ?? [now]]
  const fits = (one: Schema, other: Schema) =>
    compare({ where, before: one, now: other, sent, ...(within && { within }) }).length === 0
  const isWhole = sent
    ? forms.every((one) => others.some((other) => fits(one, other)))
    : others.every((other) => forms.some((one) => fits(one, other)))
  return isWhole ? [] : [`${where} has other forms`]
}

function memberBreaks({ where, before, now, sent, within }: Both, compare: Compare): string[] {
  const inner = (name: string, one: Schema | undefined, other: Schema | undefined) =>
    compare({ where: name, before: one, now: other, sent, ...(within && { within }) })
  const [first, second] = sent ? [now, before] : [before, now]
  const moved = (first.required ?? []).filter((name) => !second.required?.includes(name))
  const isMap =
    typeof before.additionalProperties === 'object' && typeof now.additionalProperties === 'object'
  return [
    ...Object.entries(before.properties ?? {}).flatMap(([name, one]) =>
      inner(`${where}.${name}`, one, now.properties?.[name]),
    ),
    ...moved
      .filter((name) => sent || now.properties?.[name] !== undefined)
      .map((name) => `${where}.${name} ${sent ? 'is required now' : 'may be missing now'}`),
    ...(before.items && now.items ? inner(`${where}[]`, before.items, now.items) : []),
    ...(isMap
      ? inner(`${where}.*`, before.additionalProperties as Schema, now.additionalProperties as Schema)
      : []),
  ]
}
