/** Passkeys: what the browser and the device must prove, tested with a dishonest authenticator. */
import { describe, expect, it, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { Authenticator, type Lie, type Options } from '../../../../test/people/authenticator.ts'
import { type Browser, browserAfter, browserOf, browserWith } from '../../../../test/people/browsers.ts'
import { createPerson } from '../../../../test/people.ts'
import { rowsOf } from '../../../../test/stored.ts'
import { Refused } from '../../../api/refusals.ts'
import { updatePerson } from '../store/people.ts'
import type { PersonRow } from '../store/sign-ins.ts'
import { relyingParty } from './relying-party.ts'
import { makeSetUpLink } from './set-up.ts'

type Begun = { readonly ticket: string; readonly options: Options }

describe.each(anyEngine)('a passkey on $name', (engine) => {
  const { at } = serverOn(engine)
  const origin = () => `http://localhost:${at().deps.config.port}`
  const begin = async (browser: Browser, path: string) => (await browser.post(path)).body as unknown as Begun
  const beginAdd = (browser: Browser) => begin(browser, '/v1/auth/passkeys/add-begin')
  const beginSignIn = () => begin(browserWith(at()), '/v1/auth/passkeys/begin')

  const add = async (browser: Browser, device: Authenticator, lie?: Lie) => {
    const { ticket, options } = await beginAdd(browser)
    const response = device.create(options, lie)
    return browser.post('/v1/auth/passkeys/add-finish', { ticket, response, name: ' Laptop ' })
  }
  const enter = async (device: Authenticator, lie?: Lie) => {
    const { ticket, options } = await beginSignIn()
    return finish(ticket, device.get(options, lie))
  }
  const finish = (ticket: string, response: object) =>
    browserWith(at()).post('/v1/auth/passkeys/finish', { ticket, response })
  const withPasskey = async (given?: PersonRow) => {
    const person = given ?? (await createPerson(at()))
    const browser = await browserOf(at(), person)
    const device = new Authenticator(origin())
    const added = await add(browser, device)
    const { id } = added.body.passkey as { id: string }
    return { person, browser, device, id, added }
  }

  it('can be added, listed and renamed, and signs in its user without an email address', async () => {
    const { browser, device, id, added } = await withPasskey()
    expect(added.body.passkey).toEqual({ id, name: 'Laptop', created_at: at().clock.now, last_used_at: null })
    expect((await browser.post(`/v1/auth/passkeys/${id}/edit`, { name: 'Desk' })).status).toBe(200)
    at().clock.now += 1000
    const entered = await enter(device)
    expect(entered.body).toEqual({ success: true, done: true })
    const { passkeys } = (await browserAfter(at(), entered).get('/v1/auth/passkeys')).body
    expect(passkeys).toEqual([
      { id, name: 'Desk', created_at: at().clock.now - 1000, last_used_at: at().clock.now },
    ])
  })

  it('requires user verification and a discoverable credential', async () => {
    const browser = await browserOf(at(), await createPerson(at()))
    const added = (await beginAdd(browser)).options as Record<string, unknown>
    expect(added.authenticatorSelection).toMatchObject({
      residentKey: 'required',
      userVerification: 'required',
    })
    expect(added.attestation).toBe('none')
    const { options } = await beginSignIn()
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' })
    expect(options).not.toHaveProperty('allowCredentials')
  })

  const LIES: readonly (readonly [string, Lie])[] = [
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port of this host', { origin: 'http://localhost:1' }],
    ['of another host', { rpId: 'evil.example' }],
    ['without user verification', { isUnverified: true }],
    ['with another challenge', { challenge: 'QUJD' }],
  ]
  it.each(LIES)('%s is not added', async (_, lie) => {
    const browser = await browserOf(at(), await createPerson(at()))
    const answer = await add(browser, new Authenticator(origin()), lie)
    expect(answer.error.type).toBe('passkey_refused')
    expect((await browser.get('/v1/auth/passkeys')).body.passkeys).toEqual([])
  })
  it.each([
    ...LIES,
    ['with a signature of another key', { isForged: true }],
    ['with the handle of another user', { userHandle: 'cHNuXzE' }],
    ['with an empty handle', { userHandle: '' }],
  ] as const)('%s does not sign anyone in', async (_, lie) => {
    const { device } = await withPasskey()
    expect((await enter(device, lie)).error.type).toBe('passkey_refused')
    expect((await enter(device)).status).toBe(200)
  })

  it('whose counter does not increase does not sign anyone in', async () => {
    const { device } = await withPasskey()
    expect((await enter(device, { counter: 7 })).status).toBe(200)
    for (const counter of [7, 6, 0])
      expect((await enter(device, { counter })).error.type).toBe('passkey_refused')
    expect((await enter(device, { counter: 8 })).status).toBe(200)
  })

  it('on a device without a counter signs in repeatedly', async () => {
    const { device } = await withPasskey()
    for (let n = 0; n < 3; n += 1) expect((await enter(device, { counter: 0 })).status).toBe(200)
  })

  it('whose counter is used concurrently signs in once', async () => {
    const { device } = await withPasskey()
    const answers = await Promise.all([1, 2, 3, 4].map(() => enter(device, { counter: 9 })))
    expect(answers.map(({ error }) => error.type ?? 'done').sort()).toEqual([
      'done',
      ...Array(3).fill('passkey_refused'),
    ])
  })

  it('answers a challenge once, right or wrong, and not after five minutes', async () => {
    const { device } = await withPasskey()
    const first = await beginSignIn()
    const response = device.get(first.options)
    expect((await finish(first.ticket, response)).status).toBe(200)
    expect((await finish(first.ticket, response)).error.type).toBe('ticket_gone')
    const second = await beginSignIn()
    const wrong = device.get(second.options, { isForged: true })
    expect((await finish(second.ticket, wrong)).error.type).toBe('passkey_refused')
    expect((await finish(second.ticket, device.get(second.options))).error.type).toBe('ticket_gone')
    const third = await beginSignIn()
    at().clock.now += 300_000
    expect((await finish(third.ticket, device.get(third.options))).error.type).toBe('ticket_gone')
  })

  it('cannot be replayed with the token of another ceremony', async () => {
    const { device } = await withPasskey()
    const [one, other] = [await beginSignIn(), await beginSignIn()]
    expect((await finish(other.ticket, device.get(one.options))).error.type).toBe('passkey_refused')
  })

  it("can be added only with the user's own token, not with a pending-login token", async () => {
    const [one, other] = [await createPerson(at()), await createPerson(at())]
    const [theirs, others] = [await browserOf(at(), one), await browserOf(at(), other)]
    const begun = await beginAdd(theirs)
    const device = new Authenticator(origin())
    const body = { ticket: begun.ticket, response: device.create(begun.options), name: 'Stolen' }
    expect((await others.post('/v1/auth/passkeys/add-finish', body)).error.type).toBe('ticket_gone')
    expect((await theirs.post('/v1/auth/passkeys/add-finish', body)).error.type).toBe('ticket_gone')
    const { ticket } = await beginSignIn()
    const response = device.create({ ...begun.options, challenge: ticket })
    const mixed = await theirs.post('/v1/auth/passkeys/add-finish', { ticket, response, name: 'Mixed' })
    expect(mixed.error.type).toBe('ticket_gone')
  })

  it('belongs to one user: nobody else adds, renames or removes it', async () => {
    const { device, id, browser } = await withPasskey()
    const other = await browserOf(at(), await createPerson(at()))
    expect((await add(other, device)).error.type).toBe('passkey_already_added')
    for (const [path, body] of [['edit', { name: 'Mine' }], ['remove']] as const)
      expect((await other.post(`/v1/auth/passkeys/${id}/${path}`, body)).error.type).toBe('not_found')
    const { passkeys } = (await browser.get('/v1/auth/passkeys')).body
    expect(passkeys).toMatchObject([{ id, name: 'Laptop' }])
  })

  it('that was removed signs nobody in', async () => {
    const { browser, id, device } = await withPasskey()
    await add(browser, new Authenticator(origin()))
    const begun = await beginSignIn()
    expect((await browser.post(`/v1/auth/passkeys/${id}/remove`)).status).toBe(200)
    expect((await finish(begun.ticket, device.get(begun.options))).error.type).toBe('passkey_refused')
  })

  it('stays if the user has no other way to sign in, even when two are removed at the same time', async () => {
    const { person, browser, id, device } = await withPasskey()
    const refused = await browser.post(`/v1/auth/passkeys/${id}/remove`)
    expect(refused.error.type).toBe('last_way_in')
    const second = await add(browser, new Authenticator(origin()))
    const ids = [id, (second.body.passkey as { id: string }).id]
    const answers = await Promise.all(ids.map((one) => browser.post(`/v1/auth/passkeys/${one}/remove`)))
    expect(answers.map(({ error }) => error.type ?? 'done').sort()).toEqual(['done', 'last_way_in'])
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { password_hash: 'some' }))
    const [left] = (await browser.get('/v1/auth/passkeys')).body.passkeys as { id: string }[]
    expect((await browser.post(`/v1/auth/passkeys/${left?.id}/remove`)).status).toBe(200)
    expect((await enter(device)).error.type).toBe('passkey_refused')
  })

  it('can be added and removed only with a recent login', async () => {
    const { browser, id } = await withPasskey()
    at().clock.now += 601_000
    for (const path of ['add-begin', `${id}/remove`])
      expect((await browser.post(`/v1/auth/passkeys/${path}`)).error.type).toBe('fresh_sign_in_needed')
  })

  it('does not sign in a disabled user', async () => {
    const { person, device } = await withPasskey()
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { disabled: 1 }))
    expect((await enter(device)).error.type).toBe('passkey_refused')
  })

  it('is limited to twenty per user', async () => {
    const { browser } = await withPasskey()
    for (let n = 1; n < 20; n += 1) expect((await add(browser, new Authenticator(origin()))).status).toBe(200)
    expect((await browser.post('/v1/auth/passkeys/add-begin')).error.type).toBe('too_many_passkeys')
  })

  it('is rejected with an error and without any effect when the input is malformed', async () => {
    const { device } = await withPasskey()
    const { ticket, options } = await beginSignIn()
    const right = device.get(options) as { response: object }
    for (const part of ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']) {
      for (const text of ['', 'AA', '{}', 'x'.repeat(5000)]) {
        const fresh = await beginSignIn()
        const response = { ...device.get(fresh.options), response: { ...right.response, [part]: text } }
        expect((await finish(fresh.ticket, response)).error.type).toBe('passkey_refused')
      }
    }
    expect((await finish(ticket, { ...right, id: 'unknown', rawId: 'unknown' })).error.type).toBe(
      'passkey_refused',
    )
  })

  it("is accepted only at the server's own URL", async () => {
    const headers = { origin: `http://127.0.0.1:${at().deps.config.port}` }
    const answer = await browserWith(at(), headers).post('/v1/auth/passkeys/begin')
    expect(answer.error).toMatchObject({ type: 'passkeys_unavailable', address: origin() })
    const right = await browserWith(at(), { origin: origin() }).post('/v1/auth/passkeys/begin')
    expect(right.status).toBe(200)
  })

  it("confirms a user's identity again, in the same dashboard session and with a new cookie", async () => {
    const { browser, device, person } = await withPasskey()
    const other = await withPasskey()
    at().clock.now += 601_000
    const confirm = async (by: Authenticator) => {
      const { ticket, options } = await beginSignIn()
      return browser.post('/v1/auth/passkeys/confirm', { ticket, response: by.get(options) })
    }
    expect((await confirm(other.device)).error.type).toBe('passkey_refused')
    const confirmed = await confirm(device)
    expect(confirmed.status).toBe(200)
    const renewed = browserAfter(at(), confirmed)
    expect((await renewed.post('/v1/auth/passkeys/add-begin')).status).toBe(200)
    expect((await renewed.get('/v1/sign-ins')).body.sign_ins).toHaveLength(1)
    expect((await browser.get('/v1/sign-ins')).error.type).toBe('unauthorized')
    expect((await renewed.get('/v1/me')).body.person).toMatchObject({ id: person.id })
  })

  it('is in the audit log when it is added, used and removed, but not when a ceremony only begins', async () => {
    const { id: customer } = await at().createCustomer()
    const { person, browser, device, id } = await withPasskey(await createPerson(at(), customer))
    await add(browser, new Authenticator(origin()))
    await enter(device)
    await enter(device, { isForged: true })
    await browser.post(`/v1/auth/passkeys/${id}/remove`)
    const entries = await rowsOf(at(), 'audit_entries', { customer_id: customer }, 'seq')
    expect(entries.filter(({ actor_id }) => actor_id === person.id).map(({ action }) => action)).toEqual(
      ['addFinish', 'addFinish', 'finish', 'remove'].map((name) => `v1.auth.passkeys.${name}`),
    )
    expect(JSON.parse(entries.find(({ action }) => action.endsWith('addFinish'))?.nouns ?? '')).toEqual({
      passkey_id: id,
    })
    expect(JSON.stringify(entries)).not.toContain(device.id.toString('base64url'))
    const begun = await at()
      .deps.db.read.selectFrom('audit_entries')
      .select('action')
      .where('action', 'like', '%egin')
      .execute()
    expect(begun).toEqual([])
  })
})

