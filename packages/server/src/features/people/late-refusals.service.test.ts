/** Failures between two steps of sign-in or setup, and URLs where passkeys are unavailable. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn, type TestServer } from '../../../test/harness.ts'
import { NO_LIMITS } from '../../../test/nouns.ts'
import { Authenticator, type Options } from '../../../test/people/authenticator.ts'
import { browserOf, browserWith } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { passkey } from '../../../test/store/access-rows.ts'
import { newId } from '../../api/ids.ts'
import { issueOnce, type NewUse } from '../access/single-use.ts'
import { makeSetUpLink } from './sign-in/set-up.ts'
import { insertPasskey } from './store/passkeys.ts'

const PASSWORD = 'seven green bottles'
const MINUTE_MS = 60_000

const issue = ({ deps }: TestServer, use: Omit<NewUse, 'forMs'>) =>
  deps.db.transaction((tx) => issueOnce(deps, tx, { ...use, forMs: MINUTE_MS }))

const plantPasskey = ({ deps }: TestServer, personId: string, credentialId?: string) => {
  const id = newId('pky', deps.now(), deps.random)
  const row = { ...passkey, id, person_id: personId, credential_id: credentialId ?? id }
  return deps.db.transaction((tx) => insertPasskey(tx, row))
}

async function linkOf(server: TestServer, account?: string): Promise<string> {
  const link = await makeSetUpLink(server.deps, account)
  if (typeof link !== 'string') throw new Error(link.reason)
  return link.split('/').at(-1) ?? ''
}

describe.each(anyEngine)('a setup link created without naming an account, on $name,', (engine) => {
  const { at } = serverOn(engine)

  it('belongs to the first operator', async () => {
    const link = await linkOf(at())
    const looked = await at().client().post('/v1/auth/set-up/look', { link })
    expect(looked.body.account).toBe('admin@localhost')
  })
})

describe.each(anyEngine)('a login step that comes too late on $name', (engine) => {
  const { at } = serverOn(engine)
  const post = (path: string, body: object) => browserWith(at()).post(path, body)
  const begin = async (email: string) => {
    const { id } = await at().createCustomer()
    const given = { link: await linkOf(at(), id), email, name: 'Owner' }
    const begun = await post('/v1/auth/set-up/passkey-begin', given)
    const { ticket, options } = begun.body as unknown as { ticket: string; options: Options }
    const device = new Authenticator(`http://localhost:${at().deps.config.port}`)
    return { id, ticket, response: device.create(options) }
  }
  const finish = (given: { readonly ticket: string; readonly response: object }) =>
    post('/v1/auth/set-up/passkey-finish', { ticket: given.ticket, response: given.response })

  it('is rejected when the email address has been taken by another user', async () => {
    const { email } = await createPerson(at())
    const link = await linkOf(at(), (await at().createCustomer()).id)
    const taken = await post('/v1/auth/set-up', { link, email, name: 'Owner', password: PASSWORD })
    expect(taken.error.type).toBe('email_already_taken')
    const begun = await begin('later-taken@example.com')
    const { deps } = at()
    const other = await createPerson(at())
    await deps.db.transaction((tx) =>
      tx.updateTable('people').set({ email: 'later-taken@example.com' }).where('id', '=', other.id).execute(),
    )
    expect((await finish(begun)).error.type).toBe('email_already_taken')
  })

  it('is rejected when the account has members, the passkey is known, or the pending-login token is missing', async () => {
    const owned = await begin('second-owner@example.com')
    await createPerson(at(), owned.id)
    expect((await finish(owned)).error.type).toBe('account_has_people')
    const known = await begin('known-passkey@example.com')
    await plantPasskey(at(), (await createPerson(at())).id, (known.response as { id: string }).id)
    expect((await finish(known)).error.type).toBe('passkey_already_added')
    expect((await finish({ ...known, ticket: 'A'.repeat(43) })).error.type).toBe('ticket_gone')
  })

  it('is rejected in a browser in which a user is signed in', async () => {
    const person = await createPerson(at())
    const browser = await browserOf(at(), person)
    expect((await browser.post('/v1/auth/confirm', { code: '000000' })).error.type).toBe('wrong_code')
    expect((await browser.post('/v1/auth/person/edit', {})).error.type).toBe('cannot_edit_nothing')
    const device = new Authenticator(`http://localhost:${at().deps.config.port}`)
    const first = (await browser.post('/v1/auth/passkeys/add-begin')).body as {
      ticket: string
      options: Options
    }
    const given = { ticket: first.ticket, response: device.create(first.options), name: 'Laptop' }
    expect((await browser.post('/v1/auth/passkeys/add-finish', given)).status).toBe(200)
    const signing = (await browser.post('/v1/auth/passkeys/begin')).body as { options: Options }
    const lost = { ticket: 'A'.repeat(43), response: device.get(signing.options) }
    expect((await browser.post('/v1/auth/passkeys/confirm', lost)).error.type).toBe('ticket_gone')
    const begun = (await browser.post('/v1/auth/passkeys/add-begin')).body as {
      ticket: string
      options: Options
    }
    for (let n = 0; n < 20; n += 1) await plantPasskey(at(), person.id)
    const another = new Authenticator(`http://localhost:${at().deps.config.port}`)
    const twentieth = { ticket: begun.ticket, response: another.create(begun.options), name: 'Phone' }
    expect((await browser.post('/v1/auth/passkeys/add-finish', twentieth)).error.type).toBe(
      'too_many_passkeys',
    )
  })
})

describe.each(anyEngine)('passkeys at a base URL without a host name on $name', (engine) => {
  const { at } = serverOn(engine, { config: { baseUrl: 'http://192.0.2.7:8080' } })

  it('are unavailable in every step', async () => {
    const browser = await browserOf(at(), await createPerson(at()))
    const device = new Authenticator('http://localhost')
    const options = { challenge: 'QUJD', rpId: 'localhost', rp: { id: 'localhost' }, user: { id: 'QUJD' } }
    const made = device.create(options as unknown as Options)
    const signed = device.get(options as unknown as Options)
    const ticket = 'A'.repeat(43)
    const link = await linkOf(at())
    const steps: readonly (readonly [string, object])[] = [
      ['passkeys/finish', { ticket, response: signed }],
      ['passkeys/confirm', { ticket, response: signed }],
      ['passkeys/add-begin', {}],
      ['passkeys/add-finish', { ticket, response: made, name: 'Laptop' }],
      ['set-up/passkey-begin', { link, email: 'owner@example.com', name: 'Owner' }],
      ['set-up/passkey-finish', { ticket, response: made }],
    ]
    for (const [path, body] of steps)
      expect([path, (await browser.post(`/v1/auth/${path}`, body)).error.type]).toEqual([
        path,
        'passkeys_unavailable',
      ])
  })
})

describe.each(anyEngine)('where everyone needs a second factor on $name', (engine) => {
  const { at } = serverOn(engine, { config: { requireSecondFactor: 'all' } })

  it('a new password alone does not sign in a user who has a passkey', async () => {
    const person = await createPerson(at())
    await plantPasskey(at(), person.id)
    const link = await issue(at(), { purpose: 'reset', personId: person.id })
    const answer = await browserWith(at()).post('/v1/auth/reset', { link, password: PASSWORD })
    expect(answer.error.type).toBe('passkey_needed')
  })
})

describe.each(anyEngine)('the confirmation of a sign-up on $name', (engine) => {
  const { at } = serverOn(engine, { config: { signUpTier: 4711 } })
  const confirm = async (email: string) => {
    const data = { email, name: 'Late', password_hash: null }
    const link = await issue(at(), { purpose: 'sign_up', data })
    return (await browserWith(at()).post('/v1/auth/sign-up/confirm', { link })).error.type
  }

  it('is rejected when the operator has removed its service tier', async () => {
    expect(await confirm('late@example.com')).toBe('unknown_tier')
  })

  it('is rejected when its email address has been taken in the meantime', async () => {
    await at().admin.put('/v1/admin/tiers/4711', { name: 'Free', price: 0, ...NO_LIMITS })
    const { email } = await createPerson(at())
    expect(await confirm(email)).toBe('email_already_taken')
  })
})
