/** Account members: who can invite, edit and remove them, and what they lose access to when they leave. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../test/answers.ts'
import { anyEngine } from '../../../test/databases.ts'
import { type Owner, serverOn } from '../../../test/harness.ts'
import { joinSession } from '../../../test/live-sessions.ts'
import { createOwner, createProject } from '../../../test/nouns.ts'
import { ended } from '../../../test/patience.ts'
import { type Browser, browserOf, browserWith, type Headers } from '../../../test/people/browsers.ts'
import { createPerson, type Seat, signIn } from '../../../test/people.ts'
import { insertRows } from '../../../test/stored.ts'
import { furnish } from '../../../test/subjects.ts'
import { watch } from '../../../test/watch-events.ts'
import { errorWithoutId } from '../../../test/without-id.ts'
import { EndedEarly, LiveRequests } from '../../http/live-requests.ts'
import { hashCredential } from '../access/credential.ts'
import { ROLE_NAMES, type Role } from '../access/roles.ts'
import { ALL_SCOPES } from '../access/scopes.ts'
import { updatePerson } from './store/people.ts'
import type { PersonRow } from './store/sign-ins.ts'

const MINUTE_MS = 60_000

type Listed = { readonly id: string; readonly person: { readonly id: string }; readonly role: string }
type Place = {
  readonly person: PersonRow
  readonly headers: Headers
  readonly browser: Browser
  readonly id: string
}

describe.each(anyEngine)('members of an account on $name', (engine) => {
  const { at } = serverOn(engine)
  const membersOf = async (owner: Owner) => (await owner.get('/v1/members')).body.members as Listed[]
  const join = async (owner: Owner, seat: Seat): Promise<Place> => {
    const person = await createPerson(at(), owner.id, seat)
    const member = (await membersOf(owner)).find((one) => one.person.id === person.id)
    const headers = await signIn(at(), person)
    return { person, headers, browser: browserWith(at(), headers), id: member?.id ?? '' }
  }
  const makeToken = async (
    owner: Owner,
    madeBy: PersonRow,
    scopes: readonly string[],
    projects?: string[],
  ) => {
    const secret = `swt_${madeBy.id.slice(4)}${scopes.join('').replace(/[^a-z]/g, '')}${projects?.length ?? ''}`
    await insertRows(at(), 'tokens', {
      ...{ id: `tok_${hashCredential(secret).slice(0, 20)}`, customer_id: owner.id, name: 'CI' },
      ...{ hash: hashCredential(secret), start: 'swt_', scopes: JSON.stringify(scopes) },
      ...{ projects: projects ? JSON.stringify(projects) : null, created_at: 1, created_by: madeBy.id },
    })
    return at().client(secret)
  }

  it('are listed with their permissions, along with pending invitations', async () => {
    const { owner, project } = await createOwner(at())
    await join(owner, { role: 'reseller', projects: [project], maxKeys: 5 })
    await owner.post('/v1/members/invite', {
      email: 'New@Example.com',
      role: 'custom',
      scopes: ['users:write'],
    })
    const { members, invitations } = (await owner.get('/v1/members')).body as Record<string, object[]>
    expect(members?.[0]).toMatchObject({
      ...{ role: 'reseller', scopes: ['users:issue'], projects: [project], max_keys: 5 },
      has_second_factor: false,
    })
    expect(invitations?.[0]).toMatchObject({
      ...{ email: 'new@example.com', role: 'custom', projects: null },
      scopes: ['users:read', 'users:write', 'users:issue'],
      invited_by: expect.stringMatching(/^sw_.*…$/),
    })
    expect(JSON.stringify(invitations)).not.toContain('hash')
  })

  it('show an authenticator app and a passkey as a second factor', async () => {
    const { owner } = await createOwner(at())
    const [app, passkey] = [await join(owner, { role: 'admin' }), await join(owner, { role: 'admin' })]
    await at().deps.db.transaction(async (tx) => {
      await updatePerson(tx, app.person.id, { totp_secret: Buffer.from('x') })
      const key = { id: `pky_${passkey.id}`, person_id: passkey.person.id, credential_id: passkey.id }
      const rest = { public_key: Buffer.from('x'), counter: 0, transports: '[]', name: 'x', created_at: 1 }
      await tx
        .insertInto('passkeys')
        .values({ ...key, ...rest })
        .execute()
    })
    const listed = (await owner.get('/v1/members')).body.members as { has_second_factor: boolean }[]
    expect(listed.map((one) => one.has_second_factor)).toEqual([true, true])
  })

  it('belong to one account, and those of other accounts appear missing', async () => {
    const [mine, theirs] = [await createOwner(at()), await createOwner(at())]
    await join(theirs.owner, { role: 'owner' })
    const other = await join(theirs.owner, { role: 'reader' })
    const invited = await theirs.owner.post('/v1/members/invite', { email: 'a@example.com', role: 'reader' })
    const { id } = invited.body.invitation as { id: string }
    for (const path of [
      `/v1/members/${other.id}/remove`,
      `/v1/invitations/${id}/withdraw`,
      '/v1/members/none/remove',
    ])
      expect((await mine.owner.post(path)).error.type).toBe('not_found')
    const edited = await mine.owner.post(`/v1/members/${other.id}/edit`, { role: 'admin' })
    expect(edited.error.type).toBe('not_found')
    expect(await membersOf(mine.owner)).toEqual([])
  })

  it('keep an owner: the last one cannot be removed, demoted or leave', async () => {
    const { owner } = await createOwner(at())
    const last = await join(owner, { role: 'owner' })
    const disabled = await join(owner, { role: 'owner' })
    await at().deps.db.transaction((tx) => updatePerson(tx, disabled.person.id, { disabled: 1 }))
    const tries = [
      await last.browser.post(`/v1/members/${last.id}/remove`),
      await last.browser.post(`/v1/members/${last.id}/edit`, { role: 'admin' }),
      await last.browser.post('/v1/members/leave'),
    ]
    for (const { error } of tries) {
      expect(error.type).toBe('last_owner')
      expect(error.message).toContain('Make another member an owner first')
    }
    const second = await join(owner, { role: 'owner' })
    expect((await last.browser.post('/v1/members/leave')).status).toBe(200)
    expect((await second.browser.post('/v1/members/leave')).error.type).toBe('last_owner')
  })

  it.each(['owner', 'admin'] as const)(
    'leave one %s when two remove each other at the same time',
    async (role) => {
      const { owner } = await createOwner(at())
      if (role === 'admin') await join(owner, { role: 'owner' })
      const before = (await membersOf(owner)).length
      const [one, other] = [await join(owner, { role }), await join(owner, { role })]
      const answers = await Promise.all([
        one.browser.post(`/v1/members/${other.id}/remove`),
        other.browser.post(`/v1/members/${one.id}/remove`),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
      expect(await membersOf(owner)).toHaveLength(before + 1)
    },
  )

  it('can create, edit and remove owners only as owners who are signed in', async () => {
    const { owner } = await createOwner(at())
    const [admin, reader] = [await join(owner, { role: 'admin' }), await join(owner, { role: 'reader' })]
    const first = await join(owner, { role: 'owner' })
    const token = await makeToken(owner, first.person, ALL_SCOPES)
    const invited = await first.browser.post('/v1/members/invite', {
      email: 'own@example.com',
      role: 'owner',
    })
    const { id } = invited.body.invitation as { id: string }
    for (const by of [admin.browser, token]) {
      const tries = [
        await by.post('/v1/members/invite', { email: 'x@example.com', role: 'owner' }),
        await by.post(`/v1/members/${reader.id}/edit`, { role: 'owner' }),
        await by.post(`/v1/members/${first.id}/edit`, { role: 'reader' }),
        await by.post(`/v1/members/${first.id}/remove`),
        await by.post(`/v1/invitations/${id}/withdraw`),
      ]
      expect(tries.map(({ error }) => error.type)).toEqual(Array(5).fill('owners_only'))
      expect(tries.map(fieldOf)).toEqual(['role', 'role', 'member_id', 'member_id', 'invitation_id'])
    }
    expect((await first.browser.post(`/v1/members/${reader.id}/edit`, { role: 'owner' })).status).toBe(200)
  })

  it('cannot grant more than their own permissions or change members who have more', async () => {
    const { owner, project } = await createOwner(at())
    const clerk = await join(owner, { role: 'custom', scopes: ['members:write', 'users:read'] })
    const [admin, reader] = [await join(owner, { role: 'admin' }), await join(owner, { role: 'reader' })]
    const email = 'more@example.com'
    const more = { email, role: 'custom', scopes: ['users:read', 'users:bulk'] }
    const tries = [
      await clerk.browser.post('/v1/members/invite', more),
      await clerk.browser.post('/v1/members/invite', { email, role: 'support' }),
      await clerk.browser.post(`/v1/members/${admin.id}/remove`),
      await clerk.browser.post(`/v1/members/${reader.id}/edit`, { role: 'custom', scopes: ['users:read'] }),
    ]
    const invited = await owner.post('/v1/members/invite', { email: 'dev@example.com', role: 'developer' })
    const { id } = invited.body.invitation as { id: string }
    tries.push(await clerk.browser.post(`/v1/invitations/${id}/withdraw`))
    expect(tries.map(({ error }) => error.type)).toEqual(Array(5).fill('beyond_own_rights'))
    expect(tries.map(fieldOf)).toEqual(['scopes', 'role', 'member_id', 'member_id', 'invitation_id'])
    expect(tries[0]?.text).toContain('users:bulk')
    const fitting = { email, role: 'custom', scopes: ['users:read'], projects: [project] }
    expect((await clerk.browser.post('/v1/members/invite', fitting)).status).toBe(200)
  })

  it('cannot manage members when they are limited to some projects', async () => {
    const { owner, project } = await createOwner(at())
    const admin = await join(owner, { role: 'admin', projects: [project] })
    const answer = await admin.browser.post('/v1/members/invite', { email: 'p@example.com', role: 'reader' })
    expect(answer.error).toMatchObject({
      type: 'forbidden',
      needs: "access to all of the account's projects",
    })
  })

  const UNFIT: readonly (readonly [string, object, string, RegExp])[] = [
    ['an unknown scope', { role: 'custom', scopes: ['users:all'] }, 'scopes.0', /must be account:read/],
    ['a custom role without scopes', { role: 'custom' }, 'scopes', /GET \/v1\/scopes/],
    ['a scope of operators', { role: 'custom', scopes: ['admin'] }, 'scopes', /Omit it/],
    ['scopes together with a role', { role: 'reader', scopes: ['users:read'] }, 'scopes', /Omit it/],
    ['an unknown role', { role: 'boss' }, 'role', /must be owner/],
    [
      'a project of another account',
      { role: 'reader', projects: ['prj_none'] },
      'projects.0',
      /GET \/v1\/projects/,
    ],
    ['an empty list of projects', { role: 'reader', projects: [] }, 'projects', /at least 1/],
    [
      'the owner role for some projects',
      { role: 'owner', projects: ['prj_none'] },
      'projects',
      /has access to all projects/,
    ],
    ['the reseller role for all projects', { role: 'reseller' }, 'projects', /exactly one project/],
    ['a limit of keys without the reseller role', { role: 'reader', max_keys: 5 }, 'max_keys', /Omit it/],
  ]
  it.each(UNFIT)('cannot be given %s, and the error says how to fix it', async (_, seat, field, words) => {
    const { owner } = await createOwner(at())
    const member = await join(owner, { role: 'support' })
    const invited = await owner.post('/v1/members/invite', { email: 'x@example.com', ...seat })
    const edited = await owner.post(`/v1/members/${member.id}/edit`, seat)
    for (const answer of [invited, edited]) {
      expect(answer.error.type).toBe('invalid_request')
      expect(fieldOf(answer)).toBe(field)
      expect(answer.text).toMatch(words)
    }
  })

  it('keep fields that an edit omits, and lose those that belonged to a previous role', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createProject(owner)
    const member = await join(owner, { role: 'reseller', projects: [project], maxKeys: 3 })
    const seat = async () => (await membersOf(owner)).find(({ id }) => id === member.id)
    const edit = (body: object) => owner.post(`/v1/members/${member.id}/edit`, body)
    expect((await edit({})).error.type).toBe('cannot_edit_nothing')
    await edit({ projects: [other] })
    expect(await seat()).toMatchObject({ role: 'reseller', projects: [other], max_keys: 3 })
    await edit({ max_keys: null })
    expect(await seat()).toMatchObject({ role: 'reseller', projects: [other], max_keys: null })
    await edit({ role: 'support' })
    expect(await seat()).toMatchObject({ role: 'support', projects: [other], max_keys: null })
    await edit({ projects: null })
    expect(await seat()).toMatchObject({ role: 'support', projects: null })
    const { text } = await owner.get('/v1/audit?action=v1.members.edit')
    expect(text).toContain(`"changes":{"projects":{"before":["${other}"],"after":null}}`)
  })

  it('keep the projects they were limited to, even after one of these was removed', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createProject(owner, { name: 'Other' })
    const { id } = await join(owner, { role: 'support', projects: [project] })
    const edit = (body: object) => owner.post(`/v1/members/${id}/edit`, body)
    expect((await owner.post(`/v1/projects/${project}/remove`)).status).toBe(200)
    expect((await edit({ role: 'reader' })).status).toBe(200)
    const projects = [project, other]
    expect((await edit({ projects })).status).toBe(200)
    expect(await membersOf(owner)).toMatchObject([{ role: 'reader', projects }])
    const invited = await owner.post('/v1/members/invite', { email: 'a@b.c', role: 'reader', projects })
    expect(invited.error.failed).toMatchObject([{ field: 'projects.0' }])
  })

  it('get the permissions of an edit immediately, in every dashboard session', async () => {
    const { owner, project } = await createOwner(at())
    const member = await join(owner, { role: 'support' })
    const second = await browserOf(at(), member.person)
    expect((await second.post(`/v1/projects/${project}/users/new`)).status).toBe(200)
    await owner.post(`/v1/members/${member.id}/edit`, { role: 'reader' })
    for (const browser of [member.browser, second]) {
      const { error } = await browser.post(`/v1/projects/${project}/users/new`)
      expect(error).toMatchObject({ type: 'forbidden', needs: 'users:issue' })
    }
    await owner.post(`/v1/members/${member.id}/remove`)
    expect((await second.get('/v1/projects')).error.type).toBe('forbidden')
  })

  it('see only their own projects; others appear missing', async () => {
    const { owner, project } = await createOwner(at())
    const other = await createProject(owner)
    const { browser } = await join(owner, { role: 'developer', projects: [project] })
    expect((await browser.get(`/v1/projects/${project}`)).status).toBe(200)
    const [foreign, missing] = [
      await browser.get(`/v1/projects/${other}`),
      await browser.get('/v1/projects/prj_x'),
    ]
    expect(foreign.error.type).toBe('not_found')
    expect(errorWithoutId(foreign, other)).toEqual(errorWithoutId(missing, 'prj_x'))
  })

  it('who support users can read scripts and versions, but no source', async () => {
    const { owner, ids } = await furnish(at())
    const { browser } = await join(owner, { role: 'support' })
    const { project_id, script_id, function_name } = ids
    expect((await browser.get(`/v1/projects/${project_id}/scripts`)).body.scripts).toMatchObject([
      { id: script_id, name: expect.any(String) },
    ])
    for (const path of ['', '/versions', '/versions/1'])
      expect((await browser.get(`/v1/scripts/${script_id}${path}`)).status, path).toBe(200)
    for (const path of ['/versions/1/source', `/functions/${function_name}`])
      expect((await browser.get(`/v1/scripts/${script_id}${path}`)).error, path).toMatchObject({
        needs: 'scripts:source',
      })
  })

  it('can change members only within ten minutes of signing in', async () => {
    const { owner } = await createOwner(at())
    const [first, reader] = [await join(owner, { role: 'owner' }), await join(owner, { role: 'reader' })]
    at().clock.now += 11 * MINUTE_MS
    for (const path of [
      '/v1/members/invite',
      `/v1/members/${reader.id}/edit`,
      `/v1/members/${reader.id}/remove`,
    ]) {
      const { error } = await first.browser.post(path, { email: 'x@example.com', role: 'reader' })
      expect(error.type).toBe('fresh_sign_in_needed')
    }
  })

  it('who are removed or lose permissions lose the tokens and invitations that exceed them', async () => {
    const { owner, project } = await createOwner(at())
    const member = await join(owner, { role: 'admin' })
    const wide = await makeToken(owner, member.person, ['users:write'])
    const narrow = await makeToken(owner, member.person, ['users:read'], [project])
    const others = await makeToken(owner, await createPerson(at(), owner.id, { role: 'admin' }), [
      'users:write',
    ])
    for (const [email, role] of [
      ['s@example.com', 'support'],
      ['r@example.com', 'reader'],
    ])
      await member.browser.post('/v1/members/invite', { email, role })
    const waiting = async () =>
      ((await owner.get('/v1/members')).body.invitations as { role: string }[]).map(({ role }) => role)
    await owner.post(`/v1/members/${member.id}/edit`, { role: 'reader' })
    const path = `/v1/projects/${project}/users`
    expect((await wide.get(path)).error.type).toBe('unauthorized')
    expect((await narrow.get(path)).status).toBe(200)
    expect(await waiting()).toEqual(['reader'])
    await owner.post(`/v1/members/${member.id}/remove`)
    expect((await narrow.get(path)).error.type).toBe('unauthorized')
    expect((await others.get(path)).status).toBe(200)
    expect(await waiting()).toEqual([])
  })

  it('who are removed lose the tokens whose secret they received in a rotation', async () => {
    const { owner } = await createOwner(at())
    const scopes = ['projects:read', 'tokens:write']
    const made = await owner.post('/v1/tokens/new', { name: 'CI', scopes })
    const [first, second] = [await join(owner, { role: 'admin' }), await join(owner, { role: 'admin' })]
    const path = `/v1/tokens/${(made.body.token as { id: string }).id}/rotate`
    const theirs = at().client((await first.browser.post(path, { overlap_ms: 1000 })).string('secret'))
    expect((await theirs.get('/v1/projects')).status).toBe(200)
    const next = at().client((await second.browser.post(path)).string('secret'))
    await owner.post(`/v1/members/${first.id}/remove`)
    expect((await next.get('/v1/projects')).status).toBe(200)
    await owner.post(`/v1/members/${second.id}/remove`)
    expect((await next.get('/v1/projects')).status).toBe(401)
  })

  it('who are removed lose the invitations created with their tokens', async () => {
    const { owner } = await createOwner(at())
    const member = await join(owner, { role: 'admin' })
    const token = await makeToken(owner, member.person, ALL_SCOPES)
    await token.post('/v1/members/invite', { email: 'back@example.com', role: 'admin' })
    await owner.post(`/v1/members/${member.id}/remove`)
    expect((await owner.get('/v1/members')).body.invitations).toEqual([])
  })

  it("cannot be invited by tokens with networks or an expiry, which members don't have", async () => {
    const owner = await at().createCustomer()
    const scopes = ['members:write', 'users:write']
    const invite = async (limits: object) => {
      const made = await owner.post('/v1/tokens/new', { name: 'CI', scopes, ...limits })
      const seat = { email: 'helper@example.com', role: 'custom', scopes: ['users:write'] }
      return at().client(made.string('secret')).post('/v1/members/invite', seat)
    }
    for (const limits of [{ networks: ['127.0.0.1'] }, { expires_at: 9e12 }])
      expect((await invite(limits)).error.type).toBe('beyond_own_rights')
    expect((await invite({})).status).toBe(200)
  })

  it('who leave lose their tokens and see no account', async () => {
    const { owner, project } = await createOwner(at())
    const member = await join(owner, { role: 'developer' })
    const token = await makeToken(owner, member.person, ['users:read'])
    expect((await member.browser.post('/v1/members/leave')).status).toBe(200)
    expect((await token.get(`/v1/projects/${project}/users`)).error.type).toBe('unauthorized')
    expect((await member.browser.post('/v1/members/leave')).error).toMatchObject({ needs: 'an account' })
    expect((await owner.post('/v1/members/leave')).error.type).toBe('forbidden')
  })

  const ENDS: readonly (readonly [string, (id: string, project: string) => readonly [string, object]])[] = [
    ['the member is removed', (id) => [`/v1/members/${id}/remove`, {}]],
    [
      'the role is taken away',
      (id) => [`/v1/members/${id}/edit`, { role: 'custom', scopes: ['users:read'] }],
    ],
    ['the project is taken away', (id, project) => [`/v1/members/${id}/edit`, { projects: [project] }]],
  ]
  it.each(ENDS)('stop receiving a stream when %s, while others continue', async (_, end) => {
    const { owner, ids } = await furnish(at())
    const { project_id = '', script_id = '', user_key = '' } = ids
    const session = joinSession(at(), { customer_id: owner.id, project_id, script_id, user_key })
    const [member, other] = [await join(owner, { role: 'support' }), await join(owner, { role: 'support' })]
    const url = `${at().url}/v1/projects/${project_id}/sessions/events`
    const [stream, untouched] = [await watch(url, member.headers), await watch(url, other.headers)]
    await stream.next()
    await untouched.next()
    const [path, body] = end(member.id, await createProject(owner))
    expect((await owner.post(path, body)).status).toBe(200)
    await ended(stream.ended())
    session.detach(1)
    expect(await untouched.next()).toMatch(/^event: detached/)
    await untouched.close()
  })

  it("who lose access while a list is being sent don't get the rest of it", async () => {
    const { owner, project } = await createOwner(at())
    const member = await join(owner, { role: 'support', projects: [project] })
    const requests = new LiveRequests(at().deps)
    const endpoint = {
      name: 'list',
      auth: 'project',
      scope: 'users:read',
      issued: true,
      failures: {},
      produces: 'stream',
    } as const
    const text = /scriptward=(.*)/.exec(member.headers.cookie ?? '')?.[1] ?? ''
    const given = { credential: { kind: 'cookie', text }, params: { project_id: project } } as const
    const view = JSON.stringify([null, [project]])
    const parts = requests.guard(
      { endpoint, ...given, address: '127.0.0.1', view },
      Readable.from(['[1', ',2']),
    )
    await requests.review()
    expect((await parts.next()).value).toBe('[1')
    await owner.post(`/v1/members/${member.id}/edit`, { role: 'reseller' })
    await requests.review()
    await expect(parts.next()).rejects.toThrow(EndedEarly)
  })

  it('and invitations are limited to a hundred each', async () => {
    const { owner } = await createOwner(at())
    const invite = (name: string) =>
      owner.post('/v1/members/invite', { email: `${name}@example.com`, role: 'reader' })
    for (let n = 0; n < 100; n += 1) expect((await invite(`many${n}`)).status).toBe(200)
    expect((await invite('one-more')).error.type).toBe('max_invitations_reached')
    for (let n = 0; n < 100; n += 1) await createPerson(at(), owner.id, { role: 'reader' })
    expect((await invite('one-more')).error.type).toBe('max_members_reached')
  })

  it('can list the scopes and roles', async () => {
    const { body } = await (await createOwner(at())).owner.get('/v1/scopes')
    const { scopes, roles } = body as { scopes: { name: string }[]; roles: { name: Role }[] }
    expect(scopes.map(({ name }) => name)).toEqual(ALL_SCOPES)
    expect(roles.map(({ name }) => name)).toEqual(ROLE_NAMES.filter((name) => name !== 'custom'))
  })
})

function fieldOf({ error }: Answer): string | undefined {
  return (error.failed as { field: string }[] | undefined)?.[0]?.field
}
