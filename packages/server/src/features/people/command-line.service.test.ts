/**
 * The command line gets a token with a user's approval: who can use the code, how often and for how long, and
 * which permissions the token grants.
 */
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createProject } from '../../../test/nouns.ts'
import { type Browser, browserOf, browserWith } from '../../../test/people/browsers.ts'
import { createPerson, type Seat, signIn } from '../../../test/people.ts'

const MINUTE_MS = 60_000
const STATE = 'state-of-this-sign-in'

/** Returns secrets in the format that the command line generates. */
function newSecrets() {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  return { code_verifier, code_challenge }
}

const asked = (code_challenge: string, more: object = {}) => ({
  ...{ name: 'Command line on ada-laptop', scopes: ['scripts:write'], port: 50_123, state: STATE },
  code_challenge,
  ...more,
})

describe.each(anyEngine)('the command line on $name', (engine) => {
  const { at } = serverOn(engine)
  const inAccount = async (seat?: Seat) => {
    const owner = await at().createCustomer()
    const person = await createPerson(at(), owner.id, seat)
    return { owner, person, browser: await browserOf(at(), person) }
  }
  const allow = async (browser: Browser, more?: object) => {
    const { code_verifier, code_challenge } = newSecrets()
    const answer = await browser.post('/v1/auth/command-line', asked(code_challenge, more))
    expect([answer.status, answer.error]).toEqual([200, {}])
    const code = new URL(answer.string('redirect_to')).searchParams.get('code') ?? ''
    return { code, code_verifier, redirect: answer.string('redirect_to') }
  }
  const exchange = (code: string, code_verifier: string) =>
    at().client().post('/v1/tokens/exchange', { code, code_verifier })

  it('gets the token that the user approved, for this machine only, with an audit entry for each step', async () => {
    const { owner, person, browser } = await inAccount()
    const project = await createProject(owner)
    const expires_at = at().clock.now + MINUTE_MS
    const { code, code_verifier, redirect } = await allow(browser, { projects: [project], expires_at })
    expect(redirect).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:50123/\\?code=[\\w-]{43}&state=${STATE}$`))
    const made = await exchange(code, code_verifier)
    const limits = { scopes: ['scripts:write'], projects: [project], expires_at, created_by: person.id }
    expect(made.body.token).toMatchObject({ name: 'Command line on ada-laptop', ...limits })
    const me = await at().client(made.string('secret')).get('/v1/me')
    expect(me.body).toMatchObject({ kind: 'token', account: { id: owner.id } })
    const { entries } = (await owner.get('/v1/audit')).body as { entries: { action: string }[] }
    const actor = { kind: 'person', id: person.id }
    const { id } = made.body.token as { id: string }
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'v1.tokens.exchange', actor, nouns: { token_id: id } },
      { action: 'v1.auth.commandLine', actor },
    ])
    for (const secret of [code, code_verifier, STATE, made.string('secret')])
      expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('can use its code only once, even when requests arrive at the same time', async () => {
    const { owner, browser } = await inAccount()
    const { code, code_verifier } = await allow(browser)
    const answers = await Promise.all([1, 2, 3].map(() => exchange(code, code_verifier)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect((await exchange(code, code_verifier)).error.type).toBe('code_gone')
    expect((await owner.get('/v1/tokens')).body.total).toBe(1)
  })

  it('can use its code only with its own verifier and within a minute', async () => {
    const { owner, browser } = await inAccount()
    const mine = await allow(browser)
    const late = await allow(browser)
    expect((await exchange('A'.repeat(43), mine.code_verifier)).error.type).toBe('code_gone')
    expect((await exchange(mine.code, mine.code_verifier)).status).toBe(200)
    at().clock.now += MINUTE_MS
    expect((await exchange(late.code, late.code_verifier)).error.type).toBe('code_gone')
    expect((await owner.get('/v1/tokens')).body.total).toBe(1)
  })

  it('loses its code after a wrong verifier, even if the right one follows', async () => {
    const { owner, browser } = await inAccount()
    const [mine, others] = [await allow(browser), await allow(browser)]
    for (const verifier of [others.code_verifier, mine.code_verifier])
      expect((await exchange(mine.code, verifier)).error.type).toBe('code_gone')
    expect((await owner.get('/v1/tokens')).body.total).toBe(0)
    expect((await exchange(others.code, others.code_verifier)).status).toBe(200)
  })

  it('is redirected to no other host, and a link or a foreign page cannot approve it', async () => {
    const { owner, person, browser } = await inAccount()
    const body = asked(newSecrets().code_challenge)
    const elsewhere = { ...body, redirect_uri: 'https://evil.example.com/' }
    for (const sent of [elsewhere, { ...body, port: 0 }, { ...body, port: '80@evil.example.com' }])
      expect((await browser.post('/v1/auth/command-line', sent)).error.type).toBe('invalid_request')
    const { cookie = '' } = await signIn(at(), person)
    const path = '/v1/auth/command-line'
    expect((await browserWith(at(), { cookie }).post(path, body)).error.type).toBe('csrf_failed')
    expect((await browser.get(path)).error.type).toBe('invalid_endpoint')
    expect((await owner.post(path, body)).error.needs).toBe('a dashboard session')
    expect((await at().client().post(path, body)).error.type).toBe('unauthorized')
  })

  it('requires a recent login, and gets no more permissions than the user has', async () => {
    const { browser } = await inAccount()
    const { code_challenge } = newSecrets()
    const support = await inAccount({ role: 'support' })
    const developer = await inAccount({ role: 'admin', projects: [await createProject(support.owner)] })
    const ask = (by: Browser) => by.post('/v1/auth/command-line', asked(code_challenge))
    expect((await ask(support.browser)).error.needs).toBe('tokens:write')
    expect((await ask(developer.browser)).error.failed).toMatchObject([{ field: 'projects' }])
    at().clock.now += 10 * MINUTE_MS + 1
    expect((await ask(browser)).error.type).toBe('fresh_sign_in_needed')
  })

  it('gets nothing if the user was disabled or lost the permission before the exchange', async () => {
    const first = await inAccount()
    const second = await inAccount()
    const one = await allow(first.browser)
    const two = await allow(second.browser)
    const { read } = at().deps.db
    const member = await read
      .selectFrom('members')
      .select('id')
      .where('person_id', '=', second.person.id)
      .executeTakeFirstOrThrow()
    await at().admin.post(`/v1/admin/people/${first.person.id}/disable`)
    const edited = await second.browser.post(`/v1/members/${member.id}/edit`, { role: 'reader' })
    expect([edited.status, edited.error.type]).toEqual([409, 'last_owner'])
    await createPerson(at(), second.owner.id)
    expect((await second.browser.post(`/v1/members/${member.id}/edit`, { role: 'reader' })).status).toBe(200)
    expect((await exchange(one.code, one.code_verifier)).error.type).toBe('code_gone')
    expect((await exchange(two.code, two.code_verifier)).error.needs).toBe('tokens:write')
  })

  it('gets an error for too many tokens in the account, both before and at the exchange', async () => {
    const { owner, browser } = await inAccount()
    const { code, code_verifier } = await allow(browser)
    const token = { name: 'Another', scopes: ['users:issue'] }
    await Promise.all(Array.from({ length: 100 }, () => owner.post('/v1/tokens/new', token)))
    expect((await exchange(code, code_verifier)).error.type).toBe('too_many_tokens')
    const answer = await browser.post('/v1/auth/command-line', asked(newSecrets().code_challenge))
    expect(answer.error.type).toBe('too_many_tokens')
  })

  it('can revoke its own token without the permission to change tokens, which no other credential can', async () => {
    // The previous test's tokens used up the limit for the current minute.
    at().clock.now += MINUTE_MS
    const { owner, browser } = await inAccount()
    const { code, code_verifier } = await allow(browser)
    const token = at().client((await exchange(code, code_verifier)).string('secret'))
    expect((await token.post('/v1/me/revoke')).body).toEqual({ success: true })
    expect((await token.get('/v1/me')).error.type).toBe('unauthorized')
    expect((await owner.get('/v1/tokens')).body.total).toBe(0)
    const { entries } = (await owner.get('/v1/audit?action=v1.me.revoke')).body
    expect(entries).toMatchObject([{ actor: { kind: 'token' }, nouns: { token_id: expect.any(String) } }])
    const [{ nouns }] = entries as [{ nouns: { token_id: string } }]
    const records = at().log.map((line) => JSON.parse(line) as { event?: string; subject?: string })
    const events = records.filter(({ subject }) => subject === nouns.token_id).map(({ event }) => event)
    expect(events).toEqual(['token_made', 'token_revoked'])
    for (const other of [owner, browser])
      expect((await other.post('/v1/me/revoke')).error.needs).toBe('a token')
  })
})
