/** Setup links, account recovery, users managed by operators, and sign-up. */

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn, type TestServer } from '../../../../test/harness.ts'
import { type MailServer, startMailServer } from '../../../../test/mail-server.ts'
import { browserAfter, browserOf } from '../../../../test/people/browsers.ts'
import { createPerson } from '../../../../test/people.ts'
import { changeRows, insertRows } from '../../../../test/stored.ts'
import { openMailer } from '../../../platform/mail/mailer.ts'
import { sendMails } from '../send-mails.ts'
import { makeSetUpLink } from './set-up.ts'
import type { signUpCaptcha } from './sign-up.ts'

const PASSWORD = 'seven green bottles'
const MINUTE = 60_000

const secretIn = (link: string) => /#\/[a-z-]+\/([\w-]{43})/.exec(link)?.[1] ?? ''

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const post = (path: string, body: object) => at().client().post(path, body)
  const linkFor = async (account: string) => {
    const link = await makeSetUpLink(at().deps, account)
    if (typeof link !== 'string') throw new Error(link.reason)
    return secretIn(link)
  }
  const owner = (email: string) => ({ email, name: 'First Owner', password: PASSWORD })

  test('a setup link creates the owner of an account without members, once', async () => {
    const account = await at().createCustomer({ email: 'shop@example.com' })
    const link = await linkFor('Shop@example.com')
    const looked = await post('/v1/auth/set-up/look', { link })
    expect(looked.body).toEqual({
      success: true,
      purpose: 'set_up',
      email: null,
      account: 'shop@example.com',
    })
    const weak = await post('/v1/auth/set-up', {
      link,
      ...owner('first@example.com'),
      password: 'first@example.com',
    })
    expect(weak.error.failed).toMatchObject([{ field: 'password' }])
    const made = await post('/v1/auth/set-up', { link, ...owner('first@example.com') })
    const me = await browserAfter(at(), made).get('/v1/me')
    expect(me.body).toMatchObject({
      role: 'owner',
      account: { id: account.id },
      person: { email: 'first@example.com' },
    })
    const again = await post('/v1/auth/set-up', { link, ...owner('second@example.com') })
    expect(again.error.type).toBe('link_gone')
    expect((await post('/v1/auth/set-up/look', { link })).error.type).toBe('link_gone')
    expect(await makeSetUpLink(at().deps, account.id)).toMatchObject({ reason: 'account_has_people' })
    expect((await account.get('/v1/projects')).status).toBe(200)
  })

  test('a setup link expires after 30 minutes or when a later one is created', async () => {
    const account = await at().createCustomer()
    const former = await linkFor(account.id)
    const late = await linkFor(account.id)
    expect((await post('/v1/auth/set-up/look', { link: former })).error.type).toBe('link_gone')
    at().clock.now += 30 * MINUTE
    const answer = await post('/v1/auth/set-up', { link: late, ...owner('late@example.com') })
    expect(answer.error.type).toBe('link_gone')
  })

  test('of two users who open one link at the same time, one becomes the owner', async () => {
    const account = await at().createCustomer()
    const link = await linkFor(account.id)
    const bodies = [1, 2, 3].map((n) => ({ link, ...owner(`race${n}-${account.id.slice(-6)}@example.com`) }))
    const answers = await Promise.all(bodies.map((body) => post('/v1/auth/set-up', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  test('a link does not create an owner for an account that has gained a member', async () => {
    const account = await at().createCustomer()
    const link = await linkFor(account.id)
    await createPerson(at(), account.id)
    const answer = await post('/v1/auth/set-up', { link, ...owner('second-owner@example.com') })
    expect(answer.error.type).toBe('account_has_people')
    expect(await personCount(at(), 'second-owner@example.com')).toBe(0)
  })

  test("an operator can reset a user's access, and on request their second factor too", async () => {
    const account = await at().createCustomer()
    const person = await createPerson(at(), account.id)
    const signedIn = await browserOf(at(), person)
    const sealed = at().deps.secrets.seal('totp', person.id, 'JBSWY3DPEHPK3PXP')
    await changeRows(at(), 'people', { id: person.id }, { totp_secret: sealed })
    const path = `/v1/admin/people/${person.id}`
    const first = secretIn((await at().admin.post(`${path}/reset`, {})).string('link'))
    const second = secretIn((await at().admin.post(`${path}/reset`, {})).string('link'))
    expect((await post('/v1/auth/reset', { link: first, password: PASSWORD })).error.type).toBe('link_gone')
    const looked = await post('/v1/auth/set-up/look', { link: second })
    expect(looked.body).toMatchObject({ purpose: 'reset', email: person.email, account: null })
    const step = await post('/v1/auth/reset', { link: second, password: PASSWORD })
    expect(step.body).toMatchObject({ done: false, ticket: expect.any(String) })
    expect((await signedIn.get('/v1/me')).status).toBe(401)
    const whole = secretIn((await at().admin.post(`${path}/reset`, { factors: true })).string('link'))
    const done = await post('/v1/auth/reset', { link: whole, password: PASSWORD })
    expect(done.body).toEqual({ success: true, done: true })
    const got = await at().admin.get(path)
    expect(got.body.person).toMatchObject({ has_password: true, has_second_factor: false, disabled: false })
    expect((await account.get(path)).status).toBe(403)
    const listed = await at().admin.get('/v1/admin/people?limit=1')
    expect(listed.body).toMatchObject({ people: [{ id: expect.any(String) }], total: expect.any(Number) })
  })

  /** Returns whether a passkey that was added before a reset survives the reset. */
  const keepsPasskey = async (personId: string) => {
    await insertRows(at(), 'passkeys', {
      ...{ id: `pky_${personId}`, person_id: personId, credential_id: personId, name: 'x', created_at: 1 },
      ...{ public_key: Buffer.from('x'), counter: 0, transports: '[]' },
    })
    const path = `/v1/admin/people/${personId}`
    const link = secretIn((await at().admin.post(`${path}/reset`, {})).string('link'))
    expect((await post('/v1/auth/reset', { link, password: PASSWORD })).status).toBe(200)
    const { person } = (await at().admin.get(path)).body as { person: { passkeys: number } }
    return person.passkeys === 1
  }

  test('a user who claimed an email address loses their passkey when its owner asks for access', async () => {
    const account = await at().createCustomer()
    const [changed, same] = [await createPerson(at(), account.id), await createPerson(at(), account.id)]
    const browser = await browserOf(at(), changed)
    await browser.post('/v1/auth/person/email', { email: `victim-${changed.email}` })
    const invited = await account.post('/v1/members/invite', { email: 'taken@example.com', role: 'reader' })
    const accepted = await post('/v1/auth/invitation', {
      ...{ link: secretIn(invited.string('link')), name: 'Mallory', password: PASSWORD },
    })
    const me = await browserAfter(at(), accepted).get('/v1/me')
    const taken = me.body.person as { id: string }
    const kept: boolean[] = []
    for (const { id } of [changed, taken, same]) kept.push(await keepsPasskey(id))
    expect(kept).toEqual([false, false, true])
    // From here on, the user has proven that they own the email address.
    expect(await keepsPasskey(changed.id)).toBe(true)
  })

  test('a disabled user is signed out immediately, and can sign in again when enabled', async () => {
    const account = await at().createCustomer()
    const person = await createPerson(at(), account.id)
    const browser = await browserOf(at(), person)
    const link = secretIn((await at().admin.post(`/v1/admin/people/${person.id}/reset`, {})).string('link'))
    expect((await at().admin.post(`/v1/admin/people/${person.id}/disable`)).status).toBe(200)
    expect((await browser.get('/v1/me')).status).toBe(401)
    expect((await post('/v1/auth/reset', { link, password: PASSWORD })).error.type).toBe('link_gone')
    expect((await at().admin.post(`/v1/admin/people/${person.id}/enable`)).status).toBe(200)
    expect((await post('/v1/auth/reset', { link, password: PASSWORD })).status).toBe(200)
    expect((await at().admin.post('/v1/admin/people/none/disable')).status).toBe(404)
  })
})

describe.each(anyEngine)('with a mail server on $name', (engine) => {
  let mails: MailServer
  const { at } = serverOn(engine, { config: { signUp: 'open', adsCaptcha: 'pow' } })
  beforeAll(async () => {
    mails = await startMailServer()
  })
  afterAll(() => mails.close())
  const post = (path: string, body: object) => at().client().post(path, body)
  const sendAll = async () => {
    const worker = sendMails(at().deps, openMailer(mails.url, 'ward@example.com'))
    while (await worker.run(AbortSignal.timeout(30_000)));
    return mails.received.splice(0)
  }

  test('asking for a link gets the same response for known and unknown email addresses, and emails only the known one', async () => {
    const account = await at().createCustomer()
    const person = await createPerson(at(), account.id)
    const known = await post('/v1/auth/reset/request', { email: person.email.toUpperCase() })
    const unknown = await post('/v1/auth/reset/request', { email: 'stranger@example.com' })
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    const sent = await sendAll()
    expect(sent.map(({ to }) => to)).toEqual([person.email])
    const link = secretIn((sent[0]?.text ?? '').replaceAll('=\n', ''))
    expect((await post('/v1/auth/reset', { link, password: PASSWORD })).body).toMatchObject({ done: true })
    expect((await sendAll()).map(({ text }) => text)).toEqual([expect.stringContaining('was changed')])
    for (let index = 0; index < 5; index += 1) await post('/v1/auth/reset/request', { email: person.email })
    expect((await sendAll()).length).toBeLessThanOrEqual(2)
  })

  test('a sign-up creates an account after its email address is confirmed, and never reveals that an email address is known', async () => {
    const person = await createPerson(at())
    const signUp = async (email: string) =>
      post('/v1/auth/sign-up', { email, name: 'New', password: PASSWORD, captcha: await solve() })
    const lazy = await post('/v1/auth/sign-up', { email: 'x@example.com', name: 'New', password: PASSWORD })
    expect(lazy.error.type).toBe('captcha_failed')
    const fresh = await signUp('new@example.com')
    const known = await signUp(person.email)
    expect([fresh.status, fresh.text]).toEqual([known.status, known.text])
    const [confirm, hint] = await sendAll()
    expect(hint).toMatchObject({ to: person.email, text: expect.stringContaining('already') })
    expect(await personCount(at(), 'new@example.com')).toBe(0)
    const link = secretIn((confirm?.text ?? '').replaceAll('=\n', ''))
    const made = await post('/v1/auth/sign-up/confirm', { link })
    const me = await browserAfter(at(), made).get('/v1/me')
    expect(me.body).toMatchObject({ role: 'owner', account: { email: 'new@example.com' } })
    expect((await post('/v1/auth/sign-up/confirm', { link })).error.type).toBe('link_gone')
    const entered = await post('/v1/auth/password', { email: 'new@example.com', password: PASSWORD })
    expect(entered.status).toBe(200)
  })

  test("emails that the mail server rejects don't delay the others, and are reported and tried again", async () => {
    const signUp = async (email: string) =>
      post('/v1/auth/sign-up', { email, name: 'New', password: PASSWORD, captcha: await solve() })
    const gone = ['gone-1@example.com', 'gone-2@example.com']
    for (const email of [...gone, 'there@example.com']) await signUp(email)
    for (const email of gone) mails.unknown.add(email)
    await expect(sendAll()).rejects.toThrow('the email could not be sent: EENVELOPE 550 RCPT TO')
    expect(mails.received.splice(0).map(({ to }) => to)).toEqual(['there@example.com'])
    mails.unknown.clear()
    at().clock.now += 60_000
    expect((await sendAll()).map(({ to }) => to)).toEqual(gone)
  })

  test("strangers who sign up with someone's email address don't keep them from getting a reset link", async () => {
    const account = await at().createCustomer()
    const person = await createPerson(at(), account.id)
    for (let index = 0; index < 4; index += 1)
      await post('/v1/auth/sign-up', {
        ...{ email: person.email, name: 'New', password: PASSWORD, captcha: await solve() },
      })
    await sendAll()
    await post('/v1/auth/reset/request', { email: person.email })
    expect((await sendAll()).map(({ text }) => text)).toEqual([expect.stringContaining('new password')])
  })

  test("a stranger's request for a reset link does not revoke the link that an operator created", async () => {
    const account = await at().createCustomer()
    const person = await createPerson(at(), account.id)
    const path = `/v1/admin/people/${person.id}/reset`
    const link = secretIn((await at().admin.post(path, { factors: true })).string('link'))
    await post('/v1/auth/reset/request', { email: person.email })
    const emailed = secretIn(((await sendAll())[0]?.text ?? '').replaceAll('=\n', ''))
    expect((await post('/v1/auth/reset', { link, password: PASSWORD })).body).toMatchObject({ done: true })
    // Once the password is reset, no other link may change it.
    const late = await post('/v1/auth/reset', { link: emailed, password: PASSWORD })
    expect(late.error.type).toBe('link_gone')
  })

  test('a solved captcha works once', async () => {
    const captcha = await solve()
    const body = { name: 'New', password: PASSWORD, captcha }
    expect((await post('/v1/auth/sign-up', { ...body, email: 'one@example.com' })).status).toBe(200)
    const again = await post('/v1/auth/sign-up', { ...body, email: 'two@example.com' })
    expect(again.error.type).toBe('captcha_failed')
  })

  /** Solves the captcha as the sign-up page does. */
  async function solve() {
    const { captcha } = (await at().client().get('/v1/auth/options')).body as {
      captcha: NonNullable<ReturnType<typeof signUpCaptcha>>
    }
    const { challenge, bits } = captcha
    for (let solution = 0; ; solution += 1) {
      const digest = createHash('sha256').update(`${challenge}:${solution}`).digest()
      if (digest.readUInt32BE(0) >>> (32 - Number(bits)) === 0)
        return { challenge: String(challenge), solution: String(solution) }
    }
  }
})

describe.each(anyEngine)('a server without sign-ups on $name', (engine) => {
  const { at } = serverOn(engine)
  test('reports that sign-ups are off', async () => {
    const options = await at().client().get('/v1/auth/options')
    expect(options.body).toEqual({
      ...{ success: true, sign_up: 'off', mail: true, second_factor_required: 'none', captcha: null },
    })
    const body = { email: 'new@example.com', name: 'New', password: PASSWORD }
    expect((await at().client().post('/v1/auth/sign-up', body)).error.type).toBe('sign_up_closed')
  })
})

async function personCount({ deps }: TestServer, email: string): Promise<number> {
  const rows = await deps.db.read.selectFrom('people').select('id').where('email', '=', email).execute()
  return rows.length
}
