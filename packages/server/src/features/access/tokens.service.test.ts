/** Creating, changing, rotating and revoking tokens, and their permissions. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Client, type Owner, START, serverOn } from '../../../test/harness.ts'
import { joinSession } from '../../../test/live-sessions.ts'
import { createProject } from '../../../test/nouns.ts'
import { until } from '../../../test/patience.ts'
import { rowsOf } from '../../../test/stored.ts'
import { furnish } from '../../../test/subjects.ts'
import { watch } from '../../../test/watch-events.ts'
import { withoutId } from '../../../test/without-id.ts'
import { ALL_SCOPES, withIncluded } from './scopes.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const FORM = /^swt_[A-Za-z0-9]{46}$/

type Members = Readonly<Record<string, unknown>>
type Made = { readonly id: string; readonly secret: string; readonly client: Client; readonly token: Members }

describe.each(anyEngine)('tokens on $name', (engine) => {
  const { at } = serverOn(engine)

  const make = async (by: Client, members: Members = {}): Promise<Made> => {
    const answer = await by.post('/v1/tokens/new', { name: 'CI', scopes: ['projects:read'], ...members })
    if (answer.status !== 200) throw new Error(answer.text)
    const token = answer.body.token as Members
    const secret = answer.string('secret')
    return { id: String(token.id), secret, token, client: at().client(secret) }
  }
  const failed = async (by: Client, members: Members) => {
    const answer = await by.post('/v1/tokens/new', { name: 'CI', scopes: ['projects:read'], ...members })
    expect(answer.error.type, answer.text).toBe('invalid_request')
    return answer.error.failed as { field: string; errors: string[] }[]
  }
  const fields = async (by: Client, members: Members) => (await failed(by, members)).map(({ field }) => field)

  it('are listed with their permissions, and their secret appears only in the response that created them', async () => {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    const limits = { projects: [project], networks: ['127.0.0.0/8'], expires_at: START + DAY_MS }
    const { id, secret, token } = await make(owner, { name: ' CI ', scopes: ['users:write'], ...limits })
    expect(secret).toMatch(FORM)
    const start = secret.slice(0, 8)
    expect(token).toEqual({
      ...{ id, name: 'CI', start, scopes: ['users:write'], ...limits, created_at: START },
      ...{ created_by: null, last_used_at: null, last_used_network: null, previous_until: null },
    })
    expect((await owner.get(`/v1/tokens/${id}`)).body.token).toEqual(token)
    const listed = (await owner.get('/v1/tokens')).body
    expect(listed).toEqual({ success: true, tokens: [token], total: 1, next: null })
  })

  it('keep their secret out of the log, the audit log and every later response', async () => {
    const owner = await at().createCustomer()
    const made = await make(owner, { scopes: [...ALL_SCOPES].filter((one) => one !== 'admin') })
    await made.client.get('/v1/projects')
    await made.client.post(`/v1/tokens/${made.id}/edit`, { name: 'Other' })
    const rotated = await made.client.post(`/v1/tokens/${made.id}/rotate`, { overlap_ms: HOUR_MS })
    const later = await made.client.get(`/v1/tokens/${made.id}`)
    const all = await made.client.get('/v1/tokens')
    const stored = JSON.stringify([await rowsOf(at(), 'audit_entries'), await rowsOf(at(), 'tokens')])
    for (const secret of [made.secret, rotated.string('secret')])
      for (const place of [at().log.join('\n'), stored, later.text, all.text])
        expect(place).not.toContain(secret.slice(8))
  })

  it('allow exactly what their scopes include', async () => {
    const { owner, ids } = await furnish(at())
    const { client } = await make(owner, { scopes: ['users:read'] })
    expect((await client.get(`/v1/users/${ids.user_key}`)).status).toBe(200)
    const refused = await client.post(`/v1/users/${ids.user_key}/edit`, { note: 'x' })
    expect(refused.error).toMatchObject({ type: 'forbidden', code: -1, needs: 'users:write' })
    expect((await client.get(`/projects/${ids.project_id}`)).error).toMatchObject({
      needs: 'projects:read',
    })
    expect((await client.get('/v1/admin/customers')).error).toMatchObject({ needs: 'admin' })
  })

  it('of an operator lose admin access together with the account', async () => {
    const { client } = await make(at().admin, { scopes: ['admin'] })
    expect((await client.get('/v1/admin/customers?limit=1')).status).toBe(200)
    const owner = await at().createCustomer()
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { admin: true })
    const theirs = await make(owner, { scopes: ['admin'] })
    await at().admin.post(`/v1/admin/customers/${owner.id}/edit`, { admin: false })
    expect((await theirs.client.get('/v1/admin/customers')).error).toMatchObject({ needs: 'admin' })
  })

  it('respond to a project outside their limit as if it did not exist', async () => {
    const { owner, ids } = await furnish(at())
    const other = await createProject(owner)
    const { client } = await make(owner, { scopes: ['projects:write', 'users:write'], projects: [other] })
    expect((await client.get(`/v1/projects/${other}`)).status).toBe(200)
    const headers = { 'x-request-id': 'one-request-id' }
    const [hidden, missing] = [
      await client.get(`/v1/projects/${ids.project_id}`, headers),
      await client.get(`/v1/projects/${other}~`, headers),
    ]
    expect(hidden.status).toBe(404)
    expect(withoutId(hidden.text, ids.project_id ?? '')).toBe(withoutId(missing.text, `${other}~`))
    expect((await client.get(`/v1/users/${ids.user_key}`)).status).toBe(404)
    const created = await client.post('/v1/projects/new', { name: 'New' })
    expect(created.error).toMatchObject({
      type: 'forbidden',
      needs: "access to all of the account's projects",
    })
  })

  it('work only from their networks', async () => {
    const owner = await at().createCustomer()
    const inside = await make(owner, { networks: ['::ffff:127.0.0.0/104', '2001:db8::/48'] })
    expect(inside.token.networks).toEqual(['127.0.0.0/8', '2001:db8::/48'])
    expect((await inside.client.get('/v1/projects')).status).toBe(200)
    const outside = await make(owner, { networks: ['203.0.113.0/24'] })
    expect((await outside.client.get('/v1/projects')).error.type).toBe('network_not_allowed')
  })

  it('work until they expire', async () => {
    const owner = await at().createCustomer()
    const { id, client } = await make(owner, { expires_at: at().clock.now + HOUR_MS })
    at().clock.now += HOUR_MS - 1
    expect((await client.get('/v1/projects')).status).toBe(200)
    at().clock.now += 1
    expect((await client.get('/v1/projects')).error.type).toBe('unauthorized')
    expect((await owner.post(`/v1/tokens/${id}/rotate`)).error).toMatchObject({
      type: 'token_expired',
      code: 0,
    })
    await owner.post(`/v1/tokens/${id}/edit`, { expires_at: null })
    expect((await client.get('/v1/projects')).status).toBe(200)
  })

  it('have two valid secrets during a rotation, and never three', async () => {
    const owner = await at().createCustomer()
    const first = await make(owner)
    const works = async (secret: string) => (await at().client(secret).get('/v1/projects')).status === 200
    const rotate = async (body?: Members) => owner.post(`/v1/tokens/${first.id}/rotate`, body)
    const answer = await rotate({ overlap_ms: HOUR_MS })
    const second = answer.string('secret')
    expect(answer.body.token).toMatchObject({
      start: second.slice(0, 8),
      previous_until: at().clock.now + HOUR_MS,
    })
    expect([await works(first.secret), await works(second)]).toEqual([true, true])
    at().clock.now += HOUR_MS
    expect([await works(first.secret), await works(second)]).toEqual([false, true])
    const third = (await rotate({ overlap_ms: DAY_MS })).string('secret')
    const fourth = (await rotate({ overlap_ms: DAY_MS })).string('secret')
    expect([await works(second), await works(third), await works(fourth)]).toEqual([false, true, true])
    const fifth = (await rotate()).string('secret')
    expect([await works(third), await works(fourth), await works(fifth)]).toEqual([false, false, true])
    expect((await rotate({ overlap_ms: DAY_MS + 1 })).error.failed).toMatchObject([{ field: 'overlap_ms' }])
  })

  it('stop working when they are revoked and when their account is removed', async () => {
    const owner = await at().createCustomer()
    const { id, client, secret } = await make(owner)
    const rotated = (await owner.post(`/v1/tokens/${id}/rotate`, { overlap_ms: HOUR_MS })).string('secret')
    expect((await owner.post(`/v1/tokens/${id}/revoke`)).body).toEqual({ success: true })
    for (const one of [secret, rotated])
      expect((await at().client(one).get('/v1/projects')).error.type).toBe('unauthorized')
    expect((await owner.post(`/v1/tokens/${id}/revoke`)).error.type).toBe('not_found')
    expect((await client.get('/v1/projects')).error.type).toBe('unauthorized')

    const banned = await make(owner)
    await at().admin.post(`/v1/admin/customers/${owner.id}/blacklist`)
    expect((await banned.client.get('/v1/projects')).error).toMatchObject({ type: 'forbidden' })
    await at().admin.post(`/v1/admin/customers/${owner.id}/remove`)
    expect((await banned.client.get('/v1/projects')).error.type).toBe('unauthorized')
  })

  const STREAM_ENDS: readonly (readonly [string, (owner: Owner, id: string) => Promise<unknown>])[] = [
    ['a revocation', (owner, id) => owner.post(`/v1/tokens/${id}/revoke`)],
    ['a rotation', (owner, id) => owner.post(`/v1/tokens/${id}/rotate`)],
    ['an edit of the scopes', (owner, id) => owner.post(`/v1/tokens/${id}/edit`, { scopes: ['ads:read'] })],
    ['an edit of the networks', (owner, id) => owner.post(`/v1/tokens/${id}/edit`, { networks: ['::1'] })],
    [
      'the expiry',
      async () => {
        at().clock.now += HOUR_MS
      },
    ],
  ]
  it.each(STREAM_ENDS)('close their streams on %s', async (_, end) => {
    const { owner, ids } = await furnish(at())
    const limits = { scopes: ['sessions:read'], expires_at: at().clock.now + HOUR_MS }
    const { id, secret } = await make(owner, limits)
    const path = `/v1/projects/${ids.project_id}/sessions/events`
    const stream = await watch(`${at().url}${path}`, secret)
    await stream.next()
    await end(owner, id)
    await stream.ended()
  })

  it('end a pending response when they are revoked', async () => {
    const { owner, ids } = await furnish(at())
    const { project_id = '', script_id = '', user_key = '' } = ids
    const session = joinSession(at(), { customer_id: owner.id, project_id, script_id, user_key })
    const { id, client } = await make(owner, { scopes: ['sessions:write'] })
    const asked = client.post(`/v1/sessions/${session.id}/message`, { key: 'k' })
    await until(() => session.received.length > 0)
    await owner.post(`/v1/tokens/${id}/revoke`)
    expect((await asked).error.type).toBe('unauthorized')
  })

  it('are accepted only in a header', async () => {
    const owner = await at().createCustomer()
    const { secret } = await make(owner, { scopes: ['account:write'] })
    expect((await at().client(secret).get('/v1/account')).status).toBe(200)
    const answers = [
      await at().client().get(`/customers/${secret}`),
      await at().client().get(`/v1/account?api_key=${secret}`),
      await at().client().post('/v1/account/reset', { api_key: secret }),
    ]
    for (const { error } of answers) expect(error.type).toBe('unauthorized')
  })

  describe('cannot grant more than they have', () => {
    const scopes = ['tokens:write', 'users:write', 'projects:write']

    it('in scopes', async () => {
      const owner = await at().createCustomer()
      expect(await fields(owner, { scopes: ['admin', 'users:read'] })).toEqual(['scopes'])
      const { client } = await make(owner, { scopes })
      await make(client, { scopes: ['users:issue', 'projects:read', 'tokens:read'] })
      const [wider] = await failed(client, { scopes: ['users:write', 'users:bulk', 'audit:read'] })
      expect(wider).toEqual({
        field: 'scopes',
        errors: ['must be a subset of your own scopes, which lack users:bulk, audit:read'],
      })
    })

    it('in projects, and do not see tokens of other projects', async () => {
      const owner = await at().createCustomer()
      const [mine, other] = [await createProject(owner), await createProject(owner)]
      const { id, client } = await make(owner, { scopes, projects: [mine] })
      const hidden = [await make(owner), await make(owner, { projects: [mine, other] })]
      const made = await make(client, { projects: [mine] })
      expect(await fields(client, {})).toEqual(['projects'])
      expect(await fields(client, { projects: [mine, other] })).toEqual(['projects.1'])
      const { tokens, total } = (await client.get('/v1/tokens')).body as { tokens: Members[]; total: number }
      expect([tokens.map((one) => one.id), total]).toEqual([[id, made.id], 2])
      for (const one of hidden) {
        expect((await client.get(`/v1/tokens/${one.id}`)).status).toBe(404)
        for (const word of ['edit', 'rotate', 'revoke'])
          expect(
            (await client.post(`/v1/tokens/${one.id}/${word}`, word === 'edit' ? { name: 'x' } : {})).status,
          ).toBe(404)
        expect((await one.client.get(`/v1/projects/${mine}`)).status).toBe(200)
      }
    })

    it('in networks or in lifetime', async () => {
      const owner = await at().createCustomer()
      const expires_at = at().clock.now + DAY_MS
      const { client } = await make(owner, { scopes, networks: ['127.0.0.0/8'], expires_at })
      expect(await fields(client, {})).toEqual(['networks', 'expires_at'])
      expect(await fields(client, { networks: ['0.0.0.0/0'], expires_at: expires_at + 1 })).toEqual([
        'networks',
        'expires_at',
      ])
      await make(client, { networks: ['127.0.0.1'], expires_at })
    })

    it('by editing or rotating another token or themselves', async () => {
      const owner = await at().createCustomer()
      const { id, client } = await make(owner, { scopes })
      const wide = await make(owner, { scopes: ['users:bulk'] })
      const rotated = await client.post(`/v1/tokens/${wide.id}/rotate`)
      expect(rotated.error).toMatchObject({ type: 'forbidden', needs: 'users:bulk' })
      const named = await client.post(`/v1/tokens/${wide.id}/edit`, { name: 'x' })
      expect(named.error.failed).toMatchObject([{ field: 'scopes' }])
      const itself = await client.post(`/v1/tokens/${id}/edit`, { scopes: ['users:bulk', 'tokens:write'] })
      expect(itself.error.failed).toMatchObject([{ field: 'scopes' }])
      expect((await client.post(`/v1/tokens/${wide.id}/revoke`)).status).toBe(200)
    })
  })

  it('are rejected with each invalid field by name and what it must be', async () => {
    const owner = await at().createCustomer()
    const theirs = await createProject(await at().createCustomer())
    const mine = await createProject(owner)
    const project = 'must be the ID of one of your projects'
    expect(await failed(owner, { projects: [mine, theirs, 'prj_none'] })).toEqual([
      { field: 'projects.1', errors: [project] },
      { field: 'projects.2', errors: [project] },
    ])
    expect(await failed(owner, { networks: ['10.0.0.1', 'localhost'] })).toEqual([
      { field: 'networks.1', errors: [expect.stringContaining('203.0.113.0/24')] },
    ])
    expect(await failed(owner, { expires_at: at().clock.now })).toEqual([
      { field: 'expires_at', errors: ['must be in the future, in Unix milliseconds'] },
    ])
    for (const members of [{ scopes: [] }, { scopes: ['users:reed'] }, { projects: [] }, { networks: [] }])
      expect((await fields(owner, members))[0]).toMatch(new RegExp(`^${Object.keys(members)[0]}`))
    const { id } = await make(owner)
    expect((await owner.post(`/v1/tokens/${id}/edit`, {})).error).toMatchObject({
      type: 'cannot_edit_nothing',
      code: 0,
    })
  })

  it('are edited field by field; null removes a limit', async () => {
    const owner = await at().createCustomer()
    const project = await createProject(owner)
    const limits = { projects: [project], networks: ['127.0.0.1'], expires_at: at().clock.now + DAY_MS }
    const { id, token, client } = await make(owner, limits)
    const edit = async (body: Members) => (await owner.post(`/v1/tokens/${id}/edit`, body)).body.token
    expect(await edit({ name: ' Other ' })).toEqual({ ...token, name: 'Other' })
    expect(await edit({ scopes: ['users:read', 'users:read'] })).toMatchObject({
      scopes: ['users:read'],
      ...limits,
    })
    const none = { projects: null, networks: null, expires_at: null }
    expect(await edit(none)).toMatchObject({ name: 'Other', scopes: ['users:read'], ...none })
    expect((await client.get(`/v1/projects/${project}`)).error).toMatchObject({ needs: 'projects:read' })
    const { entries } = (await owner.get('/v1/audit?action=v1.tokens.edit')).body
    expect((entries as { changes: object }[])[0]?.changes).toEqual({
      projects: { before: limits.projects, after: null },
      networks: { before: limits.networks, after: null },
      expires_at: { before: limits.expires_at, after: null },
    })
  })

  it('are limited to 100 per account, even when they are created concurrently', async () => {
    const owner = await at().createCustomer()
    const answers = await Promise.all(
      Array.from({ length: 103 }, () =>
        owner.post('/v1/tokens/new', { name: 'CI', scopes: ['projects:read'] }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ error }) => error.type)).toEqual(Array(3).fill('too_many_tokens'))
    const page = (await owner.get('/v1/tokens?limit=60')).body as { tokens: unknown[]; next: string }
    const rest = (await owner.get(`/v1/tokens?after=${page.next}`)).body as { tokens: unknown[] }
    expect([page.tokens.length, rest.tokens.length]).toEqual([60, 40])
  })

  it('include the scopes that their scopes imply', async () => {
    const owner = await at().createCustomer()
    const { client } = await make(owner, { scopes: ['projects:write', 'tokens:write'] })
    for (const one of withIncluded(['projects:write'])) await make(client, { scopes: [one] })
  })
})
