/**
 * Tests that breaking changes in requests, responses and events are reported, and that compatible changes are
 * not.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { breaksOf } from './compatibility-rules.ts'
import { type Document, parseSurface, renderSurface, surfaceOf } from './public-surface.ts'
import { ROOT } from './run.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

/** Builds example errors, numbered from 1. */
function refusals(...types: readonly string[]) {
  const examples = types.map((type, at) => ({ value: { error: { code: at + 1, type } } }))
  return { content: { 'application/json': { examples } } }
}

const USER = object({ name: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } }, ['name'])
const OPERATION = {
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
  requestBody: json({ $ref: '#/components/schemas/User' }),
  responses: {
    200: json(object({ user: { $ref: '#/components/schemas/User' } }, ['user'])),
    400: refusals('user_exists', 'no_such_plan'),
  },
}

type Parts = {
  user?: object
  request?: object
  answer?: object
  parameters?: readonly object[]
  event?: object
  refused?: object
}
/** Builds an OpenAPI document with one operation and one event. */
function documentOf({ user = USER, request, answer, parameters, event, refused }: Parts = {}): Document {
  const operation = {
    ...OPERATION,
    ...(parameters && { parameters }),
    ...(request && { requestBody: json(request) }),
    ...(answer && { responses: { 200: json(answer) } }),
    ...(refused && { responses: { ...OPERATION.responses, 400: refused } }),
  }
  return {
    paths: { '/v1/users': { post: operation, summary: 'not a method' } },
    webhooks: {
      'user.made': { post: { requestBody: json(event ?? { $ref: '#/components/schemas/User' }) } },
    },
    components: { schemas: { User: user } },
  } as unknown as Document
}

const breaks = (before: Parts, now: Parts) =>
  breaksOf(surfaceOf(documentOf(before)), surfaceOf(documentOf(now)))
const string = { type: 'string' }

describe('a breaking change', () => {
  it('is a removed operation or event', () => {
    expect(breaksOf(surfaceOf(documentOf()), surfaceOf({}))).toEqual([
      'POST /v1/users was removed',
      'EVENT user.made was removed',
    ])
  })

  it.each<[string, Parts, Parts, string]>([
    ['a removed field', {}, { user: object({ name: string }, ['name']) }, 'body.kind was removed'],
    ['a removed parameter', {}, { parameters: [] }, 'query.limit was removed'],
    [
      'a removed value',
      {},
      { user: object({ name: string, kind: { type: 'string', enum: ['a'] } }, ['name']) },
      'body.kind: the value "b" was removed',
    ],
    [
      'a field that becomes required',
      { request: object({ name: string }) },
      { request: object({ name: string }, ['name']) },
      'body.name is now required',
    ],
    [
      'a new required field',
      { request: object({ name: string }, ['name']) },
      { request: object({ name: string, key: string }, ['name', 'key']) },
      'body.key is now required',
    ],
    [
      'a parameter that becomes required',
      {},
      { parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer' } }] },
      'query.limit is now required',
    ],
    [
      'a changed type',
      { request: object({ n: string }) },
      { request: object({ n: { type: 'number' } }) },
      'body.n changed from string to number',
    ],
    [
      'fewer types in a request',
      { request: object({ n: { type: ['string', 'null'] } }) },
      { request: object({ n: string }) },
      'body.n changed from null or string to string',
    ],
    [
      'more types in a response',
      { answer: object({ n: string }) },
      { answer: object({ n: { type: ['string', 'null'] } }) },
      '200.n changed from string to null or string',
    ],
    [
      'a response field that becomes optional',
      { answer: object({ n: string }, ['n']) },
      { answer: object({ n: string }) },
      '200.n may now be missing',
    ],
    [
      'a removed field inside a list',
      { answer: { type: 'array', items: object({ n: string }) } },
      { answer: { type: 'array', items: object({}) } },
      '200[].n was removed',
    ],
    [
      'an alternative that is no longer accepted',
      { request: { anyOf: [string, object({})] } },
      { request: { anyOf: [string] } },
      'body changed from object or string to string',
    ],
    ['a removed code', {}, { refused: refusals('user_exists') }, 'codes.2 was removed'],
    [
      'a changed meaning of a code',
      {},
      { refused: refusals('user_exists', 'no_such_key') },
      'codes.2 changed from no_such_plan to no_such_key',
    ],
    [
      'a list of allowed values where any value was accepted',
      { request: object({ n: string }) },
      { request: object({ n: { enum: ['a', 'b'] } }) },
      'body.n now accepts only some values',
    ],
  ])('is %s', (_, before, now, text) => {
    expect(breaks(before, now)).toContain(`POST /v1/users: ${text}`)
  })

  it('is a removed field of an event', () => {
    const event = object({ name: string }, ['name'])
    expect(breaks({}, { event })).toEqual(['EVENT user.made: body.kind was removed'])
  })
})

describe('a compatible change', () => {
  it.each<[string, Parts, Parts]>([
    ['no change', {}, {}],
    ['a new optional field', { request: object({}) }, { request: object({ key: string }) }],
    ['a new response field', { answer: object({}) }, { answer: object({ key: string }, ['key']) }],
    [
      'a field that becomes optional',
      { request: object({ a: string }, ['a']) },
      { request: object({ a: string }) },
    ],
    [
      'a response field that becomes required',
      { answer: object({ a: string }) },
      { answer: object({ a: string }, ['a']) },
    ],
    ['a new value', { request: { enum: ['a'] } }, { request: { enum: ['a', 'b'] } }],
    ['a wider number', { request: { type: 'integer' } }, { request: { type: 'number' } }],
    ['a new code', {}, { refused: refusals('user_exists', 'no_such_plan', 'too_many_users') }],
    [
      'a new list of values',
      { request: object({}) },
      { request: object({ n: { type: 'array', items: string } }) },
    ],
    [
      'a new alternative',
      { request: { anyOf: [string] } },
      { request: { anyOf: [string, { type: 'null' }] } },
    ],
  ])('is %s', (_, before, now) => expect(breaks(before, now)).toEqual([]))

  it('does not cause an endless search in a recursive schema', () => {
    const user = object({ friends: { type: 'array', items: { $ref: '#/components/schemas/User' } } })
    expect(breaks({ user }, { user })).toEqual([])
  })
})

test('the current document is compatible with itself, and every operation is checked', () => {
  const text = readFileSync(path.join(ROOT, 'docs/api/openapi.json'), 'utf8')
  const document = JSON.parse(text) as Document
  const surface = surfaceOf(document)
  expect(breaksOf(surface, surface)).toEqual([])
  const gone = breaksOf(surface, surfaceOf({}))
  const operations = [document.paths, document.webhooks].flatMap((paths) => Object.values(paths ?? {}))
  expect(gone).toHaveLength(operations.flatMap((methods) => Object.keys(methods)).length)
  const without = JSON.parse(text.replaceAll('"user_key":', '"other_key":')) as Document
  expect(breaksOf(surface, surfaceOf(without))).toContain(
    'POST /v1/projects/{project_id}/users/new: 200.user_key was removed',
  )
})

test('a snapshot is unchanged after writing and reading it', () => {
  const values = { enum: ['plain', 'with, a comma', 'a|b', 7, null] }
  const request = {
    anyOf: [{ type: 'null' }, object({ deep: { type: 'array', items: object({ values }) } })],
  }
  const surface = surfaceOf(documentOf({ request }))
  const text = renderSurface(surface)
  expect(parseSurface(text)).toEqual(surface)
  expect(renderSurface(parseSurface(text))).toBe(text)
})