describe.each(anyEngine)('a setup link with a passkey on $name', (engine) => {
  const { at } = serverOn(engine)
  const origin = () => `http://localhost:${at().deps.config.port}`
  const ask = (path: string, body: object) => browserWith(at()).post(`/v1/auth/set-up/${path}`, body)
  const newLink = async () => {
    const { id } = await at().createCustomer()
    const address = await makeSetUpLink(at().deps, id)
    return { id, link: String(address).split('/').at(-1) ?? '' }
  }
  const named = (link: string) => ({ link, name: ' Owner ', email: `Owner-${link.slice(0, 8)}@example.com` })
  const begin = async (link: string) => (await ask('passkey-begin', named(link))).body as unknown as Begun

  it('creates an owner without a password, who is signed in and can return with the passkey', async () => {
    const { id, link } = await newLink()
    const { ticket, options } = await begin(link)
    const device = new Authenticator(origin())
    const done = await ask('passkey-finish', { ticket, response: device.create(options) })
    expect(done.body).toEqual({ success: true, done: true })
    const me = (await browserAfter(at(), done).get('/v1/me')).body
    expect(me).toMatchObject({
      role: 'owner',
      account: { id },
      person: { name: 'Owner', email: named(link).email.toLowerCase(), has_password: false },
    })
    const again = (await browserWith(at()).post('/v1/auth/passkeys/begin')).body as unknown as Begun
    const entered = await browserWith(at()).post('/v1/auth/passkeys/finish', {
      ticket: again.ticket,
      response: device.get(again.options),
    })
    expect((await browserAfter(at(), entered).get('/v1/me')).body.person).toEqual(me.person)
    expect((await ask('passkey-begin', named(link))).error.type).toBe('link_gone')
  })

  it('stays valid after a wrong answer, and creates one owner when two finish at the same time', async () => {
    const { link } = await newLink()
    const wrong = await begin(link)
    const lie = new Authenticator(origin()).create(wrong.options, { isUnverified: true })
    const answer = await ask('passkey-finish', { ticket: wrong.ticket, response: lie })
    expect(answer.error.type).toBe('passkey_refused')
    const begun = await Promise.all([begin(link), begin(link)])
    const answers = await Promise.all(
      begun.map(({ ticket, options }) =>
        ask('passkey-finish', { ticket, response: new Authenticator(origin()).create(options) }),
      ),
    )
    expect(answers.map(({ error }) => error.type ?? 'done').sort()).toEqual(['done', 'link_gone'])
    const people = await rowsOf(at(), 'people', { email: named(link).email.toLowerCase() })
    expect(people).toHaveLength(1)
  })

  it('is rejected if it is unknown or the email address is taken, and is not stored in plain text', async () => {
    const { link } = await newLink()
    expect((await ask('passkey-begin', named('made-up'))).error.type).toBe('link_gone')
    const { email } = await createPerson(at())
    expect((await ask('passkey-begin', { ...named(link), email })).error.type).toBe('email_already_taken')
    const { ticket } = await begin(link)
    const rows = await rowsOf(at(), 'single_uses')
    expect(rows.some(({ purpose }) => purpose === 'passkey_set_up')).toBe(true)
    for (const secret of [link, ticket]) expect(JSON.stringify(rows)).not.toContain(secret)
    expect(at().log.filter((line) => line.includes(link) || line.includes(ticket))).toEqual([])
  })
})

const config = (baseUrl: string | undefined) => ({ baseUrl, port: 8080 })

test.each([
  [undefined, 'localhost', 'http://localhost:8080'],
  ['http://127.0.0.1:9000', 'localhost', 'http://localhost:9000'],
  ['http://[::1]:9000', 'localhost', 'http://localhost:9000'],
  ['http://localhost', 'localhost', 'http://localhost'],
  ['https://ward.example.org', 'ward.example.org', 'https://ward.example.org'],
  ['https://ward.example.org:8443', 'ward.example.org', 'https://ward.example.org:8443'],
])('passkeys for the base URL %s belong to %s', (baseUrl, id, origin) => {
  expect(relyingParty(config(baseUrl))).toEqual({ id, origin })
})

test.each([
  'http://ward.example.org',
  'https://203.0.113.7',
  'http://203.0.113.7',
  'https://[2001:db8::1]',
  'https://127.0.0.1',
])('the base URL %s has no passkeys, and an error says so', (baseUrl) => {
  const refused = relyingParty(config(baseUrl))
  expect(refused instanceof Refused && refused.reason).toBe('passkeys_unavailable')
})
