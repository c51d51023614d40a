/** Listing and filtering users: each filter alone and combined with others, compared with a linear search. */
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { plantUsers } from '../../../../test/endpoints/users-of.ts'
import { type Owner, START, serverOn } from '../../../../test/harness.ts'
import { createOwner, createProject } from '../../../../test/nouns.ts'
import { changeRows } from '../../../../test/stored.ts'
import type { ListedUser } from '../store/user-bulk.ts'

const USERS = 300
const RUNS = 150
const PAST = START - 1
const FUTURE = START + 1

type Model = Partial<ListedUser> & { readonly key: string }
type Query = Readonly<Record<string, string | number | boolean>>

const NOTES = ['Bought in June', 'bought in july', '50% off', 'a_b\\c', '日本語', 'Straße "7"', "it's", 'ab']
const EXECUTORS = ['Wave', 'wave', 'Lua 5.4', 'x']
const REASONS = ['shared', 'Shared it', 'true', 'refund']

const modelUser = fc.record({
  chat: fc.boolean(),
  note: fc.option(fc.constantFrom(...NOTES)),
  executor: fc.option(fc.constantFrom(...EXECUTORS)),
  key_expires: fc.option(fc.constantFrom(PAST, FUTURE)),
  fingerprint_assigned: fc.constantFrom(0 as const, 1 as const),
  blacklisted: fc.constantFrom(0 as const, 1 as const),
  blacklist_reason: fc.option(fc.constantFrom(...REASONS)),
  blacklist_expires: fc.option(fc.constantFrom(PAST, START, FUTURE)),
})

/** A fixed seed generates the same users in every run, which makes failures reproducible. */
const models: readonly Model[] = fc
  .sample(modelUser, { seed: 7, numRuns: USERS })
  .map(({ chat, blacklisted, blacklist_reason, blacklist_expires, ...rest }, index) => ({
    ...rest,
    key: `Key${index}xQ${(index * 7919) % 1000}`.padEnd(16, 'z'),
    chat_id: chat ? `${100_000 + index}` : null,
    blacklisted,
    blacklist_reason: blacklisted ? blacklist_reason : null,
    blacklist_expires: blacklisted ? blacklist_expires : null,
  }))

const someKey = fc.constantFrom(...models.map(({ key }) => key))
const someChat = fc.constantFrom(...models.flatMap(({ chat_id }) => chat_id ?? []))
const piece = fc
  .tuple(
    fc.constantFrom(...NOTES, ...EXECUTORS, ...REASONS),
    someKey,
    someChat,
    fc.nat(2),
    fc.nat(5),
    fc.integer({ min: 1, max: 9 }),
  )
  .map(([text, key, chat, which, start, length]) =>
    [...([text, key, chat][which] ?? '')].slice(start, start + length).join(''),
  )
  .filter((text) => text !== '')

const query = fc.record(
  {
    key: someKey,
    chat_id: someChat,
    note: fc.constantFrom(...NOTES, 'none'),
    executor: fc.constantFrom(...EXECUTORS, 'WAVE'),
    fingerprint_assigned: fc.boolean(),
    key_expires: fc.boolean(),
    blacklisted: fc.boolean(),
    blacklist_reason: fc.oneof(fc.boolean(), fc.constantFrom('shared', 'none')),
    blacklist_expires: fc.boolean(),
    search: fc.oneof(
      piece,
      piece.map((text) => text.toUpperCase()),
      fc.constantFrom('none at all', '%', '_', '\\', '"'),
    ),
  },
  { requiredKeys: [] },
)
/** Most queries have few fields, because combinations of many fields rarely match anything. */
const someQuery = fc
  .tuple(query, fc.array(fc.nat(9), { minLength: 1, maxLength: 3 }))
  .map(([given, places]) => {
    const entries = Object.entries(given)
    return Object.fromEntries(places.flatMap((place) => (entries[place] ? [entries[place]] : []))) as Query
  })
  .filter((given) => Object.keys(given).length > 0)

