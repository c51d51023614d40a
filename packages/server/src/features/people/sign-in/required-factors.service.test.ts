/**
 * Users who must have a second factor, users who are only asked to add one, and what each can do until they
 * have one.
 */
import { describe, expect, it, test } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { Authenticator } from '../../../../test/people/authenticator.ts'
import { browserOf, browserWith } from '../../../../test/people/browsers.ts'
import { createPerson } from '../../../../test/people.ts'
import { passkey } from '../../../../test/store/access-rows.ts'
import { insertPasskey } from '../store/passkeys.ts'
import { updatePerson } from '../store/people.ts'
import type { SignedIn } from '../store/sign-ins.ts'
import { hashPassword } from './passwords.ts'
import { isBarred, mustAddFactor, secondFactorRule } from './required-factors.ts'

const PUBLIC = 'https://ward.example.org'

test.each([
  [undefined, undefined, 'none'],
  ['http://localhost:8080', undefined, 'none'],
  ['http://127.0.0.1:8080', undefined, 'none'],
  [PUBLIC, undefined, 'operators'],
  [PUBLIC, 'none', 'none'],
  [undefined, 'operators', 'operators'],
  [undefined, 'all', 'all'],
] as const)(
  'with the base URL %s and the setting %s, the second factor is required of: %s',
  (baseUrl, requireSecondFactor, rule) => {
    expect(secondFactorRule({ baseUrl, requireSecondFactor })).toBe(rule)
  },
)

test('without the setting, operators are prompted for a second factor, not blocked', () => {
  const signedIn = { person: { totp_secret: null }, passkeys: 0 } as unknown as SignedIn
  const config = { baseUrl: PUBLIC, requireSecondFactor: undefined }
  const operator = { scopes: new Set(['admin'] as const) }
  expect(mustAddFactor(config, signedIn, operator)).toBe(true)
  expect(isBarred(config, signedIn, operator)).toBe(false)
  expect(mustAddFactor(config, signedIn, { scopes: new Set() })).toBe(false)
})

describe.each(anyEngine)('with a second factor required for everyone on $name', (engine) => {
  const { at } = serverOn(engine, { config: { requireSecondFactor: 'all' } })

  it('a user without one can do nothing but add one', async () => {
    const owner = await at().createCustomer()
    const person = await createPerson(at(), owner.id)
    const browser = await browserOf(at(), person)
    for (const path of ['/v1/projects', '/v1/adsystems', '/v1/account'])
      expect((await browser.get(path)).error).toMatchObject({ type: 'second_factor_needed', code: -1 })
    expect((await browser.post('/v1/projects/new', { name: 'A' })).error.type).toBe('second_factor_needed')
    expect((await browser.get('/v1/auth/passkeys')).status).toBe(200)
    const { ticket, options } = (await browser.post('/v1/auth/passkeys/add-begin')).body as never
    const response = new Authenticator(`http://localhost:${at().deps.config.port}`).create(options)
    const added = await browser.post('/v1/auth/passkeys/add-finish', { ticket, response, name: 'Laptop' })
    expect(added.status).toBe(200)
    expect((await browser.get('/v1/projects')).status).toBe(200)
  })

  it('a user whose only factor is a passkey has to sign in with it, not with their password alone', async () => {
    const owner = await at().createCustomer()
    const person = await createPerson(at(), owner.id)
    const password = 'seven green bottles'
    const password_hash = await hashPassword(at().deps, password, '127.0.0.1')
    await at().deps.db.transaction((tx) =>
      updatePerson(tx, person.id, { password_hash: String(password_hash) }),
    )
    const enter = () => browserWith(at()).post('/v1/auth/password', { email: person.email, password })
    expect((await enter()).status).toBe(200)
    await at().deps.db.transaction((tx) =>
      insertPasskey(tx, { ...passkey, id: 'pky_1', person_id: person.id, credential_id: person.id }),
    )
    expect((await enter()).error.type).toBe('passkey_needed')
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { totp_secret: Buffer.from('some') }))
    expect((await enter()).body).toMatchObject({ done: false })
  })

  it('an authenticator app counts as one, and API keys need none', async () => {
    const owner = await at().createCustomer()
    const person = await createPerson(at(), owner.id)
    const browser = await browserOf(at(), person)
    expect((await browser.get('/v1/projects')).error.type).toBe('second_factor_needed')
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { totp_secret: Buffer.from('some') }))
    expect((await browser.get('/v1/projects')).status).toBe(200)
    expect((await owner.get('/v1/projects')).status).toBe(200)
  })
})

describe.each(anyEngine)('with a second factor required for operators on $name', (engine) => {
  const { at } = serverOn(engine, { config: { requireSecondFactor: 'operators' } })

  it('others are not blocked', async () => {
    const owner = await at().createCustomer()
    const browser = await browserOf(at(), await createPerson(at(), owner.id))
    expect((await browser.get('/v1/projects')).status).toBe(200)
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { admin: true })
    expect((await browser.get('/v1/projects')).error.type).toBe('second_factor_needed')
  })
})
