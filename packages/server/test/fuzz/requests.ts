/** Generates requests from the OpenAPI document: most of them valid, some invalid. */
import fc from 'fast-check'
import type { Operation, Parameter, Schema } from './document.ts'
import { anything, checkpoints, membersFor, oddNames, reference, valueFor } from './values.ts'

export type Caller =
  | 'owner'
  | 'neighbor'
  | 'expired'
  | 'blacklisted'
  | 'admin'
  | 'person'
  | 'stranger'
  | 'nobody'
type Body =
  | { readonly json: unknown; readonly type: string }
  | { readonly text: string; readonly type: string }

/** Strings in a request may be marks, defined in `values.ts`. */
export type Request = {
  readonly method: string
  /** Path with `{noun}` placeholders for the values in `nouns`. */
  readonly path: string
  readonly caller: Caller
  readonly nouns: Readonly<Record<string, unknown>>
  readonly query: readonly (readonly [string, unknown])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body | undefined
}

/** Maximum number of groups of concurrent requests in one world. */
const MAX_GROUPS = 40
const MAX_AT_ONCE = 3
const MAX_CONDITIONS = 3

/** Requests that remove something that other requests need, or that take a long time. */
const RARE =
  /^admin\.customers\.(remove|resetKey|edit)$|account\.reset$|customers\.reset$|clear$|remove$|scripts\.(create|update)/i

/** Requests that make sense only soon after another request, so they are sent more often. */
const OFTEN =
  /blacklist$|prepare$|adCheckpoints\.create|users\.reset$|commandLine$|members\.invite$|webhooks\.create$|users\.(edit|pause|resume|extend)$|(undo|recover)$/

function weightOf({ name }: Operation): number {
  if (RARE.test(name)) return 2
  return OFTEN.test(name) ? 12 : 5
}

export function requestGroups(operations: readonly Operation[]): fc.Arbitrary<Request[][]> {
  const requests = operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: requestFor(operation),
  }))
  const group = fc.array(fc.oneof(...requests), { minLength: 1, maxLength: MAX_AT_ONCE, size: 'max' })
  return fc.array(group, { minLength: 1, maxLength: MAX_GROUPS, size: 'max' })
}

function requestFor(operation: Operation): fc.Arbitrary<Request> {
  return fc.record({
    method: mostly(
      fc.constant(operation.method),
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
      60,
    ),
    path: fc.constant(operation.path),
    caller: callerFor(operation),
    nouns: nounsFor(operation),
    query: queryFor(operation),
    headers: headersFor(operation),
    body: bodyFor(operation),
  })
}

