/** Which of an account's resources are visible to a caller who is limited to some projects. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { type Client, serverOn } from '../../../test/harness.ts'
import { joinSession } from '../../../test/live-sessions.ts'
import { createProject } from '../../../test/nouns.ts'
import { furnish } from '../../../test/subjects.ts'

const HOOK = 'https://hooks.example.com/services/T0/secret?token=1'
const MASKED = 'https://hooks.example.com/services/•••'

describe.each(anyEngine)('a caller limited to some projects on $name', (engine) => {
  const { at } = serverOn(engine)

  const limited = async (scopes: readonly string[]) => {
    const { owner, ids } = await furnish(at())
    const mine = await createProject(owner, { name: 'Mine' })
    const made = await owner.post('/v1/tokens/new', { name: 'CI', scopes, projects: [mine] })
    const client: Client = at().client(made.string('secret'))
    return { owner, ids, mine, client }
  }

  it('lists and counts only their projects', async () => {
    const { owner, mine, client } = await limited(['projects:read'])
    const { projects, total, next } = (await client.get('/v1/projects')).body
    expect([projects, total, next]).toMatchObject([[{ id: mine, name: 'Mine' }], 1, null])
    expect((await owner.get('/v1/projects')).body.total).toBe(2)
    await owner.post(`/v1/projects/${mine}/remove`)
    expect((await client.get('/v1/projects')).body).toMatchObject({ projects: [], total: 0 })
  })

  it('lists and creates ad systems only in their projects, and moves none elsewhere', async () => {
    const { owner, ids, mine, client } = await limited(['ads:write'])
    expect((await client.get('/v1/adsystems')).body).toMatchObject({ systems: [], total: 0 })
    const make = (project_id: unknown) => client.post('/v1/adsystems/new', { project_id, name: 'Ads' })
    const system_id = (await make(mine)).string('system_id')
    expect((await client.get('/v1/adsystems')).body).toMatchObject({ systems: [{ id: system_id }], total: 1 })
    expect((await owner.get('/v1/adsystems')).body.total).toBe(2)
    const move = (project_id: unknown) => client.post(`/v1/adsystems/${system_id}/edit`, { project_id })
    for (const project of [ids.project_id, 'prj_none']) {
      expect((await make(project)).error.type).toBe('not_found')
      expect((await move(project)).error.type).toBe('not_found')
    }
    expect((await move(mine)).status).toBe(200)
    expect((await client.get('/v1/adproviders')).status).toBe(200)
    expect((await client.get(`/v1/adsystems/${ids.system_id}`)).status).toBe(404)
  })

  it('cannot use a checkpoint of another system as fallback', async () => {
    const { ids, mine, client } = await limited(['ads:write'])
    const system = (await client.post('/v1/adsystems/new', { project_id: mine, name: 'Ads' })).string(
      'system_id',
    )
    await client.post(`/v1/adsystems/${system}/checkpoints/prepare`)
    const draft = {
      name: 'First',
      url: 'https://links.example.com/s?abc',
      provider: 'provider_c',
      provider_data: { link_id: '42' },
      fallback_checkpoint_id: ids.checkpoint_id,
    }
    const answer = await client.post(`/v1/adsystems/${system}/checkpoints/new`, draft)
    expect(answer.error.failed).toMatchObject([{ field: 'fallback_checkpoint_id' }])
  })

  it('ends and messages only the sessions of their projects', async () => {
    const { owner, ids, mine, client } = await limited(['sessions:write'])
    const { script_id = '' } = ids
    const their = { customer_id: owner.id, project_id: mine, script_id, user_key: 'k' }
    const theirs = joinSession(at(), their, () => ({ ok: true }))
    const session_ids = [theirs.id, ids.session_id, 'ses_none']
    const processed = (body: Readonly<Record<string, unknown>>) =>
      (body.responses as { processed: boolean }[]).map((one) => one.processed)
    const asked = await client.post('/v1/sessions/message', { session_ids, key: 'k' })
    expect(processed(asked.body)).toEqual([true, false, false])
    const ended = await client.post('/v1/sessions/disconnect', { session_ids })
    expect(processed(ended.body)).toEqual([true, false, false])
    expect((await owner.get(`/v1/sessions/${ids.session_id}`)).status).toBe(200)
    expect((await client.get(`/v1/sessions/${ids.session_id}`)).status).toBe(404)
  })

  it('cannot see account-wide data', async () => {
    const { client } = await limited(['account:read', 'statistics:read', 'projects:write'])
    const paths = ['/v1/account', '/v1/account/executions', '/v1/account/executors']
    const answers = [
      ...(await Promise.all(paths.map((path) => client.get(path)))),
      await client.post('/v1/projects/new', { name: 'New' }),
    ]
    for (const { error } of answers)
      expect(error).toMatchObject({ type: 'forbidden', needs: "access to all of the account's projects" })
    expect((await client.get('/v1/limits')).status).toBe(200)
    expect((await client.get('/v1/obfuscator/options')).status).toBe(200)
  })

  it('may keep a removed project beside others, and has it again once it is restored', async () => {
    const { owner, mine, client } = await limited(['projects:read'])
    const other = await createProject(owner, { name: 'Other' })
    const listed = (await owner.get('/v1/tokens')).body.tokens as { id: string; projects: string[] | null }[]
    const id = listed.find(({ projects }) => projects?.includes(mine))?.id
    const change_id = (await owner.post(`/v1/projects/${mine}/remove`)).string('change_id')
    const edit = (projects: readonly string[]) => owner.post(`/v1/tokens/${id}/edit`, { projects })
    expect((await edit([mine, other])).status).toBe(200)
    expect((await edit([mine, other, 'prj_none'])).error.failed).toMatchObject([{ field: 'projects.2' }])
    expect((await client.get('/v1/projects')).body.projects).toMatchObject([{ id: other }])
    expect((await owner.post(`/v1/changes/${change_id}/undo`)).status).toBe(200)
    expect((await client.get('/v1/projects')).body.total).toBe(2)
    expect((await edit([other])).status).toBe(200)
    await owner.post(`/v1/projects/${mine}/remove`)
    expect((await edit([mine, other])).error.failed).toMatchObject([{ field: 'projects.0' }])
  })

  it('gets the same response when they repeat a removal', async () => {
    const { mine, client } = await limited(['projects:write'])
    const path = `/v1/projects/${mine}/remove`
    const headers = { 'idempotency-key': 'once' }
    const [first, again] = [
      await client.send('POST', path, { headers }),
      await client.send('POST', path, { headers }),
    ]
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })
})

describe.each(anyEngine)('webhook URLs on $name', (engine) => {
  const { at } = serverOn(engine)

  const furnished = async (scopes: readonly string[]) => {
    const owner = await at().createCustomer()
    const project = await createProject(owner, { execution_webhook: HOOK })
    const made = await owner.post('/v1/tokens/new', { name: 'CI', scopes })
    return { owner, project, client: at().client(made.string('secret')) }
  }

  it('are shortened to host and first path segment for callers who may not write webhooks', async () => {
    const { owner, project, client } = await furnished(['projects:write'])
    const shown = { execution_webhook: MASKED, information_webhook: null, blacklist_webhook: null }
    const edited = await client.post(`/v1/projects/${project}/edit`, { name: 'Other' })
    for (const path of [`/projects/${project}`, `/v1/projects/${project}`])
      expect((await client.get(path)).body.project).toMatchObject(shown)
    expect(edited.body.project).toMatchObject({ name: 'Other', ...shown })
    expect((await client.get('/v1/projects')).body.projects).toMatchObject([shown])
    expect((await owner.get(`/projects/${project}`)).body.project).toMatchObject({ execution_webhook: HOOK })
    const reader = await furnished(['projects:read', 'webhooks:read'])
    expect((await reader.client.get(`/projects/${reader.project}`)).body.project).toMatchObject(shown)
  })

  it('are set only by callers who may write webhooks', async () => {
    const { owner, project, client } = await furnished(['projects:write', 'webhooks:read'])
    const given = { information_webhook: 'https://hooks.example.com/other' }
    const answers = [
      await client.post(`/v1/projects/${project}/edit`, given),
      await client.post(`/projects/${project}/edit`, { execution_webhook: '' }),
      await client.post('/v1/projects/new', { name: 'New', ...given }),
    ]
    for (const { error } of answers)
      expect(error).toMatchObject({ type: 'forbidden', needs: 'webhooks:write' })
    expect((await owner.get(`/projects/${project}`)).body.project).toMatchObject({
      ...{ execution_webhook: HOOK, information_webhook: null },
    })
    const writer = await furnished(['projects:write', 'webhooks:write'])
    expect((await writer.client.post(`/projects/${writer.project}/edit`, given)).status).toBe(200)
  })
})

describe.each(anyEngine)('an Idempotency-Key on $name', (engine) => {
  const { at } = serverOn(engine)

  it('never replays a secret, neither to another token nor to its sender', async () => {
    const owner = await at().createCustomer()
    const scopes = ['tokens:write', 'projects:read']
    const makers = [await owner.post('/v1/tokens/new', { name: 'A', scopes })]
    makers.push(await owner.post('/v1/tokens/new', { name: 'B', scopes }))
    const [one, other] = makers.map((made) => at().client(made.string('secret')))
    const sent = {
      headers: { 'idempotency-key': 'the-same', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Made', scopes: ['projects:read'] }),
    }
    expect((await one?.send('POST', '/v1/tokens/new', sent))?.status).toBe(200)
    expect((await one?.send('POST', '/v1/tokens/new', sent))?.error.type).toBe('idempotency_answer_lost')
    expect((await other?.send('POST', '/v1/tokens/new', sent))?.error.type).toBe('idempotency_key_reused')
    expect((await owner.send('POST', '/v1/tokens/new', sent)).error.type).toBe('idempotency_key_reused')
  })
})
