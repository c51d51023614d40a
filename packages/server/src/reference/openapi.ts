/**
 * Converts the endpoint list to an OpenAPI 3.1 document. Schemas are used unchanged, because OpenAPI 3.1
 * accepts JSON Schema. This module adds the error envelope and every operation's errors.
 */
import type { TSchema } from 'typebox'
import type { Endpoint } from '../api/endpoint.ts'
import { makeComponents, pascalCase, type Refer, sentence, sharing, withReferences } from './components.ts'
import { describeEvents, EVENTS_TAG } from './events.ts'
import { exampleFor, exampleOfMember } from './examples.ts'
import { isRepeatable, refusalsOf, takesCookie } from './failures.ts'
import { inWords } from './member-words.ts'
import { sdkMethodOf } from './sdk-method.ts'
import { INTRODUCTION, tagsOf } from './texts.ts'

type Schema = Readonly<Record<string, unknown>>
/** The parts of an operation that other operations may share. */
type Parts = {
  readonly parameters: readonly Parameter[]
  readonly body: object | undefined
  readonly responses: Readonly<Record<string, object>>
}
type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: unknown
  description?: string
  example?: unknown
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description:
    'Unique key that makes the request safe to retry: within 24 hours, repeating the same request with the same key returns the stored response instead of performing it again. Responses larger than 64 KiB are not stored.',
}

/** `address` is the server's URL, if the operator has configured it. */
export function describeApi(endpoints: readonly Endpoint[], version: string, address?: string): Schema {
  const { all, refer } = makeComponents()
  const described = endpoints.map((one) => [one, partsOf(one, refer)] as const)
  const share = sharingOf(described, refer)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [one, parts] of described) {
    const path = one.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one, share(parts)) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scriptward',
      version,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Without a configured URL, this is the host that the document was loaded from.
    servers: [{ url: address ?? '/', description: 'This server.' }],
    tags: tagsOf([...endpoints.map(tagOf), EVENTS_TAG]),
    security: BY_ANY,
    paths,
    webhooks: describeEvents(refer),
    components: { ...all, securitySchemes: SECURITY },
  }
}

function tagOf({ name, path }: Endpoint): string {
  const [group = ''] = name.replace(/^v1\.|^admin\.(?=\w+\.)/, '').split('.')
  return path.startsWith('/v1/admin/') ? 'operators' : group
}

function partsOf(one: Endpoint, refer: Refer): Parts {
  return {
    parameters: parametersOf(one),
    body: bodyOf(one, refer),
    responses: { 200: successOf(one, refer), ...refusalsOf(one, refer) },
  }
}

/** Turns the parts that several operations share into references. Errors are named after their status. */
function sharingOf(described: readonly (readonly [Endpoint, Parts])[], refer: Refer) {
  const parameters = described.flatMap(([, parts]) =>
    parts.parameters.map((value) => ({ name: value.name, value })),
  )
  const responses = described.flatMap(([one, parts]) =>
    Object.entries(parts.responses).map(([status, value]) => ({
      name: status === '200' ? answerName(one) : status,
      value,
    })),
  )
  const parameter = sharing('parameters', parameters, refer)
  const response = sharing('responses', responses, refer)
  return (parts: Parts) => ({
    parameters: parts.parameters.map(parameter),
    ...(parts.body === undefined ? {} : { requestBody: parts.body }),
    responses: Object.fromEntries(
      Object.entries(parts.responses).map(([status, value]) => [status, response(value)]),
    ),
  })
}

function answerName(one: Endpoint): string {
  return (one.response as { readonly title?: string }).title ?? bareName(one)
}

function bareName({ name }: Endpoint): string {
  return pascalCase(name.replace(/^v1\./, ''))
}

function operationOf(one: Endpoint, parts: object): Schema {
  const security = securityOf(one)
  const changes = one.changes ?? one.method !== 'GET'
  const sdkMethod = sdkMethodOf(one)
  return {
    operationId: one.name,
    summary: one.summary,
    description: descriptionOf(one),
    ...(one.scope === null ? {} : { 'x-scope': one.scope }),
    ...(changes ? { 'x-changes': true } : {}),
    ...(sdkMethod === undefined ? {} : { 'x-sdk-method': sdkMethod }),
    tags: [tagOf(one)],
    ...(security === BY_ANY ? {} : { security }),
    ...parts,
  }
}

function descriptionOf(one: Endpoint): string {
  const { description, summary, scope, requiresRecentAuth, cost } = one
  const sentences = [
    ...(scope === null ? [] : [`Requires the \`${scope}\` scope.`]),
    ...(requiresRecentAuth ? ['Dashboard users must have signed in within the last ten minutes.'] : []),
    ...(cost === undefined ? [] : [`Counts as ${cost} requests toward the rate limit.`]),
    ...(isUnversioned(one) ? ['Part of the unversioned API. Its responses never change.'] : []),
  ]
  return [description ?? summary, ...(sentences.length === 0 ? [] : [sentences.join(' ')])].join('\n\n')
}

