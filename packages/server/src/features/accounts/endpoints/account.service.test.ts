/** The caller's own account: every way to send its API key, and replacing the key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { type Owner, serverOn } from '../../../../test/harness.ts'
import { type MailServer, startMailServer } from '../../../../test/mail-server.ts'
import { expire } from '../../../../test/nouns.ts'
import { browserOf } from '../../../../test/people/browsers.ts'
import { createPerson, type Seat } from '../../../../test/people.ts'
import { countRows } from '../../../../test/store/rows.ts'
import { changeRows, rowsOf } from '../../../../test/stored.ts'
import { furnish } from '../../../../test/subjects.ts'
import { watch } from '../../../../test/watch-events.ts'
import { openMailer } from '../../../platform/mail/mailer.ts'
import { ALL_SCOPES } from '../../access/scopes.ts'
import { resetApiKey } from '../api-keys.ts'
import { mailApiKeys } from '../mail-api-keys.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const SIGNAL = new AbortController().signal
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

describe.each(anyEngine)('/v1/account on $name', (engine) => {
  const { at } = serverOn(engine)
  let mails: MailServer
  beforeAll(async () => {
    mails = await startMailServer()
  })
  afterAll(() => mails.close())

  const mailNext = () => {
    const mailer = openMailer(mails.url, 'Scriptward <keys@example.com>')
    return mailApiKeys(at().deps, mailer).run(SIGNAL)
  }
  const isKey = async (apiKey: string) => (await at().client(apiKey).get('/v1/account')).status === 200
  const keyIn = (text: string) => /^sw_[A-Za-z0-9]{46}$/m.exec(text)?.[0] ?? ''
  const lastMail = () => mails.received.at(-1)
  const reset = (owner: Owner) => at().client().post(`/customers/${owner.apiKey}/reset`)

  describe('takes the key', () => {
    it('from either header or the query, and responds like the unversioned API with three additional fields', async () => {
      const owner = await at().createCustomer()
      const { customer } = (await owner.get(`/customers/${owner.apiKey}`)).body
      const bearer = { authorization: `Bearer ${owner.apiKey}` }
      const answers = [
        await owner.get('/v1/account'),
        await at().client().get('/v1/account', bearer),
        await at().client().get(`/v1/account?api_key=${owner.apiKey}`),
      ]
      const more = { allow_path_key: true, path_key_used_at: at().clock.now, api_key_waits: false }
      for (const { body } of answers)
        expect(body).toEqual({ success: true, customer: { ...(customer as object), ...more } })
      for (const path of ['executions', 'executors']) {
        expect((await at().client().get(`/v1/account/${path}?api_key=${owner.apiKey}`)).status).toBe(200)
      }
    })

    it('from the query or the body of a POST', async () => {
      const owner = await at().createCustomer()
      const byQuery = await at().client().post(`/v1/account/reset?api_key=${owner.apiKey}`)
      const byBody = await at()
        .client()
        .post('/v1/account/reset', { api_key: byQuery.string('api_key') })
      expect(await isKey(byBody.string('api_key'))).toBe(true)
    })

    it('from the header first, so that a wrong key there is rejected even if another one is sent', async () => {
      const owner = await at().createCustomer()
      const wrong = at().client('sw_wrong')
      expect((await wrong.get(`/v1/account?api_key=${owner.apiKey}`)).status).toBe(401)
      expect((await wrong.post('/v1/account/reset', { api_key: owner.apiKey })).status).toBe(401)
      expect(await isKey(owner.apiKey)).toBe(true)
    })

    it('before it validates the rest of a body', async () => {
      const owner = await at().createCustomer()
      const bodies = ['', '{', '[]', 'null', '{"api_key":1}', '{"api_key":null}', '{"api_key":"sw_wrong"}']
      for (const body of [...bodies, `{"__proto__":{"api_key":"${owner.apiKey}"}}`]) {
        const answer = await at().client().send('POST', '/v1/account/reset', { headers: JSON_BODY, body })
        expect(answer.error.type, body).toBe('unauthorized')
      }
      const twice = await at().client().get(`/v1/account?api_key=${owner.apiKey}&api_key=${owner.apiKey}`)
      expect(twice.status).toBe(401)
      const more = { api_key: owner.apiKey, force: true }
      expect((await at().client().post('/v1/account/reset', more)).error).toMatchObject({
        type: 'invalid_request',
        failed: [{ field: 'force' }],
      })
      expect(await isKey(owner.apiKey)).toBe(true)
    })
  })

  describe('POST /v1/account/reset', () => {
    it('replaces the key immediately and returns the new one', async () => {
      const owner = await at().createCustomer()
      const made = await owner.post('/v1/account/reset')
      expect(made.body).toEqual({ success: true, api_key: expect.stringMatching(/^sw_[A-Za-z0-9]{46}$/) })
      expect(await isKey(owner.apiKey)).toBe(false)
      expect(await isKey(made.string('api_key'))).toBe(true)
      expect((await owner.get('/v1/projects')).error.type).toBe('unauthorized')
    })

    it('gives a new key to only one of many concurrent calls with the same key', async () => {
      const owner = await at().createCustomer()
      const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post('/v1/account/reset')))
      const told = answers.filter(({ status }) => status === 200)
      expect(told).toHaveLength(1)
      for (const { status } of answers) expect([200, 401]).toContain(status)
      expect(await isKey(told[0]?.string('api_key') ?? '')).toBe(true)
    })

    it('keeps the previous key valid during the grace period, on every path and in every location', async () => {
      const { owner, ids } = await furnish(at())
      const next = (await owner.post('/v1/account/reset', { overlap_ms: HOUR_MS })).string('api_key')
      for (const apiKey of [owner.apiKey, next]) {
        const client = at().client(apiKey)
        expect((await client.get(`/v1/projects/${ids.project_id}`)).status).toBe(200)
        expect((await client.get('/v1/projects')).status).toBe(200)
        expect((await at().client().get(`/customers/${apiKey}`)).status).toBe(200)
        expect((await at().client().get(`/v1/account?api_key=${apiKey}`)).status).toBe(200)
      }
      at().clock.now += HOUR_MS
      expect([await isKey(owner.apiKey), await isKey(next)]).toEqual([false, true])
    })

    it('revokes the previous key with the next reset, by the account or an operator', async () => {
      const HOUR = { overlap_ms: HOUR_MS }
      const resets: readonly ((owner: Owner, next: string) => Promise<unknown>)[] = [
        (_, next) => at().client(next).post('/v1/account/reset', HOUR),
        (_, next) => at().client().post(`/customers/${next}/reset`),
        (owner) => at().admin.post(`/v1/admin/customers/${owner.id}/reset`),
      ]
      for (const again of resets) {
        const owner = await at().createCustomer()
        const next = (await owner.post('/v1/account/reset', HOUR)).string('api_key')
        await again(owner, next)
        expect(await isKey(owner.apiKey)).toBe(false)
      }
      while (await mailNext());
    })

    it('prevents a previous key from replacing its successor or changing owners', async () => {
      const owner = await at().createCustomer()
      const next = (await owner.post('/v1/account/reset', { overlap_ms: HOUR_MS })).string('api_key')
      const refused = [
        await owner.post('/v1/account/reset'),
        await at().client().post('/v1/account/reset', { api_key: owner.apiKey }),
        await at().client().post(`/customers/${owner.apiKey}/reset`),
        await owner.post('/v1/members/invite', { email: 'thief@example.com', role: 'owner' }),
      ]
      expect(refused.map(({ error }) => error.type)).toEqual([
        ...['forbidden', 'forbidden', 'forbidden', 'owners_only'],
      ])
      expect([await isKey(owner.apiKey), await isKey(next)]).toEqual([true, true])
    })

    it('closes a stream of the previous key within a second after the grace period', async () => {
      const { owner, ids } = await furnish(at())
      const stream = await watch(`${at().url}/v1/projects/${ids.project_id}/sessions/events`, owner.apiKey)
      await stream.next()
      await owner.post('/v1/account/reset', { overlap_ms: HOUR_MS })
      at().clock.now += HOUR_MS
      await stream.ended()
    })

    it('returns the key to owners, and to no other role or token, whatever their scopes', async () => {
      const owner = await at().createCustomer()
      const scopes = ALL_SCOPES.filter((one) => one !== 'admin')
      const token = await owner.post('/v1/tokens/new', { name: 'CI', scopes })
      const as = async (seat: Seat) => browserOf(at(), await createPerson(at(), owner.id, seat))
      const others = [
        at().client(token.string('secret')),
        await as({ role: 'admin' }),
        await as({ role: 'custom', scopes }),
      ]
      for (const other of others)
        expect((await other.post('/v1/account/reset')).error).toMatchObject({
          ...{ type: 'forbidden', needs: 'an owner of the account, or its latest API key' },
        })
      expect(await isKey(owner.apiKey)).toBe(true)
      const replaced = await (await as({ role: 'owner' })).post('/v1/account/reset')
      expect(await isKey(replaced.string('api_key'))).toBe(true)
    })

    it('limits the grace period to a day', async () => {
      const owner = await at().createCustomer()
      for (const overlap_ms of [24 * HOUR_MS + 1, -1, 1.5, '1'])
        expect((await owner.post('/v1/account/reset', { overlap_ms })).error).toMatchObject({
          type: 'invalid_request',
          failed: [{ field: 'overlap_ms' }],
        })
      expect((await owner.post('/v1/account/reset', { overlap_ms: 24 * HOUR_MS })).status).toBe(200)
    })

    it('works for an expired account', async () => {
      const owner = await at().createCustomer()
      await expire(at(), owner.id)
      expect((await owner.post('/v1/account/reset')).status).toBe(200)
    })

    it('revokes and deletes a key that was not yet mailed', async () => {
      const owner = await at().createCustomer()
      await reset(owner)
      const before = mails.received.length
      await changeRows(at(), 'customers', { id: owner.id }, { api_key_hash: 'known' })
      await resetApiKey(at().deps, { id: owner.id, api_key_hash: 'known', email: 'owner@example.com' })
      expect(await mailNext()).toBe(false)
      expect(mails.received).toHaveLength(before)
    })
  })

  describe('POST /v1/account/edit', () => {
    it('disables the paths that contain the API key, and enables them again', async () => {
      const owner = await at().createCustomer()
      const inPath = async () => (await at().client().get(`/customers/${owner.apiKey}/projects`)).error.type
      const shown = async (body: object) => (await owner.post('/v1/account/edit', body)).body.customer
      expect(await shown({ allow_path_key: false })).toMatchObject({
        ...{ id: owner.id, allow_path_key: false, path_key_used_at: null },
      })
      expect(await inPath()).toBe('path_key_closed')
      expect((await owner.get('/v1/account')).body.customer).toMatchObject({ allow_path_key: false })
      expect(await shown({ allow_path_key: true })).toMatchObject({ allow_path_key: true })
      expect(await inPath()).toBeUndefined()
      expect((await owner.get('/v1/account')).body.customer).toMatchObject({
        path_key_used_at: at().clock.now,
      })
    })

    it('is rejected without a field', async () => {
      const owner = await at().createCustomer()
      for (const body of [{}, { allow_path_key: null }])
        expect((await owner.post('/v1/account/edit', body)).error).toMatchObject({
          ...{ type: 'cannot_edit_nothing', code: 0 },
        })
    })
  })

  describe('POST /customers/:api_key/reset', () => {
    it("sends the new key only to the account's email address", async () => {
      const owner = await at().createCustomer({
        email: `author-${at().location.dataDir.slice(-6)}@example.com`,
      })
      expect((await reset(owner)).text).toBe('{"success":true}')
      expect(await isKey(owner.apiKey)).toBe(false)
      expect(await mailNext()).toBe(true)
      expect(lastMail()).toMatchObject({ from: 'keys@example.com', to: expect.stringMatching(/^author-/i) })
      expect(await isKey(keyIn(lastMail()?.text ?? ''))).toBe(true)
      expect(await mailNext()).toBe(false)
      expect(await countRows(at().deps.db.read, 'waiting_api_keys')).toBe(0)
    })

    it('retries with a backoff when a mail is not accepted', async () => {
      const owner = await at().createCustomer()
      await reset(owner)
      mails.refuse = true
      await expect(mailNext()).rejects.toThrow(/^the email could not be sent: EMESSAGE 554 DATA$/)
      expect(await mailNext()).toBe(false)
      at().clock.now += MINUTE_MS
      await expect(mailNext()).rejects.toThrow('554')
      at().clock.now += 4 * MINUTE_MS - 1
      mails.refuse = false
      expect(await mailNext()).toBe(false)
      at().clock.now += 1
      expect(await mailNext()).toBe(true)
      expect(await isKey(keyIn(lastMail()?.text ?? ''))).toBe(true)
    })

    it('keeps the key when the process crashes between sending the mail and recording it', async () => {
      const owner = await at().createCustomer()
      await reset(owner)
      const died = new Error('killed')
      const mailer = { send: () => Promise.reject(died) }
      await expect(mailApiKeys(at().deps, mailer).run(SIGNAL)).rejects.toBe(died)
      at().clock.now += MINUTE_MS
      expect(await mailNext()).toBe(true)
      expect(await isKey(keyIn(lastMail()?.text ?? ''))).toBe(true)
    })

    it('mails a key once when several processes send mails concurrently', async () => {
      for (let i = 0; i < 5; i += 1) await reset(await at().createCustomer())
      const before = mails.received.length
      const done = await Promise.all(Array.from({ length: 12 }, mailNext))
      while (await mailNext());
      expect(done.filter(Boolean).length).toBeGreaterThan(0)
      const keys = mails.received.slice(before).map(({ text }) => keyIn(text))
      expect([keys.length, new Set(keys).size]).toEqual([5, 5])
    })

    it('stores the new key encrypted, and writes it to no line of the log', async () => {
      const owner = await at().createCustomer()
      await reset(owner)
      const [row] = await rowsOf(at(), 'waiting_api_keys')
      await mailNext()
      const apiKey = keyIn(lastMail()?.text ?? '')
      expect(Buffer.from(row?.sealed ?? []).includes(String(apiKey))).toBe(false)
      const told = await at().client().post(`/v1/account/reset?api_key=${apiKey}`)
      for (const secret of [owner.apiKey, apiKey, told.string('api_key')])
        expect(at().log.filter((line) => line.includes(secret))).toEqual([])
    })
  })
})

describe.each(anyEngine)('POST /customers/:api_key/reset without a mail server on $name', (engine) => {
  const { at } = serverOn(engine, { config: { mail: undefined } })

  it('is rejected with 503 where no owner can sign in, and the key stays valid', async () => {
    const owner = await at().createCustomer()
    await createPerson(at(), owner.id, { role: 'admin' })
    const disabled = await createPerson(at(), owner.id, { role: 'owner' })
    await changeRows(at(), 'people', { id: disabled.id }, { disabled: 1 })
    const answer = await at().client().post(`/customers/${owner.apiKey}/reset`)
    expect([answer.status, answer.error]).toEqual([
      503,
      expect.objectContaining({
        code: 0,
        type: 'mail_not_configured',
        message: expect.stringContaining('has no owner who could sign in'),
      }),
    ])
    expect((await owner.get('/v1/account')).status).toBe(200)
    expect(await countRows(at().deps.db.read, 'waiting_api_keys')).toBe(0)
    expect((await at().client().post('/customers/sw_wrong/reset')).status).toBe(401)
  })

  it('holds the new key for an owner who signs in, and shows it once', async () => {
    const account = await at().createCustomer()
    const as = async (seat: Seat) => browserOf(at(), await createPerson(at(), account.id, seat))
    const [owner, admin] = [await as({ role: 'owner' }), await as({ role: 'admin' })]
    const waits = async () => (await owner.get('/v1/account')).body.customer
    expect((await owner.post('/v1/account/waiting-key')).error.type).toBe('no_api_key_waits')
    expect(await waits()).toMatchObject({ api_key_waits: false })
    expect((await at().client().post(`/customers/${account.apiKey}/reset`)).text).toBe('{"success":true}')
    expect((await account.get('/v1/account')).status).toBe(401)
    expect(await waits()).toMatchObject({ api_key_waits: true })
    expect((await admin.post('/v1/account/waiting-key')).error).toMatchObject({
      ...{ type: 'forbidden', needs: 'an owner of the account, or its latest API key' },
    })
    const apiKey = (await owner.post('/v1/account/waiting-key')).string('api_key')
    expect((await at().client(apiKey).get('/v1/account')).status).toBe(200)
    expect((await owner.post('/v1/account/waiting-key')).error.type).toBe('no_api_key_waits')
    expect(await waits()).toMatchObject({ api_key_waits: false })
    for (const secret of [account.apiKey, apiKey])
      expect(at().log.filter((line) => line.includes(secret))).toEqual([])
  })

  it('discards a waiting key when the API key is replaced again', async () => {
    const account = await at().createCustomer()
    const owner = await browserOf(at(), await createPerson(at(), account.id, { role: 'owner' }))
    await at().client().post(`/customers/${account.apiKey}/reset`)
    await owner.post('/v1/account/reset')
    expect((await owner.post('/v1/account/waiting-key')).error.type).toBe('no_api_key_waits')
  })
})
