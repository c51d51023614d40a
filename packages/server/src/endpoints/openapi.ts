/**
 * The endpoint list as an OpenAPI 3.1 document. Schemas go in as they are, since OpenAPI 3.1 takes JSON Schema; what
 * this adds is the envelope of errors, and for every operation the errors that it may answer with.
 */
import type { TSchema } from 'typebox'
import { type EndpointReason, refusals } from '../domain/refusals.ts'
import type { Auth, Endpoint } from './endpoint.ts'

type Schema = Readonly<Record<string, unknown>>
type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: unknown
  description?: string
}

/** Errors beside those that an endpoint declares, by what they depend on. */
const NEEDS_KEY = ['unauthorized', 'forbidden', 'rate_limited'] as const
const REPEATABLE = [
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'idempotency_answer_lost',
  'too_many_idempotency_keys',
] as const
const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  description:
    'Within a day, the same request with the same key is not done again but answered again; an answer over 64 KiB is not.',
}
const TAKES_BODY = ['unsupported_media_type', 'too_large'] as const

export function describeApi(endpoints: readonly Endpoint[], version: string): Schema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of endpoints) {
    const path = one.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operationOf(one) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Scriptward',
      version,
      description: 'Licenses and protects Lua scripts. Times are milliseconds since 1970 in UTC.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: { schemas: { Error: ENVELOPE }, securitySchemes: SECURITY },
  }
}

/** Reason, code, status and words of everything that an endpoint may refuse with, its own reasons first. */
export function failuresOf(one: Endpoint) {
  const own = Object.entries(one.failures) as [EndpointReason, number][]
  const general = generalReasons(one).map((reason) => [reason, -1] as const)
  return [...own, ...general].flatMap(([reason, code]) => {
    const { status, inOneCall, message } = refusals[reason]
    const statuses = inOneCall === undefined ? [status] : [status, inOneCall]
    return statuses.map((given) => ({ reason, code, status: given, message }))
  })
}

function generalReasons(one: Endpoint) {
  const isOpen = one.auth === 'none' || one.auth === 'client'
  return [
    ...(isOpen ? [] : NEEDS_KEY),
    ...(isOpen ? [] : reasonsOfCallers(one)),
    ...(isLimitedByAddress(one) ? (['rate_limited'] as const) : []),
    ...(isRepeatable(one) ? REPEATABLE : []),
    ...(mayMiss(one) ? (['not_found'] as const) : []),
    'invalid_request' as const,
    ...(one.method === 'GET' && !one.readsBody ? [] : TAKES_BODY),
  ]
}

/** Of clients, and of people who are not signed in yet. */
function isLimitedByAddress({ auth, path }: Endpoint): boolean {
  return auth === 'client' || (auth === 'none' && path.startsWith('/v1/auth/'))
}

/** What depends on the kind of credential. */
function reasonsOfCallers({ auth, fresh }: Endpoint) {
  if (auth === 'customerByPathKey') return ['path_key_closed' as const]
  return [
    ...(auth === 'person' ? [] : (['network_not_allowed'] as const)),
    ...(auth === 'person' || auth === 'caller' ? (['csrf_failed'] as const) : []),
    ...(fresh ? (['fresh_sign_in_needed'] as const) : []),
  ]
}

/** Whether a noun that the request names may be none of the caller's. */
function mayMiss({ path, auth, missing, namesNoun }: Endpoint): boolean {
  return namesNoun === true || (path.includes(':') && auth !== 'customerByPathKey' && missing === undefined)
}

/** Whether a request may carry an `Idempotency-Key`: those of pages are not sent again by themselves. */
function isRepeatable({ auth, method }: Endpoint): boolean {
  return method === 'POST' && !/^(none|client|person|caller)$/.test(auth)
}

function operationOf(one: Endpoint): Schema {
  const [group = ''] = one.name.replace(/^v1\.|^admin\.(?=\w+\.)/, '').split('.')
  const security = SCHEMES[one.auth]
  return {
    operationId: one.name,
    summary: one.summary,
    ...descriptionOf(one),
    ...(one.scope === null ? {} : { 'x-scope': one.scope }),
    tags: [one.path.startsWith('/v1/admin/') ? 'operators' : group],
    ...(security === undefined ? { security: [] } : { security }),
    parameters: parametersOf(one),
    ...bodyOf(one),
    responses: responsesOf(one),
  }
}

function descriptionOf({ scope, fresh, cost }: Endpoint): { description?: string } {
  const sentences = [
    ...(scope === null ? [] : [`Needs the scope \`${scope}\`.`]),
    ...(fresh ? ['A person needs a sign-in that is not older than ten minutes.'] : []),
    ...(cost === undefined ? [] : [`Counts as ${cost} requests in the rate limit.`]),
  ]
  return sentences.length === 0 ? {} : { description: sentences.join(' ') }
}

