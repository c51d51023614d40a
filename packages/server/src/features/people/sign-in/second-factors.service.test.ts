/**
 * Authenticator apps and recovery codes: each code works once, failed attempts are limited, and each secret
 * is shown once.
 */
import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../../test/answers.ts'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn, type TestServer } from '../../../../test/harness.ts'
import { browserAfter, browserOf, browserWith } from '../../../../test/people/browsers.ts'
import { createPerson } from '../../../../test/people.ts'
import { rowsOf } from '../../../../test/stored.ts'
import { issueOnce } from '../../access/single-use.ts'
import { updatePerson } from '../store/people.ts'
import type { PersonRow } from '../store/sign-ins.ts'

const STEP_MS = 30_000
const MINUTE_MS = 60_000

describe.each(anyEngine)('an authenticator app on $name', (engine) => {
  const { at } = serverOn(engine)
  /**
   * All requests come from one IP address, so each test first advances the clock past the previous test's
   * rate limits.
   */
  const later = () => {
    at().clock.now += 24 * 60 * MINUTE_MS
  }
  const ticketOf = (person: PersonRow) =>
    at().deps.db.transaction((tx) =>
      issueOnce(at().deps, tx, { purpose: 'second_factor', personId: person.id, forMs: 10 * MINUTE_MS }),
    )
  const enter = async (person: PersonRow, code: string, ticket?: string) =>
    browserWith(at()).post('/v1/auth/second-factor', { ticket: ticket ?? (await ticketOf(person)), code })

  it('is active from its first correct code on, and then completes a login', async () => {
    later()
    const person = await createPerson(at())
    const browser = await browserOf(at(), person)
    const begun = await browser.post('/v1/auth/totp/begin')
    expect(begun.string('uri')).toMatch(/^otpauth:\/\/totp\/Scriptward:.*secret=[A-Z2-7]{32}/)
    expect((await enter(person, codeOf(begun.string('secret'), at()))).error.type).toBe('wrong_code')
    expect((await browser.post('/v1/auth/totp/finish', { code: '000000' })).error.type).toBe('wrong_code')
    const done = await browser.post('/v1/auth/totp/finish', { code: codeOf(begun.string('secret'), at()) })
    expect(done.body.recovery_codes).toHaveLength(10)
    at().clock.now += STEP_MS
    const entered = await enter(person, codeOf(begun.string('secret'), at()))
    expect(entered.body).toEqual({ success: true, done: true })
    expect((await browserAfter(at(), entered).get('/v1/auth/passkeys')).status).toBe(200)
  })

  it('can be confirmed for 10 minutes, and only the latest setup counts', async () => {
    later()
    const browser = await browserOf(at(), await createPerson(at()))
    const first = (await browser.post('/v1/auth/totp/begin')).string('secret')
    const second = (await browser.post('/v1/auth/totp/begin')).string('secret')
    const finish = (secret: string) => browser.post('/v1/auth/totp/finish', { code: codeOf(secret, at()) })
    expect((await finish(first)).error.type).toBe('wrong_code')
    at().clock.now += 10 * MINUTE_MS
    expect((await finish(second)).error.type).toBe('totp_not_begun')
  })

  it('can be set up, removed and given new recovery codes only with a recent login', async () => {
    later()
    const { browser } = await withApp(at())
    at().clock.now += 11 * MINUTE_MS
    for (const path of ['totp/begin', 'totp/remove', 'recovery-codes/new'])
      expect((await browser.post(`/v1/auth/${path}`)).error.type).toBe('fresh_sign_in_needed')
  })

  it('accepts the codes of the adjacent time steps, and no others', async () => {
    later()
    const { person, secret } = await withApp(at())
    at().clock.now += 10 * STEP_MS
    expect((await enter(person, codeOf(secret, at(), -2))).error.type).toBe('wrong_code')
    expect((await enter(person, codeOf(secret, at(), 2))).error.type).toBe('wrong_code')
    expect((await enter(person, codeOf(secret, at(), -1))).status).toBe(200)
    const spaced = codeOf(secret, at(), 1).replace(/^.../, '$& ')
    expect((await enter(person, spaced)).status).toBe(200)
  })

  it('signs in once with a code, and with no earlier one afterwards', async () => {
    later()
    const { person, secret } = await withApp(at())
    at().clock.now += 10 * STEP_MS
    const code = codeOf(secret, at())
    expect((await enter(person, code)).status).toBe(200)
    expect((await enter(person, code)).error.type).toBe('wrong_code')
    expect((await enter(person, codeOf(secret, at(), -1))).error.type).toBe('wrong_code')
  })

  it('signs in once with the code that set it up', async () => {
    later()
    const { person, secret } = await withApp(at())
    expect((await enter(person, codeOf(secret, at()))).error.type).toBe('wrong_code')
  })

  it('signs in once when requests with the same code arrive at the same time', async () => {
    later()
    const { person, secret } = await withApp(at())
    at().clock.now += 10 * STEP_MS
    const code = codeOf(secret, at())
    const answers = await Promise.all([1, 2, 3, 4].map(() => enter(person, code)))
    expect(typesOf(answers)).toEqual(['done', 'wrong_code', 'wrong_code', 'wrong_code'])
  })

  it('signs in once with a recovery code, no matter how it is typed, even with concurrent requests', async () => {
    later()
    const { person, codes } = await withApp(at())
    expect(new Set(codes).size).toBe(10)
    const answers = await Promise.all([1, 2, 3, 4].map(() => enter(person, codes[0] ?? '')))
    expect(typesOf(answers)).toEqual(['done', 'wrong_code', 'wrong_code', 'wrong_code'])
    const typed = ` ${codes[1]?.toUpperCase().replaceAll('-', ' ')}`
    at().clock.now += 30 * MINUTE_MS
    expect((await enter(person, typed)).status).toBe(200)
    expect((await enter(person, codes[1] ?? '')).error.type).toBe('wrong_code')
  })

  it('accepts no recovery code of another user, and none that has been replaced', async () => {
    later()
    const [one, other] = [await withApp(at()), await withApp(at())]
    expect((await enter(one.person, other.codes[0] ?? '')).error.type).toBe('wrong_code')
    const renewed = await one.browser.post('/v1/auth/recovery-codes/new')
    const [fresh = ''] = renewed.body.recovery_codes as string[]
    expect((await enter(one.person, one.codes[0] ?? '')).error.type).toBe('wrong_code')
    expect((await enter(one.person, fresh)).status).toBe(200)
    expect((await enter(other.person, other.codes[0] ?? '')).status).toBe(200)
  })

  it('is gone with its recovery codes once it is removed', async () => {
    later()
    const { person, browser, secret, codes } = await withApp(at())
    expect((await browser.post('/v1/auth/totp/remove')).status).toBe(200)
    at().clock.now += STEP_MS
    expect((await enter(person, codeOf(secret, at()))).error.type).toBe('wrong_code')
    expect((await enter(person, codes[0] ?? '')).error.type).toBe('wrong_code')
    for (const path of ['totp/remove', 'recovery-codes/new'])
      expect((await browser.post(`/v1/auth/${path}`)).error.type).toBe('no_authenticator_app')
  })

  it('allows five attempts per pending-login token, even in parallel, and then rejects the correct code', async () => {
    later()
    const { person, secret } = await withApp(at())
    at().clock.now += STEP_MS
    const ticket = await ticketOf(person)
    const answers = await Promise.all(Array.from({ length: 15 }, () => enter(person, '000000', ticket)))
    expect(answers.filter(({ error }) => error.type === 'wrong_code')).toHaveLength(5)
    expect(answers.filter(({ error }) => error.type === 'ticket_gone')).toHaveLength(10)
    expect(
      answers
        .map(({ error }) => error.tries_left ?? '')
        .sort()
        .slice(-5),
    ).toEqual([0, 1, 2, 3, 4])
    expect((await enter(person, codeOf(secret, at()), ticket)).error.type).toBe('ticket_gone')
  })

  it('accepts a pending-login token once, within 10 minutes, and only for its user', async () => {
    later()
    const [one, other] = [await withApp(at()), await withApp(at())]
    at().clock.now += STEP_MS
    const ticket = await ticketOf(one.person)
    expect((await enter(other.person, codeOf(other.secret, at()), ticket)).error.type).toBe('wrong_code')
    expect((await enter(one.person, codeOf(one.secret, at()), ticket)).status).toBe(200)
    expect((await enter(one.person, one.codes[0] ?? '', ticket)).error.type).toBe('ticket_gone')
    const old = await ticketOf(one.person)
    at().clock.now += 10 * MINUTE_MS
    expect((await enter(one.person, one.codes[0] ?? '', old)).error.type).toBe('ticket_gone')
    expect((await enter(one.person, one.codes[0] ?? '', 'made-up')).error.type).toBe('ticket_gone')
  })

  it('does not let in a disabled user', async () => {
    later()
    const { person, codes } = await withApp(at())
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { disabled: 1 }))
    expect((await enter(person, codes[0] ?? '')).error.type).toBe('ticket_gone')
  })

  it('leaves no secret in the log, the audit log, the database or a later response', async () => {
    later()
    const { person, browser, secret, codes } = await withApp(at())
    at().clock.now += STEP_MS
    const ticket = await ticketOf(person)
    const code = codeOf(secret, at())
    const entered = await enter(person, code, ticket)
    const [cookie = ''] = entered.headers.getSetCookie()
    const rows = await Promise.all(
      (['people', 'recovery_codes', 'single_uses', 'audit_entries', 'sign_ins'] as const).map((table) =>
        at().deps.db.read.selectFrom(table).selectAll().execute(),
      ),
    )
    const stored = JSON.stringify(rows.flat().map(textsOf))
    const places = [stored, ...at().log]
    const plain = codes.map((one) => one.replaceAll('-', ''))
    const value = cookie.split(/[=;]/)[1] ?? ''
    expect(value.length).toBeGreaterThan(40)
    for (const one of [secret, ticket, value, ...codes, ...plain])
      expect(places.filter((text) => text.includes(one))).toEqual([])
    expect(at().log.filter((line) => line.includes(`"${code}"`))).toEqual([])
    expect((await browser.get('/v1/auth/passkeys')).text).not.toContain(secret)
  })

  it('records in the audit log who set it up, signed in with it and removed it', async () => {
    later()
    const { id } = await at().createCustomer()
    const { person, browser, codes } = await withApp(at(), await createPerson(at(), id))
    await enter(person, 'wrong-code')
    await enter(person, codes[0] ?? '')
    await browser.post('/v1/auth/totp/remove')
    const entries = await rowsOf(at(), 'audit_entries', { actor_id: person.id }, 'seq')
    expect(entries.map(({ action, customer_id, actor_kind }) => [action, customer_id, actor_kind])).toEqual(
      ['totp.finish', 'secondFactor', 'totp.remove'].map((name) => [`v1.auth.${name}`, id, 'person']),
    )
  })
})

