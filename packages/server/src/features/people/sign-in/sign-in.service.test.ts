/** Password sign-in over real HTTP, as a browser does. */
import { describe, expect, test, vi } from 'vitest'
import { effort } from '../../../../../client/test/effort.ts'
import type { Answer } from '../../../../test/answers.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn, type TestServer } from '../../../../test/harness.ts'
import { browserAfter, browserOf } from '../../../../test/people/browsers.ts'
import { createPerson, signIn } from '../../../../test/people.ts'
import { insertRows } from '../../../../test/stored.ts'
import { Refused } from '../../../api/refusals.ts'
import { prefixOf } from '../../../platform/limits/networks.ts'
import { updatePerson } from '../store/people.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import { hashPassword } from './passwords.ts'
import { signInWithPassword } from './sign-in.ts'

const PASSWORD = 'seven green bottles'
const MINUTE = 60_000
const DAY = 86_400_000

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'] } })
  const newPerson = async () => {
    const owner = await at().createCustomer()
    return { owner, person: await withPassword(at(), owner.id) }
  }

  test('the correct password signs in, and the cookie grants the permissions of the role', async () => {
    const { owner, person } = await newPerson()
    const answer = await enter(at(), { email: person.email.toUpperCase(), password: PASSWORD })
    expect(answer.body).toEqual({ success: true, done: true })
    const cookies = answer.headers.getSetCookie()
    expect(cookies.map((line) => line.split('=')[0])).toEqual([
      'scriptward',
      'scriptward-csrf',
      'scriptward-browser',
    ])
    expect(cookies[0]).toMatch(/; HttpOnly; SameSite=Lax/)
    const me = await browserAfter(at(), answer).get('/v1/me')
    expect(me.body).toMatchObject({
      kind: 'person',
      role: 'owner',
      account: { id: owner.id },
      person: { id: person.id, has_password: true, must_add_factor: false },
      accounts: [{ id: owner.id, role: 'owner' }],
    })
    const forKey = await owner.get('/v1/me')
    expect(forKey.body).toMatchObject({
      kind: 'api_key',
      person: null,
      accounts: [],
      account: { id: owner.id },
    })
  })

  test('a wrong password, an unknown email address and a disabled user get the same error and cost one hash', async () => {
    const { person } = await newPerson()
    const disabled = (await newPerson()).person
    await at().deps.db.transaction((tx) => updatePerson(tx, disabled.id, { disabled: 1 }))
    const bare = await createPerson(at())
    const hashes = vi.spyOn(at().deps.limits.passwords, 'run')
    const texts: string[] = []
    for (const [email, password] of [
      [person.email, 'a wrong password'],
      ['unknown@example.com', PASSWORD],
      [disabled.email, PASSWORD],
      [bare.email, PASSWORD],
    ] as const) {
      hashes.mockClear()
      const answer = await enter(at(), { email, password })
      expect(answer.error.type).toBe('wrong_credentials')
      expect(hashes).toHaveBeenCalledTimes(1)
      texts.push(answer.text.replace(String(answer.error.request_id), ''))
    }
    hashes.mockRestore()
    expect(new Set(texts).size).toBe(1)
  })

  test('ten thousand wrong passwords from one IP address cost few hashes and lock out only that network', async () => {
    const { person } = await newPerson()
    const hashes = vi.spyOn(at().deps.limits.passwords, 'run')
    const from = '198.51.100.7'
    const refusals = new Map<unknown, number>()
    for (let index = 0; index < 10_000; index += 1) {
      const wrong = { email: person.email, password: `wrong ${index}` }
      // Most attempts bypass HTTP, because sending them would take ten times as long as rejecting them.
      const type =
        index % 100 === 0
          ? (await enter(at(), wrong, { from })).error.type
          : reasonOf(await signInWithPassword(at().deps, wrong, { address: from, browser: '' }))
      refusals.set(type, (refusals.get(type) ?? 0) + 1)
    }
    expect(hashes.mock.calls.length).toBe(5)
    hashes.mockRestore()
    expect(refusals).toEqual(
      new Map([
        ['wrong_credentials', 5],
        ['rate_limited', 9995],
      ]),
    )
    const right = { email: person.email, password: PASSWORD }
    expect((await enter(at(), right, { from })).error.retry_after).toBeGreaterThan(0)
    expect((await enter(at(), right, { from: '198.51.100.8' })).status).toBe(429)
    expect((await enter(at(), right, { from: '203.0.113.7' })).status).toBe(200)
    at().clock.now += 15 * MINUTE
    expect((await enter(at(), right, { from })).status).toBe(200)
  })

  test('a network can try a hundred wrong passwords a day, regardless of the email address', async () => {
    const from = '192.0.2.9'
    const statuses: number[] = []
    // Counts the first ninety attempts directly, because each wrong password costs a hash.
    const { limits, now } = at().deps
    for (let index = 0; index < 90; index += 1)
      expect(await limits.signIns.takeAttempt('passwordPrefix', prefixOf(from), now())).toBe(0)
    for (let index = 90; index < 120; index += 1)
      statuses.push((await enter(at(), { email: `n${index}@example.com`, password: 'x' }, { from })).status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(10)
    at().clock.now += DAY
    expect((await enter(at(), { email: 'n@example.com', password: 'x' }, { from })).status).toBe(403)
  })

  const networks = effort({ day: 25, night: 1000 })
  test(`wrong passwords from ${networks} networks do not lock a user out of a browser that they have used before`, async () => {
    const { person } = await newPerson()
    const first = await enter(at(), { email: person.email, password: PASSWORD })
    const known = /scriptward-browser=([^;]+)/.exec(first.headers.getSetCookie().join())?.[1] ?? ''
    for (let index = 0; index < networks; index += 1) {
      const from = `10.${index >> 8}.${index & 255}.1`
      await enter(at(), { email: person.email, password: 'wrong' }, { from })
    }
    for (let index = 0; index < 10; index += 1)
      await enter(at(), { email: person.email, password: 'wrong' }, { from: '203.0.113.200' })
    const right = { email: person.email, password: PASSWORD }
    const from = '203.0.113.200'
    expect((await enter(at(), right, { from })).status).toBe(429)
    expect((await enter(at(), right, { from, known })).status).toBe(200)
    const forged = known.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))
    expect((await enter(at(), right, { from, known: forged })).status).toBe(429)
  })

  test('a cookie from before a login or a confirmation is useless after it, and each sets a new one', async () => {
    const { person } = await newPerson()
    const planted = { cookie: `scriptward=${'A'.repeat(43)}` }
    const answer = await enter(at(), { email: person.email, password: PASSWORD }, { headers: planted })
    expect(answer.headers.getSetCookie().join()).not.toContain('A'.repeat(43))
    const before = browserAfter(at(), answer)
    const confirmed = await before.post('/v1/auth/confirm', { password: PASSWORD })
    const after = browserAfter(at(), confirmed)
    expect((await before.get('/v1/me')).status).toBe(401)
    expect((await after.get('/v1/me')).status).toBe(200)
  })

  test('a dashboard session that is not fresh has to be confirmed before it can change the password', async () => {
    const { person } = await newPerson()
    const stale = await browserOf(at(), person)
    const other = await browserOf(at(), person)
    at().clock.now += 11 * MINUTE
    const change = { password: 'another long password' }
    expect((await stale.post('/v1/auth/password/change', change)).error.type).toBe('fresh_sign_in_needed')
    expect((await stale.post('/v1/auth/confirm', { password: 'wrong' })).error.type).toBe('wrong_credentials')
    const fresh = browserAfter(at(), await stale.post('/v1/auth/confirm', { password: PASSWORD }))
    const weak = await fresh.post('/v1/auth/password/change', { password: '1q2w3e4r5t6y' })
    expect(weak.error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'password' }] })
    const changed = await fresh.post('/v1/auth/password/change', change)
    expect(changed.status).toBe(200)
    expect((await other.get('/v1/me')).status).toBe(401)
    expect((await browserAfter(at(), changed).get('/v1/me')).status).toBe(200)
    expect((await enter(at(), { email: person.email, password: PASSWORD })).status).toBe(403)
    expect((await enter(at(), { email: person.email, ...change })).status).toBe(200)
  })

  test('a dashboard session ends by signing out, after 12 hours without use, and after 14 days', async () => {
    const { person } = await newPerson()
    const browser = browserAfter(at(), await enter(at(), { email: person.email, password: PASSWORD }))
    const out = await browser.post('/v1/auth/sign-out')
    expect(out.headers.getSetCookie().join()).toMatch(/scriptward=; .*Max-Age=0/)
    expect((await browser.get('/v1/me')).status).toBe(401)
    const idle = await browserOf(at(), person)
    const used = await browserOf(at(), person)
    at().clock.now += 11 * 60 * MINUTE
    expect((await used.get('/v1/me')).status).toBe(200)
    at().clock.now += 61 * MINUTE
    expect((await idle.get('/v1/me')).status).toBe(401)
    for (let hour = 12; hour < 14 * 24; hour += 6) {
      expect((await used.get('/v1/me')).status).toBe(200)
      at().clock.now += 6 * 60 * MINUTE
    }
    expect((await used.get('/v1/me')).status).toBe(401)
  })

  test("a cookie works only for the server's own pages, and a GET with it changes nothing", async () => {
    const { person } = await newPerson()
    const headers = await signIn(at(), person)
    const client = at().client()
    const { cookie = '' } = headers
    const type = (answer: Answer) => answer.error.type
    expect(type(await client.get('/v1/me', { cookie }))).toBe('csrf_failed')
    expect(type(await client.get('/v1/me', { cookie, 'x-scriptward-csrf': 'x'.repeat(43) }))).toBe(
      'csrf_failed',
    )
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(type(await client.get('/v1/me', { ...headers, 'sec-fetch-site': site }))).toBe('csrf_failed')
    expect((await client.get('/v1/me', { ...headers, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    for (const origin of ['https://evil.example', 'null', `${at().url}0`])
      expect(type(await client.get('/v1/me', { ...headers, origin }))).toBe('csrf_failed')
    expect((await client.get('/v1/me', { ...headers, origin: at().url })).status).toBe(200)
    const changing = await client.get('/v1/adsystems/none/checkpoints/new', { ...headers })
    expect(type(changing)).toBe('unauthorized')
  })

  test('a role that was taken away is lost immediately', async () => {
    const { owner, person } = await newPerson()
    const browser = await browserOf(at(), person)
    expect((await browser.get('/v1/projects')).status).toBe(200)
    await at().deps.db.transaction((tx) =>
      tx.deleteFrom('members').where('person_id', '=', person.id).execute(),
    )
    expect((await browser.get('/v1/projects')).status).toBe(403)
    expect((await browser.get('/v1/me')).body).toMatchObject({ account: null, accounts: [], scopes: [] })
    expect((await browser.post('/v1/auth/account', { account_id: owner.id })).status).toBe(404)
  })

  test('users can see their dashboard sessions and end one or all others', async () => {
    const { person } = await newPerson()
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const right = { email: person.email, password: PASSWORD }
    const own = browserAfter(at(), await enter(at(), right, { headers: { 'user-agent': agent } }))
    const [second, third] = [await browserOf(at(), person), await browserOf(at(), person)]
    const stranger = await browserOf(at(), (await newPerson()).person)
    const { sign_ins } = (await own.get('/v1/sign-ins')).body as {
      sign_ins: { id: string; current: boolean; browser: string }[]
    }
    expect(sign_ins.map(({ current }) => current)).toEqual([false, false, true])
    expect(sign_ins[2]?.browser).toBe('Firefox on Linux')
    expect((await stranger.post(`/v1/sign-ins/${sign_ins[1]?.id}/end`)).status).toBe(404)
    expect((await own.post(`/v1/sign-ins/${sign_ins[1]?.id}/end`)).status).toBe(200)
    expect((await second.get('/v1/me')).status).toBe(401)
    expect((await own.post('/v1/sign-ins/end-others')).status).toBe(200)
    expect((await third.get('/v1/me')).status).toBe(401)
    expect((await own.get('/v1/me')).status).toBe(200)
  })

  test('users can edit themselves and switch accounts with a new cookie', async () => {
    const { owner, person } = await newPerson()
    const other = await at().createCustomer()
    await insertRows(at(), 'members', {
      id: `mem_${person.id}`,
      customer_id: other.id,
      person_id: person.id,
      role: 'reader',
      created_at: 1,
    })
    const browser = await browserOf(at(), person)
    expect((await browser.post('/v1/auth/person/edit', { name: ' Ada ', language: 'de' })).status).toBe(200)
    const switched = browserAfter(at(), await browser.post('/v1/auth/account', { account_id: other.id }))
    expect((await browser.get('/v1/me')).status).toBe(401)
    const me = (await switched.get('/v1/me')).body
    expect(me).toMatchObject({
      account: { id: other.id },
      role: 'reader',
      person: { name: 'Ada', language: 'de' },
    })
    expect(me.accounts).toHaveLength(2)
    const taken = (await newPerson()).person.email
    expect((await switched.post('/v1/auth/person/email', { email: taken })).error.type).toBe(
      'email_already_taken',
    )
    const moved = browserAfter(
      at(),
      await switched.post('/v1/auth/person/email', { email: `New-${person.email}` }),
    )
    expect((await moved.get('/v1/me')).body.name).toBe(`new-${person.email}`)
    expect(owner.id).not.toBe(other.id)
  })
})

function reasonOf(answer: object): unknown {
  return answer instanceof Refused ? answer.reason : undefined
}

type Entering = {
  readonly from?: string
  readonly known?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Signs in from this IP address, as reported by a proxy. */
async function enter(
  server: TestServer,
  body: { readonly email: string; readonly password: string },
  { from = '203.0.113.1', known, headers = {} }: Entering = {},
): Promise<Answer> {
  const cookie = known === undefined ? {} : { cookie: `scriptward-browser=${known}` }
  return server.client().send('POST', '/v1/auth/password', {
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...cookie, ...headers },
    body: JSON.stringify(body),
  })
}

async function withPassword(server: TestServer, customerId: string): Promise<PersonRow> {
  const { deps } = server
  const person = await createPerson(server, customerId)
  const password_hash = await hashPassword(deps, PASSWORD, '127.0.0.1')
  if (typeof password_hash !== 'string') throw new Error('too many hashes at once')
  return deps.db.transaction((tx) => updatePerson(tx, person.id, { password_hash })) as Promise<PersonRow>
}
