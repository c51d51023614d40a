/** A user's history: executions, device and changes. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { bindDevice, createOwner, createScript, createUser, deviceOf } from '../../../../test/nouns.ts'
import { executionMark } from '../../../../test/store/rows.ts'
import { insertRows } from '../../../../test/stored.ts'
import { chainEntries } from '../../audit/chain.ts'

describe.each(anyEngine)('the history of a user on $name', (engine) => {
  const { at } = serverOn(engine)

  const write = (rows: readonly object[]) =>
    insertRows(
      at(),
      'execution_marks',
      rows.map((row) => ({ ...executionMark, ...row })),
    )

  it('contains only their executions, newest first, page by page', async () => {
    const { owner, project } = await createOwner(at())
    const script_id = await createScript(owner, project)
    const key = await createUser(owner, project)
    const other = await createOwner(at())
    const otherScript = await createScript(other.owner, other.project)
    const exec = (n: number | string) => `exe_${script_id}_${n}`
    const one = { script_id, user_key: key, executor: 'Garden' }
    await write([
      { ...one, exec: exec('former'), granted_at: START - 1 },
      ...[1, 2, 3].map((n) => ({ ...one, exec: exec(n), script_version: n, granted_at: START + n })),
      { ...one, exec: exec('stranger'), user_key: 'somebody-else', granted_at: START + 9 },
      { ...one, exec: exec('foreign'), script_id: otherScript, granted_at: START + 9 },
    ])
    const shown = [3, 2, 1].map((n) => ({
      ...{ script_id, script_version: n, executor: 'Garden', granted_at: START + n },
    }))
    const { body } = await owner.get(`/v1/users/${key}/executions`)
    expect(body).toEqual({ success: true, executions: shown, next: null })
    const first = await owner.get(`/v1/users/${key}/executions?limit=2`)
    expect(first.body.executions).toEqual(shown.slice(0, 2))
    const rest = await owner.get(`/v1/users/${key}/executions?limit=2&after=${first.body.next}`)
    expect(rest.body).toMatchObject({ executions: shown.slice(2), next: null })
    expect((await owner.get(`/v1/users/${key}/executions?after=x`)).error.type).toBe('invalid_request')
  })

  it('contains their device, masked, until it is reset', async () => {
    const { owner, project } = await createOwner(at())
    const key = await createUser(owner, project)
    const device = async () => (await owner.get(`/v1/users/${key}/device`)).body.device
    expect(await device()).toBeNull()
    await bindDevice(at(), project, key)
    const hash = 'd41d8cd98f00b204e9800998ecf8427e'
    await insertRows(at(), 'user_fingerprints', {
      user_key: key,
      project_id: project,
      component: 'cpu',
      strength: 1,
      hash,
      device: deviceOf(key),
    })
    const shown = await device()
    expect(shown).toEqual({
      ip: '203.0.*.*',
      executor: 'Wa**',
      components: [
        { component: 'machine_id', strength: 'strong', hash: 'ab12…ab12' },
        { component: 'cpu', strength: 'weak', hash: 'd41d…427e' },
      ],
    })
    expect(JSON.stringify(shown)).not.toContain(hash)
    await owner.post(`/v1/users/${key}/reset`, { force: true })
    expect(await device()).toBeNull()
  })

  it('contains their audit entries and none of a user whose key starts the same', async () => {
    const { owner, project } = await createOwner(at())
    const users = ['same-beginning-1', 'same-beginning-2'].map((key) => ({ key }))
    await owner.post(`/v1/projects/${project}/users/import`, { users })
    await owner.post('/v1/users/same-beginning-1/edit', { note: 'first' })
    await owner.post('/v1/users/same-beginning-2/edit', { note: 'second' })
    await owner.post('/v1/users/same-beginning-1/blacklist', { expires: 0 })
    const made = await createUser(owner, project)
    await chainEntries(at().deps)
    const actions = async (query: string) =>
      ((await owner.get(`/v1/audit?${query}`)).body.entries as { action: string }[]).map(
        ({ action }) => action,
      )
    expect(await actions('subject=same-beginning-1')).toEqual(['v1.users.blacklist', 'v1.users.edit'])
    expect(await actions('subject=same-beginning-2&action=v1.users.edit')).toEqual(['v1.users.edit'])
    expect(await actions('subject=same-beginning-3')).toEqual([])
    expect(await actions('noun=same-beginning-1')).toHaveLength(3)
    expect(await actions(`subject=${made}`)).toEqual(['projectUsers.create'])
    const { body } = await owner.get(`/v1/audit?subject=${made}`)
    const [entry] = body.entries as { nouns: Record<string, string> }[]
    expect(entry?.nouns).toEqual({
      project_id: project,
      user_key: `${made.slice(0, 4)}…`,
      user: expect.stringMatching(/^usr_[0-9a-f]{32}$/),
    })
    expect(await actions(`noun=${entry?.nouns.user}`)).toEqual(['projectUsers.create'])
    const other = await createOwner(at())
    const foreign = await other.owner.get(`/v1/audit?subject=${made}`)
    expect(foreign.body.entries).toEqual([])
    const both = await owner.get(`/v1/audit?subject=${made}&noun=${project}`)
    expect(both.error).toMatchObject({ type: 'invalid_request', failed: [{ field: 'subject' }] })
  })

  it('names the token that issued their key', async () => {
    const { owner, project } = await createOwner(at())
    const { body } = await owner.post('/v1/tokens/new', { name: 'Shop', scopes: ['users:issue'] })
    const { id } = body.token as { id: string }
    const shop = at().client(body.secret as string)
    const sold = { name: 'Sold', resellable: true }
    const plan_id = (await owner.post(`/v1/projects/${project}/plans/new`, sold)).string('plan_id')
    const { user_key } = (await shop.post(`/v1/projects/${project}/users/new`, { plan_id })).body
    expect((await owner.get(`/v1/users/${user_key}`)).body.user).toMatchObject({ issuer: id })
    const own = await createUser(owner, project)
    expect((await owner.get(`/v1/users/${own}`)).body.user).toMatchObject({ issuer: null })
  })
})