function parametersOf(one: Endpoint): Parameter[] {
  const inPath = propertiesOf(one.params).map(([name, schema]) => parameter(name, 'path', schema, true))
  const inQuery = propertiesOf(one.query).map(([name, schema]) =>
    parameter(name, 'query', schema, isRequired(one.query, name)),
  )
  return [...inPath, ...inQuery, ...(isRepeatable(one) ? [IDEMPOTENCY_KEY] : [])]
}

function parameter(name: string, place: 'path' | 'query', schema: Schema, required: boolean): Parameter {
  const { description, ...rest } = schema
  return {
    name,
    in: place,
    required,
    schema: rest,
    ...(typeof description === 'string' ? { description } : {}),
  }
}

function bodyOf(one: Endpoint): Schema {
  if (one.consumes === 'text')
    return { requestBody: { required: true, content: { 'text/plain': { schema: one.body } } } }
  if (one.method === 'GET' || propertiesOf(one.body).length === 0) return {}
  const required = propertiesOf(one.body).some(([name]) => isRequired(one.body, name))
  return { requestBody: { required, content: { 'application/json': { schema: one.body } } } }
}

function responsesOf(one: Endpoint): Schema {
  const csv = one.offersCsv ? { 'text/csv': { schema: { type: 'string' } } } : {}
  const content = { [mediaTypeOf(one)]: { schema: one.response }, ...csv }
  const responses: Record<string, unknown> = { 200: { description: 'Done.', content } }
  const byStatus = Map.groupBy(failuresOf(one), ({ status }) => status)
  for (const [status, failures] of byStatus) {
    const description = failures.map(({ code, message }) => `${code}: ${message}`).join(' · ')
    responses[status] = {
      description,
      content: { 'application/json': { schema: ERROR, examples: examplesOf(one, failures) } },
    }
  }
  responses.default = { description: 'Any other error.', content: { 'application/json': { schema: ERROR } } }
  return responses
}

function mediaTypeOf({ produces, response }: Endpoint): string {
  if (produces === 'events') return 'text/event-stream'
  if (produces !== 'text') return 'application/json'
  return (response as { contentMediaType?: string }).contentMediaType ?? 'text/plain'
}

function examplesOf({ scope }: Endpoint, failures: ReturnType<typeof failuresOf>): Schema {
  const entries = failures.map(({ reason, code, message }) => {
    const needs = reason === 'forbidden' && scope !== null ? { needs: scope } : {}
    const error = { code, type: reason, message, request_id: '9f86d081884c-0001', ...needs }
    return [reason, { value: { success: false, error } }]
  })
  return Object.fromEntries(entries)
}

function propertiesOf(schema: TSchema): [string, Schema][] {
  return Object.entries((schema as { properties?: Record<string, Schema> }).properties ?? {})
}

function isRequired(schema: TSchema, name: string): boolean {
  return (schema as { required?: readonly string[] }).required?.includes(name) ?? false
}

const ERROR = { $ref: '#/components/schemas/Error' }

const ENVELOPE = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'type', 'message', 'request_id'],
      properties: {
        code: {
          type: 'integer',
          description: 'Number within the endpoint; -1 for errors that any endpoint may give.',
        },
        type: { type: 'string', enum: Object.keys(refusals), description: 'Unique over the whole API.' },
        message: { type: 'string' },
        request_id: { type: 'string', description: 'Finds the request in the log.' },
        needs: {
          type: 'string',
          description: 'With `forbidden`: what the caller lacks, mostly the scope of the operation.',
        },
        failed: {
          type: 'array',
          description: 'With `invalid_request`: the members that were refused, and how to fix them.',
          items: {
            type: 'object',
            required: ['field', 'errors'],
            properties: { field: { type: 'string' }, errors: { type: 'array', items: { type: 'string' } } },
          },
        },
      },
    },
  },
}

const SECURITY = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'token',
    description: 'The API key of an account, or a token with the scope that the operation names.',
  },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same API key or token.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-scriptward',
    description: 'A person who is signed in to the dashboard.',
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'x-scriptward-csrf',
    description: 'The value of the cookie `__Host-scriptward-csrf`, which goes with that cookie.',
  },
}

const BY_COOKIE = [{ cookie: [], csrf: [] }]
const BY_HEADER = [{ token: [] }, { bearer: [] }]
const SCHEMES: Readonly<Record<Auth, readonly Schema[] | undefined>> = {
  none: undefined,
  client: undefined,
  customerByPathKey: undefined,
  customer: BY_HEADER,
  // The empty one stands for `api_key` among the parameters, which OpenAPI has no other word for.
  account: [...BY_HEADER, {}],
  admin: BY_HEADER,
  person: BY_COOKIE,
  caller: [...BY_HEADER, ...BY_COOKIE],
  project: BY_HEADER,
  script: BY_HEADER,
  user: BY_HEADER,
  session: BY_HEADER,
  adSystem: BY_HEADER,
  adCheckpoint: BY_HEADER,
}
