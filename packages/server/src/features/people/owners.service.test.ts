/** Owners: who can create and remove them, and how a removed owner is restored. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { type Browser, browserOf, browserWith } from '../../../test/people/browsers.ts'
import { createPerson, type Seat } from '../../../test/people.ts'
import { takeMail } from '../accounts/mails.ts'
import { updatePerson } from './store/people.ts'
import type { PersonRow } from './store/sign-ins.ts'

const DAY_MS = 86_400_000

type Place = { readonly person: PersonRow; readonly browser: Browser; readonly id: string }
type Listed = { readonly id: string; readonly role: string; readonly person: { readonly id: string } }

describe.each(anyEngine)('an owner on $name', (engine) => {
  const { at } = serverOn(engine, {
    config: { mail: { url: 'smtp://127.0.0.1:1', from: 'scriptward@example.com' } },
  })
  const membersOf = async (owner: Owner) => (await owner.get('/v1/members')).body.members as Listed[]
  const roleOf = async (owner: Owner, { person }: Place) =>
    (await membersOf(owner)).find((one) => one.person.id === person.id)?.role
  const join = async (owner: Owner, seat: Seat = { role: 'owner' }): Promise<Place> => {
    const person = await createPerson(at(), owner.id, seat)
    const id = (await membersOf(owner)).find((one) => one.person.id === person.id)?.id ?? ''
    return { person, browser: await browserOf(at(), person), id }
  }
  const two = async () => {
    const owner = await at().createCustomer()
    return { owner, first: await join(owner), second: await join(owner) }
  }
  const mailsTo = async (email: string) => {
    const texts: string[] = []
    for (let next = await takeMail(at().deps); next; next = await takeMail(at().deps)) {
      if (next.mail.to === email) texts.push(next.mail.text)
      await next.delivered()
    }
    return texts
  }
  const linkTo = async ({ person }: Place) =>
    /\/#\/objection\/(\S+)/.exec((await mailsTo(person.email)).join('\n'))?.[1] ?? ''
  const object = (link: string) => browserWith(at()).post('/v1/auth/objection', { link })
  const remove = (by: Place, whom: Place) => by.browser.post(`/v1/members/${whom.id}/remove`)

  it('cannot be removed, demoted or created with the API key or a token once there is one', async () => {
    const { owner, first } = await two()
    const reader = await join(owner, { role: 'reader' })
    for (const [path, body, field] of [
      [`/v1/members/${first.id}/remove`, {}, 'member_id'],
      [`/v1/members/${first.id}/edit`, { role: 'admin' }, 'member_id'],
      [`/v1/members/${reader.id}/edit`, { role: 'owner' }, 'role'],
      ['/v1/members/invite', { email: 'thief@example.com', role: 'owner' }, 'role'],
    ] as const)
      expect((await owner.post(path, body)).error).toMatchObject({
        ...{ type: 'owners_only', failed: [{ field }] },
        message: expect.stringContaining('owner who is signed in'),
      })
  })

  it('can be invited with the API key of an account that has none, and not by anyone who lost that permission in the meantime', async () => {
    const owner = await at().createCustomer()
    const invite = async (email: string) =>
      (await owner.post('/v1/members/invite', { email, role: 'owner' })).string('link').split('/').at(-1)
    const [first, second] = [await invite('first@example.com'), await invite('second@example.com')]
    const accept = (link: string | undefined) =>
      browserWith(at()).post('/v1/auth/invitation', {
        link,
        name: 'New',
        password: 'a long and quiet sentence',
      })
    expect((await accept(first)).status).toBe(200)
    expect((await accept(second)).error.type).toBe('link_gone')
  })

  it('who is removed gets a link by mail that restores them once and changes nothing else', async () => {
    const { owner, first, second } = await two()
    const third = await join(owner, { role: 'support' })
    expect((await remove(second, first)).status).toBe(200)
    const link = await linkTo(first)
    const look = await browserWith(at()).post('/v1/auth/set-up/look', { link })
    expect(look.body).toMatchObject({ purpose: 'owner_objection', email: first.person.email })
    expect((await object(link)).body).toEqual({ success: true })
    expect(await Promise.all([first, second, third].map((one) => roleOf(owner, one)))).toEqual([
      'owner',
      'owner',
      'support',
    ])
    expect((await object(link)).error.type).toBe('link_gone')
    const [told] = await mailsTo(second.person.email)
    expect(told).toContain(`${first.person.email} objected to being removed`)
    const { entries } = (await owner.get('/v1/audit?action=v1.auth.objection')).body
    expect(entries).toMatchObject([{ actor: { kind: 'person', id: first.person.id } }])
  })

  it('who is demoted can return in the same way', async () => {
    const { owner, first, second } = await two()
    await second.browser.post(`/v1/members/${first.id}/edit`, { role: 'reader' })
    await remove(second, first)
    expect((await object(await linkTo(first))).status).toBe(200)
    expect(await roleOf(owner, first)).toBe('owner')
  })

  it('who left can return too, because someone else may have used their session', async () => {
    const { owner, first } = await two()
    expect((await first.browser.post('/v1/members/leave')).status).toBe(200)
    expect((await object(await linkTo(first))).status).toBe(200)
    expect(await roleOf(owner, first)).toBe('owner')
  })

  it('can leave only within ten minutes of signing in', async () => {
    const { first } = await two()
    at().clock.now += 11 * 60_000
    expect((await first.browser.post('/v1/members/leave')).error.type).toBe('fresh_sign_in_needed')
  })

  it('who came back cannot be removed or demoted for seven days, but can be afterwards', async () => {
    const { owner, first, second } = await two()
    await remove(second, first)
    await object(await linkTo(first))
    const back = {
      ...first,
      id: (await membersOf(owner)).find((one) => one.person.id === first.person.id)?.id ?? '',
    }
    expect((await remove(second, back)).error.type).toBe('owner_protected')
    const lowered = await second.browser.post(`/v1/members/${back.id}/edit`, { role: 'reader' })
    expect(lowered.error.type).toBe('owner_protected')
    at().clock.now += 7 * DAY_MS
    const later = { ...second, browser: await browserOf(at(), second.person) }
    expect((await remove(later, back)).status).toBe(200)
  })

  it('can use the link that restores them for seven days, unless disabled by an operator', async () => {
    const { owner, first, second } = await two()
    await remove(second, first)
    const link = await linkTo(first)
    const setDisabled = (disabled: 0 | 1) =>
      at().deps.db.transaction((tx) => updatePerson(tx, first.person.id, { disabled }))
    await setDisabled(1)
    expect((await object(link)).error.type).toBe('link_gone')
    await setDisabled(0)
    at().clock.now += 7 * DAY_MS
    expect((await object(link)).error.type).toBe('link_gone')
    expect(await roleOf(owner, first)).toBeUndefined()
  })

  it('gets the link from an operator when no mail arrives, which invalidates the previous link', async () => {
    const { owner, first, second } = await two()
    const make = () => at().admin.post(`/v1/admin/people/${first.person.id}/objection`)
    expect((await make()).error.type).toBe('nothing_to_object_to')
    await remove(second, first)
    const former = await linkTo(first)
    const made = (await make()).string('link').split('/').at(-1) ?? ''
    expect((await object(former)).error.type).toBe('link_gone')
    expect((await object(made)).status).toBe(200)
    expect(await roleOf(owner, first)).toBe('owner')
  })

  it('can return to an account that is at its member limit', async () => {
    const { owner, first, second } = await two()
    await remove(second, first)
    for (let count = 1; count < 100; count += 1) await createPerson(at(), owner.id, { role: 'reader' })
    expect((await object(await linkTo(first))).status).toBe(200)
  })
})
