/** Invitations: each link works once, within a week, and only for the invited email address. */
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/answers.ts'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { createOwner } from '../../../test/nouns.ts'
import { browserAfter, browserOf, browserWith } from '../../../test/people/browsers.ts'
import { createPerson } from '../../../test/people.ts'
import { insertRows, rowsOf } from '../../../test/stored.ts'
import { prune } from '../../jobs/prune.ts'
import { takeMail } from '../accounts/mails.ts'
import { hashPassword } from './sign-in/passwords.ts'
import { insertPasskey } from './store/passkeys.ts'
import { updatePerson } from './store/people.ts'

const DAY_MS = 86_400_000
const PASSWORD = 'a long and quiet sentence'
const NEW = { name: 'New Person', password: PASSWORD }

describe.each(anyEngine)('an invitation on $name', (engine) => {
  const { at } = serverOn(engine)
  let count = 0
  /**
   * All requests come from one IP address, so each test first advances the clock past the previous test's
   * rate limits.
   */
  const invited = async (owner: Owner, body: object = {}) => {
    at().clock.now += DAY_MS
    count += 1
    const email = `invited-${count}@example.com`
    const answer = await owner.post('/v1/members/invite', { email, role: 'support', ...body })
    const link = answer.string('link').split('/').at(-1) ?? ''
    return { link, email, id: (answer.body.invitation as { id: string }).id }
  }
  const withPassword = async (email: string) => {
    const { deps } = at()
    const password_hash = await hashPassword(deps, PASSWORD, '127.0.0.1')
    const person = await createPerson(at())
    const changes = { email, password_hash: String(password_hash) }
    return (await deps.db.transaction((tx) => updatePerson(tx, person.id, changes))) ?? person
  }
  const accept = (body: object) => browserWith(at()).post('/v1/auth/invitation', body)
  const look = (link: string) => browserWith(at()).post('/v1/auth/invitation/look', { link })
  const rolesOf = async (owner: Owner) =>
    ((await owner.get('/v1/members')).body.members as { role: string }[]).map(({ role }) => role)

  it('lets in a new user who chooses a name and password', async () => {
    const { owner, project } = await createOwner(at())
    const { link, email } = await invited(owner, { projects: [project] })
    const { body } = await look(link)
    expect(body).toMatchObject({ email, role: 'support', has_person: false })
    const done = await accept({ link, ...NEW })
    expect(done.body).toEqual({ success: true, done: true })
    const { members, invitations } = (await owner.get('/v1/members')).body
    expect(invitations).toEqual([])
    expect(members).toMatchObject([
      { person: { email, name: NEW.name }, role: 'support', projects: [project] },
    ])
    const browser = browserAfter(at(), done)
    expect((await browser.get(`/v1/projects/${project}/users`)).status).toBe(200)
    const again = await browserWith(at()).post('/v1/auth/password', { email, password: PASSWORD })
    expect(again.body).toMatchObject({ done: true })
  })

  it('for a new user requires a name and an acceptable password', async () => {
    const { owner } = await createOwner(at())
    const { link } = await invited(owner)
    expect(fieldOf(await accept({ link, password: PASSWORD }))).toBe('name')
    expect(fieldOf(await accept({ link, name: 'New' }))).toBe('password')
    expect(fieldOf(await accept({ link, name: 'New', password: 'short' }))).toBe('password')
    expect((await accept({ link, ...NEW })).status).toBe(200)
  })

  it('works once, even when two requests use it at the same time', async () => {
    const { owner } = await createOwner(at())
    const { link } = await invited(owner)
    const answers = await Promise.all([accept({ link, ...NEW }), accept({ link, ...NEW })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    for (const answer of [await accept({ link, ...NEW }), await look(link)]) {
      expect(answer.error.type).toBe('link_gone')
      expect(answer.error.message).toContain('Request a new one')
    }
    expect(await rolesOf(owner)).toEqual(['support'])
  })

  it('and another one for the same email address create one user, even when both are used at the same time', async () => {
    const [one, other] = [await createOwner(at()), await createOwner(at())]
    const { link, email } = await invited(one.owner)
    const answer = await other.owner.post('/v1/members/invite', { email, role: 'reader' })
    const second = answer.string('link').split('/').at(-1)
    const answers = await Promise.all([accept({ link, ...NEW }), accept({ link: second, ...NEW })])
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ error }) => error.type)).toEqual(['sign_in_first'])
    const late = refused[0] === answers[0] ? link : second
    expect((await accept({ link: late, password: PASSWORD })).status).toBe(200)
    expect([...(await rolesOf(one.owner)), ...(await rolesOf(other.owner))]).toEqual(['support', 'reader'])
  })

  it('expires after seven days, and the email address can then be invited again', async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    const again = () => owner.post('/v1/members/invite', { email: email.toUpperCase(), role: 'reader' })
    expect((await again()).error.type).toBe('already_invited')
    at().clock.now += 7 * DAY_MS
    expect((await accept({ link, ...NEW })).error.type).toBe('link_gone')
    expect((await owner.get('/v1/members')).body.invitations).toEqual([])
    expect((await again()).status).toBe(200)
  })

  it('is deleted from the database some time after it expires', async () => {
    const { owner } = await createOwner(at())
    await invited(owner)
    at().clock.now += 7 * DAY_MS
    await prune(at().deps, () => at().clock.now).run(new AbortController().signal)
    expect(await rowsOf(at(), 'invitations')).toEqual([])
  })

  it('that was withdrawn lets nobody in', async () => {
    const { owner } = await createOwner(at())
    const { link, id } = await invited(owner)
    expect((await owner.post(`/v1/invitations/${id}/withdraw`)).status).toBe(200)
    expect((await accept({ link, ...NEW })).error.type).toBe('link_gone')
  })

  it('from a removed admin lets nobody in', async () => {
    const { owner } = await createOwner(at())
    await createPerson(at(), owner.id, { role: 'owner' })
    const admin = await createPerson(at(), owner.id, { role: 'admin' })
    at().clock.now += DAY_MS
    const browser = await browserOf(at(), admin)
    const answer = await browser.post('/v1/members/invite', { email: 'late@example.com', role: 'admin' })
    expect(answer.body.invitation).toMatchObject({ invited_by: admin.email })
    await browser.post('/v1/members/leave')
    const link = answer.string('link').split('/').at(-1)
    expect((await accept({ link, ...NEW })).error.type).toBe('link_gone')
  })

  it('lets in the user who is signed in, with a new cookie that opens the new account', async () => {
    const [mine, theirs] = [await createOwner(at()), await createOwner(at())]
    const { link, email } = await invited(theirs.owner)
    const person = await createPerson(at(), mine.owner.id, { role: 'owner' })
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { email }))
    const browser = await browserOf(at(), person)
    expect((await look(link)).body.has_person).toBe(true)
    const done = await browser.post('/v1/auth/invitation', { link })
    expect(done.body).toEqual({ success: true, done: true })
    expect((await browser.get('/v1/me')).error.type).toBe('unauthorized')
    const path = `/v1/projects/${theirs.project}`
    expect((await browserAfter(at(), done).get(path)).status).toBe(200)
  })

  it('is rejected with a clear error for a user with another email address, even with the right password', async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    const other = await browserOf(at(), await createPerson(at()))
    await withPassword(email)
    for (const body of [{ link }, { link, ...NEW }]) {
      const { error } = await other.post('/v1/auth/invitation', body)
      expect(error.type).toBe('invitation_for_another')
      expect(error.message).toContain('Sign out first')
    }
    expect(await rolesOf(owner)).toEqual([])
  })

  it('lets in an existing user with only their password, and opens the new account', async () => {
    const { owner, project } = await createOwner(at())
    const { link, email } = await invited(owner)
    const person = await withPassword(email)
    const former = await createOwner(at())
    await insertRows(at(), 'members', {
      ...{ id: `mem_${person.id}`, customer_id: former.owner.id, person_id: person.id },
      ...{ role: 'owner', created_at: 1 },
    })
    expect((await accept({ link, name: 'Other' })).error.type).toBe('sign_in_first')
    const wrong = await accept({ link, name: 'Other', password: 'another long sentence' })
    expect(wrong.error.type).toBe('wrong_credentials')
    const done = await accept({ link, password: PASSWORD })
    expect((await browserAfter(at(), done).get(`/v1/projects/${project}`)).status).toBe(200)
  })

  it('asks an existing user for their second factor, and stays valid afterwards', async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    const person = await withPassword(email)
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { totp_secret: Buffer.from('x') }))
    const step = await accept({ link, password: PASSWORD })
    expect(step.body).toMatchObject({ done: false, ticket: expect.any(String) })
    expect(step.headers.getSetCookie()).toEqual([])
    expect(await rolesOf(owner)).toEqual([])
    const browser = await browserOf(at(), person)
    expect((await browser.post('/v1/auth/invitation', { link })).status).toBe(200)
    expect(await rolesOf(owner)).toEqual(['support'])
  })

  it('does not let in a disabled user, by cookie or by password', async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    const person = await withPassword(email)
    const browser = await browserOf(at(), person)
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { disabled: 1 }))
    expect((await browser.post('/v1/auth/invitation', { link })).error.type).toBe('sign_in_first')
    expect((await accept({ link, password: PASSWORD })).error.type).toBe('wrong_credentials')
    expect(await rolesOf(owner)).toEqual([])
  })

  it('cannot be sent to a member, and lets nobody in twice', async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    const person = await createPerson(at(), owner.id, { role: 'reader' })
    const same = await owner.post('/v1/members/invite', { email: person.email, role: 'admin' })
    expect(same.error.type).toBe('already_member')
    await at().deps.db.transaction((tx) => updatePerson(tx, person.id, { email }))
    const browser = await browserOf(at(), { ...person, email })
    expect((await browser.post('/v1/auth/invitation', { link })).error.type).toBe('already_member')
    expect(await rolesOf(owner)).toEqual(['reader'])
  })

  it('lets nobody in above a hundred members', async () => {
    const { owner } = await createOwner(at())
    const { link } = await invited(owner)
    for (let n = 0; n < 100; n += 1) await createPerson(at(), owner.id, { role: 'reader' })
    expect((await accept({ link, ...NEW })).error.type).toBe('max_members_reached')
  })

  it("adds one entry by the user to the account's audit log, without the link or the password", async () => {
    const { owner } = await createOwner(at())
    const { link, email } = await invited(owner)
    await accept({ link, ...NEW })
    const entries = await at()
      .deps.db.read.selectFrom('audit_entries')
      .selectAll()
      .where('customer_id', '=', owner.id)
      .where('action', 'like', 'v1.%invit%')
      .orderBy('seq')
      .execute()
    expect(entries.map(({ action }) => action)).toEqual(['v1.members.invite', 'v1.auth.invitation'])
    expect(entries[1]).toMatchObject({ actor_kind: 'person', actor_name: email })
    expect(Object.keys(JSON.parse(entries[1]?.nouns ?? ''))).toEqual(
      expect.arrayContaining(['invitation_id', 'member_id', 'person_id']),
    )
    expect(JSON.stringify(entries)).not.toContain(link)
    expect(JSON.stringify(entries)).not.toContain(PASSWORD)
    expect(at().log.join('\n')).not.toContain(link)
  })

  it('is emailed to the invited user with its link', async () => {
    const { owner } = await createOwner(at())
    for (let old = await takeMail(at().deps); old; old = await takeMail(at().deps)) await old.delivered()
    const { link, email } = await invited(owner)
    const taken = await takeMail(at().deps)
    expect(taken?.mail.to).toBe(email)
    expect(taken?.mail.text).toContain(`/dashboard/#/invitation/${link}`)
  })
})

