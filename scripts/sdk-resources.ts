/**
 * Generates the SDK's class, which has a method for each operation, grouped by resource. The methods call the
 * generated functions.
 */
export type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: { readonly type: unknown }
}
export type Operation = {
  readonly operationId: string
  readonly 'x-sdk-method'?: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean }
}
type Resource = Map<string, Resource | Operation>

const HEAD = `import { type CallOptions, type ChangeOptions, dataOf, settingsOf } from '../call.ts'
import type { Client } from './client/index.ts'
import * as calls from './sdk.gen.ts'
import type * as types from './types.gen.ts'

/** Every operation of \`/v1\`, by resource. */
export class Resources {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }
`

/** Expects operations with resolved references. */
export function resourcesModule(operations: readonly Operation[]): string {
  const root: Resource = new Map()
  for (const one of operations) {
    const names = one['x-sdk-method']?.split('.')
    if (names !== undefined) insert(root, names, one)
  }
  const fields = [...root].map(([name, one]) => `\n  readonly ${name} = ${codeOf(one)}\n`)
  return `${HEAD}${fields.join('')}}\n`
}

/**
 * Throws if two operations share a name or a method has the same name as a group. In that case, rename the
 * operation.
 */
function insert(group: Resource, [name = '', ...rest]: readonly string[], operation: Operation): void {
  const found = group.get(name)
  if (found !== undefined && (rest.length === 0 || !(found instanceof Map)))
    throw new Error(
      `${operation.operationId}: the SDK already has a method or group named '${name}'. Rename one of the two operations.`,
    )
  if (rest.length === 0) {
    group.set(name, operation)
    return
  }
  const inner: Resource = found instanceof Map ? found : new Map()
  group.set(name, inner)
  insert(inner, rest, operation)
}

function codeOf(one: Resource | Operation): string {
  if (!(one instanceof Map)) return methodOf(one)
  const members = [...one].map(([name, inner]) => `${commentOf(inner)}${name}: ${codeOf(inner)},\n`)
  return `{\n${members.join('')}}`
}

function commentOf(one: Resource | Operation): string {
  if (one instanceof Map) return ''
  const { summary, description } = one
  const lines = `${summary}\n\n${description}`.trim().split('\n')
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** Method arguments are the path parameters in order, then the body or query, then the options. */
function methodOf({ operationId, parameters = [], requestBody }: Operation): string {
  const call = operationId.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
  const type = `types.${call[0]?.toUpperCase()}${call.slice(1)}`
  const inPath = parameters.filter((one) => one.in === 'path')
  const input = inputOf(parameters, requestBody)
  const options = parameters.some((one) => one.in === 'header') ? 'ChangeOptions' : 'CallOptions'
  const taken = [
    ...inPath.map((one) => `${camel(one.name)}: ${one.schema.type === 'integer' ? 'number' : 'string'}`),
    ...(input ? [`${input.name}${input.isOptional ? '?' : ''}: ${type}Data['${input.name}']`] : []),
    `options?: ${options}`,
  ]
  const path = inPath.map((one) => `${one.name}: ${camel(one.name)}`).join(', ')
  const sent = [
    '...settingsOf(this.#client, options)',
    ...(path ? [`path: { ${path} }`] : []),
    ...(input ? [input.name] : []),
  ]
  return `(${taken.join(', ')}): Promise<${type}Response> => dataOf(calls.${call}({ ${sent.join(', ')} }))`
}

/** If an operation has both a body and a query, the query only repeats the body, so it is ignored. */
function inputOf(parameters: readonly Parameter[], body: Operation['requestBody']) {
  const query = parameters.filter((one) => one.in === 'query')
  if (body) return { name: 'body', isOptional: !body.required }
  return query.length > 0 ? { name: 'query', isOptional: !query.some(({ required }) => required) } : undefined
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}