function matches(user: Model, asked: Query): boolean {
  const banned = user.blacklisted === 1 && (user.blacklist_expires ?? Number.POSITIVE_INFINITY) > START
  const reason = banned ? (user.blacklist_reason ?? null) : null
  const expected: Record<string, (value: string | number | boolean) => boolean> = {
    key: (value) => user.key === value,
    chat_id: (value) => user.chat_id === value,
    note: (value) => user.note === value,
    executor: (value) => user.executor === value,
    fingerprint_assigned: (value) => (user.fingerprint_assigned === 1) === value,
    key_expires: (value) => (user.key_expires !== null) === value,
    blacklisted: (value) => banned === value,
    blacklist_reason: (value) =>
      typeof value === 'boolean' ? (reason !== null) === value : reason === value,
    blacklist_expires: (value) => (banned && user.blacklist_expires !== null) === value,
    search: (value) =>
      [user.key, user.chat_id, user.note, user.executor, reason].some((text) =>
        lower(text ?? '').includes(lower(String(value))),
      ),
  }
  return Object.entries(asked).every(([name, value]) => expected[name]?.(value))
}

const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

describe.each(engines)('filtering users on $name', (engine) => {
  const { at } = serverOn(engine)
  let owner: Owner
  let project: string

  beforeAll(async () => {
    owner = await at().createCustomer()
    project = await createProject(owner)
    await plantUsers(at(), { owner, project }, models)
    const other = await at().createCustomer()
    const elsewhere = models.map((model, index) => ({ ...model, key: `${model.key}${index}` }))
    await plantUsers(at(), { owner: other, project: await createProject(other) }, elsewhere)
  })

  const filter = async (asked: Query, family = '') => {
    const text = new URLSearchParams(
      Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)])),
    )
    const { body } = await owner.get(`${family}/projects/${project}/users/filter?${text}`)
    return body as { users: { key: string }[]; next?: string | null }
  }
  const keys = async (asked: Query) => (await filter(asked)).users.map(({ key }) => key)
  const expected = (asked: Query) => models.filter((user) => matches(user, asked)).map(({ key }) => key)

  test('returns the users that match all fields, in order of creation', async () => {
    await fc.assert(
      fc.asyncProperty(someQuery, async (asked) => {
        expect(await keys(asked)).toEqual(expected(asked))
      }),
      { seed: 11, numRuns: RUNS },
    )
  })

  test.each([
    { fingerprint_assigned: true },
    { fingerprint_assigned: false },
    { key_expires: true },
    { key_expires: false },
    { blacklisted: true },
    { blacklisted: false },
    { blacklist_reason: true },
    { blacklist_reason: false },
    { blacklist_reason: 'Shared it' },
    { blacklist_expires: true },
    { blacklist_expires: false },
    { search: 'BOUGHT' },
    { search: 'b' },
    { search: '日本' },
    { search: '0% o' },
    { search: 'it' },
  ])('returns only the users that match %j', async (asked) => {
    const answered = await keys(asked)
    expect(answered).toEqual(expected(asked))
    expect(answered.length).toBeGreaterThan(0)
  })

  test('returns part of the matches by index and limit', async () => {
    await fc.assert(
      fc.asyncProperty(someQuery, fc.nat(40), fc.nat(20), async (asked, from, limit) => {
        expect(await keys({ ...asked, from, limit })).toEqual(expected(asked).slice(from, from + limit))
      }),
      { seed: 13, numRuns: 40 },
    )
  })

  test.each([{ search: 'bought' }, { blacklisted: false }, { search: 'b' }])(
    'returns all pages for %j by cursor',
    async (asked) => {
      const found: string[] = []
      for (let after: string | null = ''; after !== null; ) {
        const part = await filter({ ...asked, limit: 7, ...(after ? { after } : {}) }, '/v1')
        found.push(...part.users.map(({ key }) => key))
        after = part.next ?? null
      }
      expect(found).toEqual(expected(asked))
    },
  )

  test('returns an error without a condition', async () => {
    for (const nothing of ['', '?limit=5', '?note=&search=', '?blacklisted=&from=1']) {
      const { error, status } = await owner.get(`/projects/${project}/users/filter${nothing}`)
      expect(status).toBe(400)
      expect(error).toMatchObject({ code: 0, message: 'must filter something' })
    }
  })

  test.each([
    ['blacklisted=perhaps', 'blacklisted'],
    ['search=a%0Ab', 'search'],
    ['key=a&key=b', 'key'],
    ['limit=-1&key=a', 'limit'],
    ['limit=1.5&key=a', 'limit'],
    ['after=x&key=a', 'after'],
  ])('names the invalid field in %s', async (text, field) => {
    const { error } = await owner.get(`/v1/projects/${project}/users/filter?${text}`)
    expect(error).toMatchObject({ type: 'invalid_request', failed: [expect.objectContaining({ field })] })
  })

  test('finds current values and no longer finds previous ones', async () => {
    const key = (await owner.post(`/projects/${project}/users/new`, { note: 'first words' })).string(
      'user_key',
    )
    expect(await keys({ search: 'T WORD' })).toEqual([key])
    await owner.post(`/users/${key}/edit`, { note: 'others', chat_id: '4711-4712' })
    expect(await keys({ search: 't word' })).toEqual([])
    expect(await keys({ search: '1-471' })).toEqual([key])
    await owner.post(`/users/${key}/blacklist`, { reason: 'chargeback' })
    expect(await keys({ search: 'chargeb' })).toEqual([key])
    await owner.post(`/users/${key}/unblacklist`)
    expect(await keys({ search: 'chargeb' })).toEqual([])
    await owner.post(`/users/${key}/remove`)
    expect(await keys({ search: '1-471' })).toEqual([])
  })
})