/** Returns `odd` with a probability of 1 in `weight`, otherwise `usual`. */
function mostly<A, B>(usual: fc.Arbitrary<A>, odd: fc.Arbitrary<B>, weight: number): fc.Arbitrary<A | B> {
  return fc.oneof({ weight: weight - 1, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

function callerFor({ isForOperators, isForPeople }: Operation): fc.Arbitrary<Caller> {
  const others = fc.constantFrom<Caller[]>(
    'neighbor',
    'expired',
    'blacklisted',
    'stranger',
    'nobody',
    'owner',
    'person',
  )
  const usual = isForPeople ? 'person' : 'owner'
  return mostly(fc.constant<Caller>(isForOperators ? 'admin' : usual), others, 5)
}

/** Path segments are strings; invalid ones are used verbatim. */
const oddNouns = fc.constantFrom('', '%', '%zz', '%00', '%ff%fe', '..', '%2e%2e%2f', '%2F', ';', 'new', '%20')

function nounsFor({ parameters }: Operation): fc.Arbitrary<Request['nouns']> {
  const nouns = parameters.filter((one) => one.in === 'path')
  const values = nouns.map((one) => [one.name, mostly(reference(one.name), nounFor(one), 8)] as const)
  return fc.record(Object.fromEntries(values))
}

function nounFor({ name, schema }: Parameter): fc.Arbitrary<unknown> {
  const texts = fc.oneof(valueFor(schema, name), anything).map((value) => encoded(asText(value)))
  return fc.oneof(texts, oddNouns)
}

/** Formats a value for a path or a query string. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
}

export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** Valid fields, except that one may be missing, odd or unknown. */
function queryFor(operation: Operation): fc.Arbitrary<Request['query']> {
  const declared = operation.parameters.filter((one) => one.in === 'query')
  if (declared.length === 0) return mostly(fc.constant([]), fc.tuple(fc.tuple(oddNames, anything)), 15)
  const required = declared.filter((one) => one.required).map(({ name }) => name)
  const values = declared.map(({ name, schema }) => [name, queryValue(operation, name, schema)] as const)
  const fitting = fewOf(values, required)
  const members = isCheckpoint(operation) ? mostly(checkpointIn('query'), fitting, 2) : fitting
  const names = declared.map(({ name }) => name)
  const query = changed(members, names).map((given) => Object.entries(given).filter(isThere))
  // A value that appears in both allowed locations is rejected.
  return operation.body === undefined ? query : mostly(fc.constant([]), query, 3)
}

/**
 * Picks the required parameters and a few others. With many others, one of them would nearly always be
 * invalid.
 */
function fewOf(
  values: readonly (readonly [string, fc.Arbitrary<unknown>])[],
  required: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const names = values.map(([name]) => name)
  return fc
    .subarray(names, { maxLength: Math.min(names.length, required.length + MAX_CONDITIONS) })
    .chain((few) => {
      const chosen = values.filter(([name]) => few.includes(name) || required.includes(name))
      return fc.record(Object.fromEntries(chosen))
    })
}

function isThere([, value]: [string, unknown]): boolean {
  return value !== undefined
}

function queryValue({ path }: Operation, name: string, schema: Schema): fc.Arbitrary<unknown> {
  if (name === 'script') return reference('script_id')
  return name === 'b' ? fc.oneof(reference(sealedFor(path)), valueFor(schema, name)) : valueFor(schema, name)
}

/** Bodies that a client has to encode: `exec_body`, `beat_body`, `end_body`, `check_body`. */
function sealedFor(path: string): string {
  return `${path.split('/').at(-1)}_body`
}

function isCheckpoint({ path }: Operation): boolean {
  return /checkpoints\/(new|\{checkpoint_id\}\/edit)$/.test(path)
}

function checkpointIn(place: 'query' | 'body'): fc.Arbitrary<Record<string, unknown>> {
  const whole = { name: 'Checkpoint', url: 'https://links.example.com/s?abc' }
  return checkpoints.map(({ provider, provider_data: data }) => ({
    ...whole,
    provider,
    provider_data: place === 'query' ? JSON.stringify(data) : data,
  }))
}

/** A body whose fields must be consistent. */
function wholeFor(operation: Operation): fc.Arbitrary<Record<string, unknown>> | undefined {
  if (isCheckpoint(operation)) return checkpointIn('body')
  return operation.name === 'v1.projectUsers.bulk' ? userOrder : undefined
}

const userOrder = fc
  .tuple(
    fc.oneof(
      fc.record({ keys: fc.array(reference('user_key'), { minLength: 1, maxLength: 3 }) }),
      fc.constant({ filter: { blacklisted: false } }),
    ),
    fc.constantFrom(
      { action: 'extend', duration: 1000 },
      { action: 'blacklist', reason: 'x' },
      { action: 'unblacklist' },
      { action: 'reset', dry_run: true },
      { action: 'remove', dry_run: true },
    ),
  )
  .map(([whom, action]) => ({ ...whom, ...action }))

function headersFor({ parameters }: Operation): fc.Arbitrary<Request['headers']> {
  const isRepeatable = parameters.some((one) => one.in === 'header')
  const key = isRepeatable
    ? mostly(fc.constant(undefined), fc.constantFrom('k1', 'k2', 'k 3', '', 'ü'), 4)
    : NONE
  const id = mostly(
    fc.constant(undefined),
    fc.constantFrom('abcd-1234', 'short', 'with blank here', 'x'.repeat(99)),
    8,
  )
  const type = mostly(fc.constant(undefined), fc.constantFrom('gzip', 'identity'), 40)
  return fc
    .record({ 'idempotency-key': key, 'x-request-id': id, 'content-encoding': type })
    .map((headers) => Object.fromEntries(Object.entries(headers).filter(isGiven)))
}
const NONE = fc.constant(undefined)

function isGiven(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined
}

const TYPES = ['text/plain', 'application/json; charset=utf-8', 'application/x-www-form-urlencoded', 'a', '']
const oddBodies = fc.constantFrom(
  '',
  '{',
  '{"a":1,}',
  '[[[',
  'null',
  '"',
  '\ufeff{}',
  '{"a":1}{"b":2}',
  '{"name":"a","name":"b"}',
  '{"a":1e999}',
  '{"__proto__":{"name":"x"}}',
  'lp1.a.b.c.d',
  `${'['.repeat(20_000)}`,
)

function bodyFor(operation: Operation): fc.Arbitrary<Body | undefined> {
  const { body } = operation
  const odd = fc.record({
    text: oddBodies,
    type: mostly(fc.constant('application/json'), fc.constantFrom(...TYPES), 3),
  })
  if (body === undefined) return mostly(NONE, odd, 10)
  if (body.mediaType !== 'application/json') return mostly(textBody(operation, body.mediaType), odd, 4)
  const json = jsonFor(operation).map((value) => ({ json: value, type: 'application/json' }))
  return mostly(json, odd, 15)
}

function textBody({ path }: Operation, type: string): fc.Arbitrary<Body> {
  const text = fc.oneof(reference(sealedFor(path)), fc.string({ unit: 'binary-ascii', maxLength: 60 }))
  return text.map((given) => ({ text: given, type }))
}

function jsonFor(operation: Operation): fc.Arbitrary<unknown> {
  const schema = operation.body?.schema ?? {}
  const fitting = membersFor(schema)
  const whole = wholeFor(operation)
  const members = whole ? mostly(whole, fitting, 2) : fitting
  return mostly(changed(members, Object.keys(schema.properties ?? {})), anything, 30)
}

/** One of these fields may be missing, odd or unknown. */
function changed(
  members: fc.Arbitrary<Record<string, unknown>>,
  names: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const change = fc.oneof(
    fc.record({ name: fc.constantFrom(...names), value: anything }),
    fc.record({ name: fc.constantFrom(...names), value: NONE }),
    fc.record({ name: oddNames, value: anything }),
  )
  return fc.tuple(members, mostly(NONE, change, 4)).map(([given, odd]) => {
    const { name, value } = odd ?? {}
    // A computed name creates an own property even for `__proto__`.
    return name === undefined ? given : { ...given, [name]: value }
  })
}
