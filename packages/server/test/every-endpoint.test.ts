/**
 * Tests the guarantees that follow from each endpoint's declaration: only permitted callers may call it,
 * other accounts' resources look nonexistent, and no malformed request changes anything or causes a server
 * error. A new endpoint is covered as soon as it is listed.
 */
import type { TSchema } from 'typebox'
import { beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../../client/test/effort.ts'
import type { Endpoint } from '../src/api/endpoint.ts'
import { endpoints } from '../src/endpoints.ts'
import type { Answer } from './answers.ts'
import { anyEngine, type Engine, engines } from './databases.ts'
import { type Client, serverOn } from './harness.ts'
import type { Browser } from './people/browsers.ts'
import { runningRequests } from './running-requests.ts'
import { changeRows } from './stored.ts'
import { dump, type Furnished, furnish, pathOf } from './subjects.ts'
import { withoutId } from './without-id.ts'

const REQUEST_ID = 'one-request-id'
/** The limits are low, so that an oversized body is fast to create and send. */
const LIMITS = { bodyLimit: 64 * 1024, scriptLimit: 64 * 1024, importBodyLimit: 3 * 64 * 1024 }

/**
 * By day, each endpoint gets a third of the malformed inputs. The thirds rotate, so that every input reaches
 * many endpoints.
 */
const SHARES = effort({ day: 3, night: 1 })
const shareOf = <T>(inputs: readonly T[], endpoint: Endpoint): readonly T[] => {
  const turn = endpoints.indexOf(endpoint)
  return inputs.filter((_, index) => index % SHARES === turn % SHARES)
}

const listed = endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const withKey = listed.filter(([, { auth }]) => auth !== 'none' && auth !== 'client')
const withBody = listed.filter(
  ([, { method, consumes }]) => method !== 'GET' && !/^(text|signedJson)$/.test(consumes ?? ''),
)
const NOUNS: ReadonlySet<string> = new Set(
  'project script user plan session adSystem adCheckpoint'.split(' '),
)
const ofNouns = withKey.filter(([, { auth }]) => NOUNS.has(auth))

/** Malformed strings reach a database query in these tests, so both engines are tested. */
describe.each(engines)('every endpoint with a resource in its path on $name', (engine) => {
  const { mine, theirs } = twoOwnersOn(engine)

  describe('responds alike for a missing, a foreign and a malformed resource', () => {
    it.each(ofNouns)('%s', async (_, endpoint) => {
      const noun = /:(\w+)/.exec(endpoint.path)?.[1] ?? ''
      const none = `${mine().ids[noun]?.slice(0, -1)}~`
      const missing = await ask(endpoint, mine().owner, { ...mine().ids, [noun]: none })
      expect(missing.error.type).toBe(endpoint.missing ?? 'not_found')
      const others = ['x', '\0', 'ä', `${'x'.repeat(5000)}`, '%', "' or 1=1"]
      for (const other of [theirs().ids[noun] ?? '', ...shareOf(others, endpoint)]) {
        const answer = await ask(endpoint, mine().owner, { ...mine().ids, [noun]: other })
        expect(withoutId(answer.text, other)).toBe(withoutId(missing.text, none))
      }
    })
  })
})

describe.each(anyEngine)('every endpoint on $name', (engine) => {
  const { at, mine } = twoOwnersOn(engine)
  const callerOf = ({ auth }: Endpoint): Browser => {
    if (auth === 'person') return mine().person
    return auth === 'admin' ? at().admin : mine().owner
  }

  describe('authenticates the caller before anything else', () => {
    it.each(withKey)('%s', async (_, endpoint) => {
      const isInPath = endpoint.auth === 'customerByPathKey'
      const nouns = isInPath ? { ...mine().ids, api_key: 'sw_wrong' } : mine().ids
      const malformed = {
        headers: { 'content-type': 'application/json' },
        ...(endpoint.method === 'GET' ? {} : { body: '{' }),
      }
      const keys = [undefined, 'sw_wrong', 'käse'.normalize('NFC')]
      for (const client of shareOf(keys, endpoint).map((key) => at().client(key))) {
        const answer = await client.send(endpoint.method, pathOf(endpoint, nouns), malformed)
        expect(answer.error.type).toBe('unauthorized')
      }
    })
  })

  describe('is limited to operators where declared', () => {
    it.each(withKey.filter(([, { auth }]) => auth === 'admin'))('%s', async (_, endpoint) => {
      expect((await ask(endpoint, mine().owner, mine().ids)).error.type).toBe('forbidden')
    })
  })

  describe('rejects a blocked account', () => {
    let banned: Furnished
    beforeAll(async () => {
      banned = await furnish(at())
      await changeRows(at(), 'customers', { id: banned.owner.id }, { blacklisted: 1, admin: 1 })
    })
    it.each(withKey)('%s', async (_, endpoint) => {
      expect((await ask(endpoint, banned.owner, banned.ids)).error.type).toBe('forbidden')
    })
  })

  describe('rejects unknown query parameters', () => {
    it.each(listed)('%s', async (_, endpoint) => {
      const path = `${pathOf(endpoint, mine().ids)}?unknown_member=1&unknown_member=2`
      const answer = await callerOf(endpoint).send(endpoint.method, path, {})
      expect(answer.error.type).toBe('invalid_request')
      expect(namesOf(answer)).toContain('unknown_member')
    })
  })

  describe('rejects a malformed body, names the field and changes nothing', () => {
    /** What the previous test left behind, which is also what this one starts with. */
    let unchanged: string | undefined
    it.each(withBody)('%s', async (_, endpoint) => {
      const before = unchanged ?? (await dump(at().deps.db.read))
      const path = pathOf(endpoint, mine().ids)
      for (const { body, member, type = 'invalid_request', contentType = 'application/json' } of shareOf(
        malformed(endpoint),
        endpoint,
      )) {
        const sent = { headers: { 'content-type': contentType }, body }
        const answer = await callerOf(endpoint).send(endpoint.method, path, sent)
        expect(answer.error.type, body.slice(0, 200)).toBe(type)
        if (member !== undefined) expect(namesOf(answer), body.slice(0, 200)).toContain(member)
      }
      unchanged = await dump(at().deps.db.read)
      expect(unchanged).toBe(before)
    })
  })

  it('responds alike to a wrong method and an unknown path', async () => {
    for (const [method, path] of [
      ['DELETE', '/data/tiers'],
      ['GET', '/data/tier'],
      ['GET', `/customers/${mine().owner.apiKey}/none`],
      ['POST', '/%zz'],
    ] as const) {
      const answer = await mine().owner.send(method, path, {})
      expect(answer.error.type).toBe('invalid_endpoint')
      expect(answer.text).not.toContain(mine().owner.apiKey)
    }
  })

  it('accepts a valid request id, and creates one otherwise', async () => {
    const sent = async (id: string) =>
      (await at().client().get('/healthz', { 'x-request-id': id })).headers.get('x-request-id')
    expect(await sent('abcd-1234')).toBe('abcd-1234')
    for (const id of ['short', 'x'.repeat(65), 'with blank', 'a_underscore'])
      expect(await sent(id)).not.toBe(id)
  })

  it('also accepts the key as a bearer token', async () => {
    const answer = await at()
      .client()
      .get('/v1/projects', { authorization: `Bearer ${mine().owner.apiKey}` })
    expect(answer.status).toBe(200)
  })

  it('is not counted as running after its response', async () => {
    expect(await runningRequests(at().url)).toBe(0)
  })
})

/** A server with two accounts, each with one of every resource. */
function twoOwnersOn(engine: Engine) {
  const { at } = serverOn(engine, { config: LIMITS })
  const owners: Furnished[] = []
  beforeAll(async () => {
    owners.push(await furnish(at()), await furnish(at()))
  })
  const owner = (index: number) => () => {
    const found = owners[index]
    if (!found) throw new Error('owners are made before the first test: ask for them inside a test')
    return found
  }
  return { at, mine: owner(0), theirs: owner(1) }
}

/** Uses a fixed request ID and no body, so that two responses can be compared byte for byte. */
function ask(endpoint: Endpoint, client: Client, nouns: Furnished['ids']): Promise<Answer> {
  return client.send(endpoint.method, pathOf(endpoint, nouns), { headers: { 'x-request-id': REQUEST_ID } })
}

function namesOf({ error }: Answer): string[] {
  return ((error.failed ?? []) as { field: string }[]).map(({ field }) => field)
}

type Malformed = {
  readonly body: string
  readonly member?: string
  readonly type?: string
  readonly contentType?: string
}
type Member = {
  readonly type?: string | string[]
  readonly maxLength?: number
  readonly maximum?: number
  readonly minimum?: number
}

function malformed(endpoint: Endpoint): Malformed[] {
  const { properties = {}, required = [] } = endpoint.body as TSchema & {
    properties?: Record<string, Member>
    required?: string[]
  }
  const large = endpoint.bodyLimit === undefined ? LIMITS.bodyLimit : 3 * LIMITS.scriptLimit
  // Stays below the maximum number of fields in a body, because that limit is checked first.
  const deep = Math.min(9000, typeof endpoint.bodyLimit === 'number' ? endpoint.bodyLimit / 4 : 9000)
  return [
    ...['{', '{"a":1,}', "{'a':1}", 'undefined', '{"a":NaN}', '[[[', '"'].map((body) => ({
      body,
      member: 'body',
    })),
    ...['null', '[]', '1', '"text"', 'true'].map((body) => ({ body, member: 'body' })),
    { body: `${'['.repeat(deep)}${']'.repeat(deep)}`, member: Array(32).fill('0').join('.') },
    ...(endpoint.bodyLimit === undefined ? [{ body: `[${'0,'.repeat(12_000)}0]`, member: 'body' }] : []),
    { body: JSON.stringify({ unknown_member: 1 }), member: 'unknown_member' },
    { body: '{"__proto__":{"name":"x"}}', member: '__proto__' },
    { body: '{"constructor":{"prototype":{}}}', member: 'constructor' },
    { body: JSON.stringify({ 'a\0b': 1 }), member: 'body' },
    { body: `{"unknown":"${'x'.repeat(large)}"}`, type: 'too_large' },
    ...(endpoint.consumes === 'anyJson'
      ? []
      : [{ body: '{}', contentType: 'text/plain', type: 'unsupported_media_type' }]),
    { body: '{}', contentType: 'application/x-www-form-urlencoded', type: 'unsupported_media_type' },
    ...required.map((member) => ({ body: '{}', member })),
    ...Object.entries(properties).flatMap(([member, schema]) => malformedMember(member, schema)),
  ]
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 1.5,
  boolean: true,
  object: {},
  array: [],
  null: null,
}

function malformedMember(member: string, schema: Member): Malformed[] {
  const types = [schema.type ?? []].flat().map((type) => (type === 'integer' ? 'number' : type))
  const wrong = Object.entries(SAMPLES).filter(([type]) => types.length > 0 && !types.includes(type))
  const values: unknown[] = wrong.map(([, value]) => value)
  if (schema.maxLength !== undefined) values.push('x'.repeat(schema.maxLength + 1))
  if (schema.maximum !== undefined) values.push(schema.maximum + 1)
  if (schema.minimum !== undefined) values.push(schema.minimum - 1)
  const bodies = values.map((value) => ({ body: JSON.stringify({ [member]: value }), member }))
  const texts = ['a\\u0000b', '\\ud800', 'a\\udc00'].map((text) => ({
    body: `{"${member}":"${text}"}`,
    member,
  }))
  return [...bodies, ...texts]
}