describe.each(anyEngine)('an invitation where everyone needs a second factor on $name', (engine) => {
  const { at } = serverOn(engine, { config: { requireSecondFactor: 'all' } })
  it('cannot be accepted with only the password of a user who has a passkey', async () => {
    const { owner } = await createOwner(at())
    const person = await createPerson(at())
    const password_hash = String(await hashPassword(at().deps, PASSWORD, '127.0.0.1'))
    await at().deps.db.transaction(async (tx) => {
      await updatePerson(tx, person.id, { password_hash })
      const key = { id: 'pky_1', person_id: person.id, credential_id: person.id, counter: 0 }
      await insertPasskey(tx, {
        ...key,
        ...{ public_key: Buffer.from('x'), transports: '[]', name: 'Key', created_at: 1 },
      })
    })
    const answer = await owner.post('/v1/members/invite', { email: person.email, role: 'reader' })
    const link = answer.string('link').split('/').at(-1)
    const browser = browserWith(at())
    const refused = await browser.post('/v1/auth/invitation', { link, password: PASSWORD })
    expect(refused.error.type).toBe('passkey_needed')
    expect(refused.headers.getSetCookie()).toEqual([])
    expect((await browser.post('/v1/auth/invitation/look', { link })).status).toBe(200)
  })
})

describe.each(anyEngine)('an invitation without a mail server on $name', (engine) => {
  const { at } = serverOn(engine, { config: { mail: undefined } })
  it('appears only in the response', async () => {
    const { owner } = await createOwner(at())
    const answer = await owner.post('/v1/members/invite', { email: 'copied@example.com', role: 'reader' })
    expect(answer.string('link')).toMatch(/\/dashboard\/#\/invitation\/[\w-]{43}$/)
    expect(await takeMail(at().deps)).toBe(undefined)
  })
})

function fieldOf({ error }: Answer): string | undefined {
  return (error.failed as { field: string }[] | undefined)?.[0]?.field
}
