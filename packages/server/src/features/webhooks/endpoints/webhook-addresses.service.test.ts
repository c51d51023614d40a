/** Tests which requests about additional webhook endpoints fail, and for which callers. */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { createOwner } from '../../../../test/nouns.ts'
import { furnish } from '../../../../test/subjects.ts'
import { addressesOf } from '../../../../test/webhooks/addresses.ts'

const ADDRESS = 'https://hooks.example.com/second'

describe.each(anyEngine)('additional webhook endpoints on $name', (engine) => {
  const { at } = serverOn(engine)

  it('are limited to ten, no matter how many are added concurrently', async () => {
    const hooks = addressesOf(await createOwner(at()))
    const asked = Array.from({ length: 13 }, () => hooks.add({ address: ADDRESS }))
    const answers = await Promise.all(asked)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(({ status, error }) => [status, error.type])).toEqual(
      Array(3).fill([409, 'too_many_webhooks']),
    )
    expect(await hooks.all()).toHaveLength(10)
  })

  it.each([
    [{ address: 'http://hooks.example.com/' }, 'address'],
    [{ address: 'https://127.0.0.1/' }, 'address'],
    [{ address: ADDRESS, events: ['user.unknown'] }, 'events'],
    [{ address: ADDRESS, events: ['webhook.test'] }, 'events'],
    [{ address: ADDRESS, events: [] }, 'events'],
    [{ address: ADDRESS, scripts: ['scr_of_nobody'] }, 'scripts.0'],
    [{ address: ADDRESS, name: '' }, 'name'],
  ])('are not created from %j', async (members, member) => {
    const hooks = addressesOf(await createOwner(at()))
    const refused = await hooks.add(members)
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toContain(member)
    expect(await hooks.all()).toEqual([])
  })

  it('keep fields that an edit omits, and clear a filter with null', async () => {
    const hooks = addressesOf(await createOwner(at()))
    const { id } = await hooks.added({ address: ADDRESS, events: ['user.created'] })
    await hooks.call(id, 'edit', { name: 'Renamed' })
    expect(await hooks.find(id)).toMatchObject({
      name: 'Renamed',
      address: ADDRESS,
      events: ['user.created'],
    })
    await hooks.call(id, 'edit', { events: null })
    expect(await hooks.find(id)).toMatchObject({ name: 'Renamed', events: null })
    expect((await hooks.call(id, 'edit')).error.type).toBe('cannot_edit_nothing')
  })

  it('exclude the three built-in ones, whose error names the right call', async () => {
    const hooks = addressesOf(await createOwner(at(), {}, { execution_webhook: ADDRESS }))
    for (const [deed, body] of [
      ['edit', { name: 'x' }],
      ['remove', {}],
    ] as const) {
      const refused = await hooks.call('execution', deed, body)
      expect(refused.status).toBe(400)
      expect(JSON.stringify(refused.body)).toContain('execution_webhook')
    }
  })

  it('need permission to read users to be created or changed, and to write webhooks for their secrets', async () => {
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    const { id } = await hooks.added({ address: ADDRESS })
    const clientWith = async (scopes: string[]) => {
      const token = await owned.owner.post('/v1/tokens/new', { name: 'Token', scopes })
      return at().client(token.string('secret'))
    }
    const writer = await clientWith(['webhooks:write', 'webhooks:read'])
    const added = await writer.post(`${hooks.path}/new`, { name: 'Mine', address: ADDRESS })
    expect(added.error).toMatchObject({ type: 'forbidden', needs: 'users:read' })
    const edited = await writer.post(`${hooks.path}/${id}/edit`, { address: ADDRESS })
    expect(edited.error).toMatchObject({ type: 'forbidden', needs: 'users:read' })
    const reader = await clientWith(['webhooks:read'])
    expect((await reader.get(hooks.path)).body.webhooks).toMatchObject([{ id, secret: null }])
    expect((await reader.post(`${hooks.path}/${id}/rotate`, {})).error.type).toBe('forbidden')
  })

  it('need to be named for a test', async () => {
    const { owner, project } = await createOwner(at())
    const refused = await owner.post(`/v1/projects/${project}/webhooks/test`, {})
    expect(refused.status).toBe(400)
    expect(JSON.stringify(refused.body)).toContain('webhook_id')
  })

  it('that do not exist are neither tested nor redelivered', async () => {
    const { owner, ids } = await furnish(at())
    const path = `/v1/projects/${ids.project_id}`
    await owner.post(`${path}/edit`, { execution_webhook: '' })
    const tested = await owner.post(`${path}/webhooks/test`, { kind: 'execution' })
    expect(tested.error.type).toBe('no_webhook_address')
    const again = await owner.post(`${path}/webhooks/deliveries/${ids.delivery_id}/redeliver`)
    expect(again.error.type).toBe('no_webhook_address')
  })
})