function isUnversioned({ path }: Endpoint): boolean {
  return /^\/(customers|projects|users|scripts|adsystems|data)\//.test(path)
}

function parametersOf(one: Endpoint): Parameter[] {
  const params = exampleFor(one, 'params') as Schema | undefined
  const query = exampleFor(one, 'query') as Schema | undefined
  const inPath = propertiesOf(inWords(one.params)).map(([name, schema]) =>
    parameter({ name, in: 'path', required: true, schema }, params?.[name]),
  )
  const inQuery = propertiesOf(inWords(one.query)).map(([name, schema]) =>
    parameter({ name, in: 'query', required: isRequired(one.query, name), schema }, query?.[name]),
  )
  return [...inPath, ...inQuery, ...(isRepeatable(one) ? [IDEMPOTENCY_KEY] : [])]
}

/** `sent` is the value in the samples. Without a value, the schema shows the parameter's possible values. */
function parameter(given: Parameter & { readonly schema: Schema }, sent: unknown): Parameter {
  const { description, ...schema } = given.schema
  const shown = exampleOfMember(given.schema, given.name) ?? undefined
  return {
    ...given,
    schema: sent === undefined && shown !== undefined ? { ...schema, examples: [shown] } : schema,
    ...(typeof description === 'string' ? { description: sentence(description) } : {}),
    ...(sent === undefined ? {} : { example: sent }),
  }
}

function bodyOf(one: Endpoint, refer: Refer): object | undefined {
  const isText = one.consumes === 'text'
  if (!isText && (one.method === 'GET' || propertiesOf(one.body).length === 0)) return undefined
  const required = isText || propertiesOf(one.body).some(([name]) => isRequired(one.body, name))
  const content = { schema: withReferences(inWords(one.body), refer), example: exampleFor(one, 'body') }
  return { required, content: { [isText ? 'text/plain' : 'application/json']: content } }
}

function successOf(one: Endpoint, refer: Refer): Schema {
  const csv = one.offersCsv ? { 'text/csv': { schema: { type: 'string' }, example: CSV } } : {}
  const answer = { schema: withReferences(inWords(one.response), refer), example: exampleFor(one, 'answer') }
  return { description: 'Success.', content: { [mediaTypeOf(one)]: answer, ...csv } }
}

/** The first lines of an audit log file. */
const CSV =
  'created_at,actor_kind,actor_id,actor_name,network,action,nouns,changes,count,id,request_id,n,hash\r\n' +
  '2026-09-21T14:13:20.000Z,api_key,,sw_Xk3Jd,203.0.113.0/24,v1.projects.remove,"{""project_id"":""prj_0VMc4VLkH7rAbCdEfGhIjK""}",{},,aud_0VMc4VLkR4cLmNoPqRsTuV,9f86d081884c-0001,3,\r\n'

function mediaTypeOf({ produces, response }: Endpoint): string {
  if (produces === 'events') return 'text/event-stream'
  if (produces !== 'text') return 'application/json'
  return (response as { contentMediaType?: string }).contentMediaType ?? 'text/plain'
}

function propertiesOf(schema: TSchema): [string, Schema][] {
  return Object.entries((schema as { properties?: Record<string, Schema> }).properties ?? {})
}

function isRequired(schema: TSchema, name: string): boolean {
  return (schema as { required?: readonly string[] }).required?.includes(name) ?? false
}

const SECURITY = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'token',
    description: "The account's API key, or a token with the scope that the operation requires.",
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same API key or token as a bearer token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-scriptward',
    description: 'Session cookie of a user signed in to the dashboard.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'x-scriptward-csrf',
    description: 'Value of the `__Host-scriptward-csrf` cookie. Required together with the session cookie.',
  },
}

const BY_COOKIE = { cookie: [], csrf: [] }
const BY_HEADER = [{ token: [] }, { bearer: [] }]
/** The credentials that most operations accept, listed once for the entire document. */
const BY_ANY = [...BY_HEADER, BY_COOKIE]

function securityOf(one: Endpoint): readonly Schema[] {
  const { auth } = one
  if (auth === 'none' || auth === 'client' || auth === 'customerByPathKey') return []
  if (auth === 'person') return [BY_COOKIE]
  const usual = takesCookie(one) ? BY_ANY : BY_HEADER
  // The empty requirement represents the `api_key` parameter, which OpenAPI can't express otherwise.
  return auth === 'account' ? [...usual, {}] : usual
}
