/** What breaks callers is found, in requests, answers and events; what they do not notice is not. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { announcesBreak, changelogComplaints } from './changelog.ts'
import { breaksOf, type Document } from './compatibility-rules.ts'
import { ROOT } from './run.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

const USER = object({ name: { type: 'string' }, kind: { type: 'string', enum: ['a', 'b'] } }, ['name'])
const OPERATION = {
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
  requestBody: json({ $ref: '#/components/schemas/User' }),
  responses: { 200: json(object({ user: { $ref: '#/components/schemas/User' } }, ['user'])), 404: json({}) },
}

type Parts = {
  user?: object
  request?: object
  answer?: object
  parameters?: readonly object[]
  event?: object
}
/** A document with one operation and one event. */
function documentOf({ user = USER, request, answer, parameters, event }: Parts = {}): Document {
  const operation = {
    ...OPERATION,
    ...(parameters && { parameters }),
    ...(request && { requestBody: json(request) }),
    ...(answer && { responses: { 200: json(answer) } }),
  }
  return {
    paths: { '/v1/users': { post: operation, summary: 'not a method' } },
    webhooks: {
      'user.made': { post: { requestBody: json(event ?? { $ref: '#/components/schemas/User' }) } },
    },
    components: { schemas: { User: user } },
  } as unknown as Document
}

const breaks = (before: Parts, now: Parts) => breaksOf(documentOf(before), documentOf(now))
const string = { type: 'string' }

describe('what breaks callers', () => {
  it('is an operation or an event that is gone', () => {
    const none = { paths: {}, webhooks: {} }
    expect(breaksOf(documentOf(), none)).toEqual(['POST /v1/users is gone', 'event user.made is gone'])
  })

  it.each<[string, Parts, Parts, string]>([
    ['a member that is gone', {}, { user: object({ name: string }, ['name']) }, 'body.kind is gone'],
    ['a parameter that is gone', {}, { parameters: [] }, 'query limit is gone'],
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
      'query limit is required now',
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
      'body.n was string or null and is string',
    ],
    [
      'more types in an answer',
      { answer: object({ n: string }) },
      { answer: object({ n: { type: ['string', 'null'] } }) },
      'answer.n was string and is string or null',
    ],
    [
      'a member of an answer that may be missing now',
      { answer: object({ n: string }, ['n']) },
      { answer: object({ n: string }) },
      'answer.n may be missing now',
    ],
    [
      'a member inside of a list',
      { answer: { type: 'array', items: object({ n: string }) } },
      { answer: { type: 'array', items: object({}) } },
      'answer[].n is gone',
    ],
    [
      'a form that is not taken any more',
      { request: { anyOf: [string, object({})] } },
      { request: { anyOf: [string] } },
      'body has other forms',
    ],
  ])('is %s', (_, before, now, text) => {
    expect(breaks(before, now)).toContain(`POST /v1/users: ${text}`)
  })

  it('is what is gone from an event', () => {
    const event = object({ name: string }, ['name'])
    expect(breaks({}, { event })).toEqual(['event user.made: body.kind is gone'])
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
  expect(breaksOf(document, JSON.parse(text) as Document)).toEqual([])
  const gone = breaksOf(document, {})
  const operations = [document.paths, document.webhooks].flatMap((paths) => Object.values(paths ?? {}))
  expect(gone).toHaveLength(operations.flatMap((methods) => Object.keys(methods)).length)
  const without = JSON.parse(text.replaceAll('"user_key":', '"other_key":')) as Document
  expect(breaksOf(document, without)).toContain(
    'POST /v1/projects/{project_id}/users/new: answer.user_key is gone',
  )
})

describe('the changelog', () => {
  const of = (...titles: string[]) => titles.map((title) => `## ${title}\n\n- Text.\n`).join('\n')

  it('has a heading for each version, the newest first', () => {
    expect(
      changelogComplaints(of('Unreleased', '0.10.0 (2026-12-24)', '0.9.0 (2026-11-30)'), '0.10.0'),
    ).toEqual([])
    expect(changelogComplaints(of('0.9.0 (2026-11-30)', 'Unreleased'), undefined)).toHaveLength(1)
    expect(changelogComplaints(of('0.9.0 (2026-11-30)', '0.10.0 (2026-12-24)'), '0.9.0')).toHaveLength(1)
    expect(changelogComplaints(of('Unreleased', '0.9.0'), undefined)).toHaveLength(1)
    expect(changelogComplaints(of('Unreleased'), '0.9.0')).toEqual([
      'CHANGELOG.md: 0.9.0 was released and has no heading',
    ])
  })

  it('announces a break only after the last release', () => {
    const told = `${of('Unreleased')}- **Breaking:** \`/v1/users\` is gone: use \`/v1/people\`.\n`
    expect(announcesBreak(told + of('0.1.0 (2026-11-30)'), '0.1.0')).toBe(true)
    expect(
      announcesBreak(
        of('Unreleased', '0.2.0 (2026-12-24)') + told.replace('Unreleased', '0.1.0 (2026-11-30)'),
        '0.1.0',
      ),
    ).toBe(false)
    expect(
      announcesBreak(
        of('Unreleased') + told.replace('Unreleased', '0.2.0 (2026-12-24)') + of('0.1.0 (2026-11-30)'),
        '0.1.0',
      ),
    ).toBe(true)
  })
})