describe.each(engines)('listing users on $name', (engine) => {
  const { at } = serverOn(engine)

  test('continues at a cursor even while users are created', async () => {
    const { owner, project } = await createOwner(at())
    const planted = await plantUsers(at(), { owner, project }, Array(25).fill({}))
    const first = (await owner.get(`/v1/projects/${project}/users?limit=10`)).body
    await plantUsers(at(), { owner, project }, [{ key: 'late-comer' }])
    const rest = (await owner.get(`/v1/projects/${project}/users?after=${first.next}`)).body
    const listed = [first, rest].flatMap(({ users }) => users as { key: string }[])
    expect(listed.map(({ key }) => key)).toEqual([...planted, 'late-comer'])
    expect(rest).toMatchObject({ next: null, total: 26 })
    const { error } = await owner.get(`/v1/projects/${project}/users?after=${first.next}&from=1`)
    expect(error.failed).toEqual([{ field: 'from', errors: ['cannot be combined with after'] }])
  })

  test('streams a list that exceeds the memory limit', async () => {
    const { owner, project } = await createOwner(at())
    const planted = await plantUsers(at(), { owner, project }, Array(5500).fill({ note: 'ä'.repeat(50) }))
    const answer = await owner.get(`/projects/${project}/users`)
    expect(answer.headers.get('transfer-encoding')).toBe('chunked')
    expect((answer.body.users as { key: string }[]).map(({ key }) => key)).toEqual(planted)
    const late = (await owner.get(`/projects/${project}/users?from=5490&limit=4`)).body.users as {
      key: string
    }[]
    expect(late.map(({ key }) => key)).toEqual(planted.slice(5490, 5494))
  })

  test('aborts the response if reading fails, and still answers other requests', async () => {
    const { owner, project } = await createOwner(at())
    await plantUsers(at(), { owner, project }, Array(6000).fill({ note: 'n'.repeat(200) }))
    const [key] = await plantUsers(at(), { owner, project }, [{ key: `last-${project}` }])
    await changeRows(
      at(),
      'users',
      { key: key ?? '' },
      { fingerprint_assigned: 1, fingerprint_display: 'no JSON' },
    )
    await expect(owner.get(`/projects/${project}/users`)).rejects.toThrow()
    expect(at().log.some((line) => line.includes('request failed'))).toBe(true)
    expect((await owner.get(`/projects/${project}/users?limit=1`)).status).toBe(200)
  })
})