describe.each(anyEngine)('second-factor codes on $name', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })

  it('are limited per user, no matter how many pending-login tokens there are: 5 from a network, and 5 more every 15 minutes', async () => {
    const { person, secret } = await withApp(at())
    const enter = async (code: string) => {
      const ticket = await at().deps.db.transaction((tx) =>
        issueOnce(at().deps, tx, { purpose: 'second_factor', personId: person.id, forMs: MINUTE_MS }),
      )
      return browserWith(at()).post('/v1/auth/second-factor', { ticket, code })
    }
    for (let n = 0; n < 5; n += 1) expect((await enter('000000')).error.type).toBe('wrong_code')
    const refused = await enter(codeOf(secret, at(), 1))
    expect(refused.error.type).toBe('rate_limited')
    expect(refused.headers.get('retry-after')).toBe('180')
    at().clock.now += 3 * MINUTE_MS
    expect((await enter(codeOf(secret, at()))).status).toBe(200)
  })
})

/** Creates a signed-in user with an authenticator app. */
async function withApp(server: TestServer, given?: PersonRow) {
  const person = given ?? (await createPerson(server))
  const browser = await browserOf(server, person)
  const begin = async () => (await browser.post('/v1/auth/totp/begin')).string('secret')
  let secret = await begin()
  while (!hasDistinctCodes(secret, server)) secret = await begin()
  const done = await browser.post('/v1/auth/totp/finish', { code: codeOf(secret, server) })
  return { person, browser, secret, codes: done.body.recovery_codes as string[] }
}

/**
 * Returns whether the codes of the time steps that the tests use differ from each other and from the code
 * that the tests enter as a wrong one. One secret in 8000 has two equal ones.
 */
function hasDistinctCodes(secret: string, server: TestServer): boolean {
  const codes = Array.from({ length: 16 }, (_, i) => codeOf(secret, server, i - 2))
  return new Set(['000000', ...codes]).size === codes.length + 1
}

/** Returns the code that the app shows after this many time steps. */
function codeOf(secret: string, { clock }: TestServer, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now + steps * STEP_MS })
}

function typesOf(answers: readonly Answer[]): unknown[] {
  return answers.map(({ error }) => error.type ?? 'done').sort()
}

/** Returns a row's values, with binary values decoded as text so that secrets in them can be found. */
function textsOf(row: Readonly<Record<string, unknown>>): unknown[] {
  return Object.values(row).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  )
}
