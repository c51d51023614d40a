/** Each security event is logged with its cause and network, and without secrets. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import path from 'node:path'
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it, test } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner, createUser } from '../../../test/nouns.ts'
import { Surfer } from '../../../test/pages/surfer.ts'
import { Authenticator, type Options } from '../../../test/people/authenticator.ts'
import { type Browser, browserAfter, browserOf, browserWith } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { makeScene } from '../../../test/protocol/scene.ts'
import { deliver, startReceiver, status } from '../../../test/webhooks/receiver.ts'
import { Refused } from '../../api/refusals.ts'
import { issueOnce } from '../access/single-use.ts'
import { makeResetLink } from '../people/sign-in/reset.ts'
import { updatePerson } from '../people/store/people.ts'
import { type SecurityEvent, securityEvents } from './security-events.ts'

type Line = Readonly<Record<string, unknown>>
const HERE = '127.0.0.1'
const DAY_MS = 86_400_000
const PASSWORD = 'seven green bottles'
const OTHER = 'nine yellow submarines'

describe.each(anyEngine)('the security log on $name', (engine) => {
  const { at } = serverOn(engine, {
    config: { clientRates: 1, apiRates: 1, webhookAllowHttp: true, webhookAllowCidr: ['127.0.0.0/8'] },
  })
  const seen = new Set<string>()

  /** Returns the records that `deed` logs, without the fields common to all lines. */
  async function recordsOf(deed: () => Promise<unknown>): Promise<Line[]> {
    const from = at().log.length
    await deed()
    const lines = at().log.slice(from)
    for (const secret of [PASSWORD, OTHER, '"swt_', '"sw_']) expect(lines.join('')).not.toContain(secret)
    const records = lines.map((line) => JSON.parse(line) as Line).filter(({ event }) => event !== undefined)
    for (const { event } of records) seen.add(String(event))
    return records.map(({ level, time, msg, request_id, ...members }) => {
      expect([level, msg]).toEqual([kindOf(members).level, kindOf(members).message])
      expect(Object.keys(members).filter((name) => !['event', 'skipped'].includes(name))).toEqual(
        kindOf(members).members,
      )
      return members
    })
  }
  const kindOf = ({ event }: Line) => securityEvents[event as SecurityEvent]
  const nextDay = () => {
    at().clock.now += DAY_MS
  }
  const personWith = async (owner: Owner) => {
    const person = await createPerson(at(), owner.id)
    const browser = await browserOf(at(), person)
    await browser.post('/v1/auth/password/change', { password: PASSWORD })
    return person
  }
  const enter = (email: string, password: string) =>
    browserWith(at()).post('/v1/auth/password', { email, password })

  it('records logins, logouts and failed logins with their reason', async () => {
    const owner = await at().createCustomer()
    const { id, email } = await personWith(owner)
    const refused = (person: string | null, why: string) => ({
      ...{ event: 'sign_in_refused', person, network: HERE, why },
    })
    const own = { person: id, network: HERE }
    expect(await recordsOf(() => enter('nobody@example.com', OTHER))).toEqual([
      refused(null, 'wrong_password'),
    ])
    const came = await recordsOf(async () =>
      browserAfter(at(), await enter(email, PASSWORD)).post('/v1/auth/sign-out'),
    )
    expect(came).toEqual([
      { event: 'signed_in', ...own },
      { event: 'signed_out', ...own },
    ])
    const wrong = await recordsOf(async () => {
      for (let n = 0; n < 6; n += 1) await enter(email, OTHER)
    })
    expect(wrong).toEqual([
      ...Array.from({ length: 5 }, () => refused(id, 'wrong_password')),
      refused(id, 'too_many_tries'),
    ])
    nextDay()
    await at().deps.db.transaction((tx) => updatePerson(tx, id, { disabled: 1 }))
    expect(await recordsOf(() => enter(email, PASSWORD))).toEqual([refused(id, 'disabled')])
  })

  it('records password guessing once a day per dashboard user', async () => {
    nextDay()
    const { id, email } = await personWith(await at().createCustomer())
    const guesses = await recordsOf(async () => {
      for (let n = 0; n < 26; n += 1) {
        await enter(email, OTHER)
        if (n % 5 === 4) at().clock.now += 15 * 60_000
      }
    })
    expect(guesses.filter(({ event }) => event === 'password_guessed')).toEqual([
      { event: 'password_guessed', person: id, network: HERE },
    ])
    nextDay()
  })

  it('records a rejected passkey', async () => {
    nextDay()
    const device = new Authenticator(`http://localhost:${at().deps.config.port}`)
    const browser = browserWith(at())
    const { ticket, options } = (await browser.post('/v1/auth/passkeys/begin')).body
    const response = device.get(options as Options)
    expect(await recordsOf(() => browser.post('/v1/auth/passkeys/finish', { ticket, response }))).toEqual([
      { event: 'sign_in_refused', person: null, network: HERE, why: 'wrong_passkey' },
    ])
  })

  it('records added, rejected and removed second factors', async () => {
    nextDay()
    const owner = await at().createCustomer()
    const { id, email } = await personWith(owner)
    const browser = browserAfter(at(), await enter(email, PASSWORD))
    const change = { account: owner.id, actor: id, subject: null, network: HERE }
    const secret = (await browser.post('/v1/auth/totp/begin')).string('secret')
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at().clock.now })
    expect(await recordsOf(() => browser.post('/v1/auth/totp/finish', { code }))).toEqual([
      { event: 'factor_added', ...change },
    ])
    const refused = (why: string) => ({ event: 'second_factor_refused', person: id, network: HERE, why })
    const { ticket } = (await enter(email, PASSWORD)).body
    expect(
      await recordsOf(() => browserWith(at()).post('/v1/auth/second-factor', { ticket, code: '000000' })),
    ).toEqual([refused('wrong_code')])
    const confirming = await recordsOf(async () => {
      for (let n = 0; n < 5; n += 1) await browser.post('/v1/auth/confirm', { code: '000000' })
    })
    expect(confirming).toEqual([
      ...Array.from({ length: 4 }, () => refused('wrong_code')),
      refused('too_many_tries'),
    ])
    expect(await recordsOf(() => browser.post('/v1/auth/recovery-codes/new'))).toEqual([
      { event: 'recovery_codes_made', ...change },
    ])
    expect(await recordsOf(() => browser.post('/v1/auth/totp/remove'))).toEqual([
      { event: 'factor_removed', ...change },
    ])
  })

  it('records changes to how a dashboard user signs in', async () => {
    nextDay()
    const owner = await at().createCustomer()
    const { id, email } = await personWith(owner)
    let browser: Browser = browserAfter(at(), await enter(email, PASSWORD))
    const change = { account: owner.id, actor: id, subject: null, network: HERE }
    const changed = await recordsOf(async () => {
      browser = browserAfter(at(), await browser.post('/v1/auth/password/change', { password: OTHER }))
      browser = browserAfter(at(), await browser.post('/v1/auth/person/email', { email: `new-${email}` }))
      await browser.post('/v1/sign-ins/end-others')
    })
    expect(changed).toEqual([
      { event: 'password_changed', ...change },
      { event: 'email_changed', ...change },
      { event: 'sign_ins_ended', ...change },
    ])
    const link = await makeResetLink(at().deps, id, { factors: false })
    if (link instanceof Refused) throw new Error(link.reason)
    const reset = { link: link.split('/').at(-1), password: PASSWORD }
    expect(await recordsOf(() => browserWith(at()).post('/v1/auth/reset', reset))).toEqual([
      { event: 'signed_in', person: id, network: HERE },
      { event: 'password_reset', ...change },
    ])
  })

  it('records changes to tokens, keys and members, and changes by operators', async () => {
    nextDay()
    const owner = await at().createCustomer()
    const change = { account: owner.id, actor: 'api_key', network: HERE }
    const { body } = await owner.post('/v1/tokens/new', { name: 'CI', scopes: ['projects:read'] })
    const { id } = body.token as { id: string }
    const tokens = await recordsOf(async () => {
      await owner.post('/v1/tokens/new', { name: 'CD', scopes: ['projects:read'] })
      await owner.post(`/v1/tokens/${id}/edit`, { name: 'Shop CI' })
      await owner.post(`/v1/tokens/${id}/rotate`, {})
      await owner.post(`/v1/tokens/${id}/revoke`)
    })
    expect(tokens).toEqual([
      { event: 'token_made', ...change, subject: expect.stringMatching(/^tok_/) },
      ...['token_edited', 'token_rotated', 'token_revoked'].map((event) => ({
        event,
        ...change,
        subject: id,
      })),
    ])
    const person = await createPerson(at(), owner.id, { role: 'reader' })
    const members = (await owner.get('/v1/members')).body.members as { id: string; person: { id: string } }[]
    const member = members.find((one) => one.person.id === person.id)?.id ?? ''
    const invited = { email: 'grace@example.com', role: 'reader' }
    const changed = await recordsOf(async () => {
      await owner.post('/v1/members/invite', invited)
      await owner.post(`/v1/members/${member}/edit`, { role: 'support' })
      await owner.post(`/v1/members/${member}/remove`)
      await owner.post('/v1/account/reset')
    })
    expect(changed).toEqual([
      { event: 'member_invited', ...change, subject: expect.stringMatching(/^inv_/) },
      { event: 'member_edited', ...change, subject: member },
      { event: 'member_removed', ...change, subject: member },
      { event: 'key_reset', ...change, subject: null },
    ])
    const removed = await createPerson(at(), owner.id)
    const objection = { purpose: 'owner_objection', personId: removed.id, customerId: owner.id } as const
    const link = await at().deps.db.transaction((tx) =>
      issueOnce(at().deps, tx, { ...objection, forMs: DAY_MS }),
    )
    const restored = await recordsOf(() => browserWith(at()).post('/v1/auth/objection', { link }))
    expect(restored).toEqual([
      {
        ...{ event: 'owner_restored', account: owner.id, actor: removed.id, network: HERE },
        subject: expect.stringMatching(/^mem_/),
      },
    ])
    const blocked = await recordsOf(() =>
      at().admin.post(`/v1/admin/customers/${owner.id}/blacklist`, { reason: 'spam' }),
    )
    expect(blocked).toEqual(
      [...[{ event: 'operator_change', ...change, account: null, subject: owner.id }]].map((one) => ({
        ...one,
        action: 'admin.customers.blacklist',
      })),
    )
  })

  it('records a pause after wrong keys only once, wherever the keys were tried', async () => {
    nextDay()
    const { client, scriptId } = await makeScene(at())
    const paused = (where: string) => ({ event: 'keys_paused', network: HERE, where, ms: 900_000 })
    const run = () =>
      recordsOf(async () => {
        for (let n = 0; n < 8; n += 1) await client.run(scriptId, { key: `wrong ${n}` })
      })
    expect(await run()).toEqual([paused('client')])
    at().clock.now += 900_000
    expect(await run()).toEqual([paused('client')])
    const surfer = new Surfer()
    await surfer.open(`${at().url}/me`)
    const page = await recordsOf(async () => {
      for (let n = 0; n < 8; n += 1) await surfer.submit('name="key"', { key: `wrong ${n}` })
    })
    expect(page).toEqual([paused('page')])
  })

  it('records a limit that a network exceeds once per 15 minutes, with the number of skipped records', async () => {
    nextDay()
    const guess = () =>
      recordsOf(() =>
        Promise.all(Array.from({ length: 30 }, () => at().client('sw_none').get('/v1/projects'))),
      )
    const limited = { event: 'limit_reached', network: HERE, limit: 'wrong_credential' }
    expect(await guess()).toEqual([limited])
    expect(await guess()).toEqual([])
    at().clock.now += 900_000
    expect(await guess()).toEqual([{ ...limited, skipped: 39 }])
  })

  it('records a paused webhook endpoint once', async () => {
    nextDay()
    const receiver = await startReceiver(status(410))
    const { owner, project } = await createOwner(at(), {}, { information_webhook: receiver.url })
    await createUser(owner, project)
    expect(await recordsOf(() => deliver(at()))).toEqual([
      { event: 'webhook_paused', project, kind: 'information', why: 'gone' },
    ])
    expect(await recordsOf(() => deliver(at()))).toEqual([])
    await receiver.close()
  })

  it('records an untrusted proxy once', async () => {
    const forwarded = async (localAddress: string) => {
      const headers = { 'x-forwarded-for': '192.0.2.7' }
      const [answer] = await once(get(`${at().url}/healthz`, { localAddress, headers }), 'response')
      answer.resume()
      await once(answer, 'end')
    }
    const records = await recordsOf(async () => {
      await forwarded('127.0.0.2')
      await forwarded('127.0.0.3')
    })
    expect(records).toEqual([{ event: 'unknown_proxy', peer: '127.0.0.2' }])
  })

  it('covers every declared event', () => {
    expect([...seen].sort()).toEqual(Object.keys(securityEvents).sort())
  })
})

test('the guide documents every event with its fields', () => {
  const guide = readFileSync(path.join(import.meta.dirname, '../../../../../docs/logs.md'), 'utf8')
  const rows = guide.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \| [^|]+ \|$/gm)
  const described = [...rows].map(([, event, members = '']) => [event, members.match(/\w+/g)])
  expect(described).toEqual(Object.entries(securityEvents).map(([event, { members }]) => [event, members]))
})
