/** What breaks callers is found, in requests, answers and events; what they do not notice is not. */
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

/** Examples of errors, with the codes from 1 on. */
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
/** A document with one operation and one event. */
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

describe('what breaks callers', () => {
  it('is an operation or an event that is gone', () => {
    expect(breaksOf(surfaceOf(documentOf()), surfaceOf({}))).toEqual([
      'POST /v1/users is gone',
      'EVENT user.made is gone',
    ])
  })

  it.each<[string, Parts, Parts, string]>([
    ['a member that is gone', {}, { user: object({ name: string }, ['name']) }, 'body.kind is gone'],
    ['a parameter that is gone', {}, { parameters: [] }, 'query.limit is gone'],
    [
      'a value that is gone',
      {},
      { user: object({ name: string, kind: { type: 'string', enum: ['a'] } }, ['name']) },
      'body.kind: the value "b" is gone',
    ],
    [
      'a member that is required now',
      { request: object({ name: string }) },
      { request: object({ name: string }, ['name']) },
      'body.name is required now',
    ],
    [
      'a new member that is required',
      { request: object({ name: string }, ['name']) },
      { request: object({ name: string, key: string }, ['name', 'key']) },
      'body.key is required now',
    ],
    [
      'a parameter that is required now',
      {},
      { parameters: [{ name: 'limit', in: 'query', required: true, schema: { type: 'integer' } }] },
      'query.limit is required now',
    ],
    [
      'another type',
      { request: object({ n: string }) },
      { request: object({ n: { type: 'number' } }) },
      'body.n was string and is number',
    ],
    [
      'fewer types in a request',
      { request: object({ n: { type: ['string', 'null'] } }) },
      { request: object({ n: string }) },
      'body.n was null or string and is string',
    ],
    [
      'more types in an answer',
      { answer: object({ n: string }) },
      { answer: object({ n: { type: ['string', 'null'] } }) },
      '200.n was string and is null or string',
    ],
    [
      'a member of an answer that may be missing now',
      { answer: object({ n: string }, ['n']) },
      { answer: object({ n: string }) },
      '200.n may be missing now',
    ],
    [
      'a member inside of a list',
      { answer: { type: 'array', items: object({ n: string }) } },
      { answer: { type: 'array', items: object({}) } },
      '200[].n is gone',
    ],
    [
      'a form that is not taken any more',
      { request: { anyOf: [string, object({})] } },
      { request: { anyOf: [string] } },
      'body was object or string and is string',
    ],
    ['a code that is gone', {}, { refused: refusals('user_exists') }, 'codes.2 is gone'],
    [
      'a code with another meaning',
      {},
      { refused: refusals('user_exists', 'no_such_key') },
      'codes.2 was no_such_plan and is no_such_key',
    ],
    [
      'a list of values where any was taken',
      { request: object({ n: string }) },
      { request: object({ n: { enum: ['a', 'b'] } }) },
      'body.n takes only some values now',
    ],
  ])('is %s', (_, before, now, text) => {
    expect(breaks(before, now)).toContain(`POST /v1/users: ${text}`)
  })

  it('is what is gone from an event', () => {
    const event = object({ name: string }, ['name'])
    expect(breaks({}, { event })).toEqual(['EVENT user.made: body.kind is gone'])
  })
})

describe('callers do not notice', () => {
  it.each<[string, Parts, Parts]>([
    ['the same', {}, {}],
    ['a new member that may be missing', { request: object({}) }, { request: object({ key: string }) }],
    ['a new member of an answer', { answer: object({}) }, { answer: object({ key: string }, ['key']) }],
    [
      'a member that is no longer required',
      { request: object({ a: string }, ['a']) },
      { request: object({ a: string }) },
    ],
    [
      'a member of an answer that is always there now',
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
    ['a new form', { request: { anyOf: [string] } }, { request: { anyOf: [string, { type: 'null' }] } }],
  ])('%s', (_, before, now) => expect(breaks(before, now)).toEqual([]))

  it('a schema that holds itself', () => {
    const user = object({ friends: { type: 'array', items: { $ref: '#/components/schemas/User' } } })
    expect(breaks({ user }, { user })).toEqual([])
  })
})

test('the whole document breaks nothing of itself, and each operation is looked at', () => {
  const text = readFileSync(path.join(ROOT, 'docs/api/openapi.json'), 'utf8')
  const document = JSON.parse(text) as Document
  const surface = surfaceOf(document)
  expect(breaksOf(surface, surface)).toEqual([])
  const gone = breaksOf(surface, surfaceOf({}))
  const operations = [document.paths, document.webhooks].flatMap((paths) => Object.values(paths ?? {}))
  expect(gone).toHaveLength(operations.flatMap((methods) => Object.keys(methods)).length)
  const without = JSON.parse(text.replaceAll('"user_key":', '"other_key":')) as Document
  expect(breaksOf(surface, surfaceOf(without))).toContain(
    'POST /v1/projects/{project_id}/users/new: 200.user_key is gone',
  )
})

test('a surface is the same after it was written and read', () => {
  const values = { enum: ['plain', 'with, a comma', 'a|b', 7, null] }
  const request = {
    anyOf: [{ type: 'null' }, object({ deep: { type: 'array', items: object({ values }) } })],
  }
  const surface = surfaceOf(documentOf({ request }))
  const text = renderSurface(surface)
  expect(parseSurface(text)).toEqual(surface)
  expect(renderSurface(parseSurface(text))).toBe(text)
})
