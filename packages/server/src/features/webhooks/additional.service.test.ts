/**
 * Multiple endpoints in one project: each gets only the events that it subscribes to, on its own schedule,
 * without waiting for the others.
 */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createOwner, createUser, type Owned } from '../../../test/nouns.ts'
import { rowOf } from '../../../test/stored.ts'
import { furnish } from '../../../test/subjects.ts'
import { addressesOf, addressScenes } from '../../../test/webhooks/addresses.ts'
import { deliver, ok, type Received, status, WEBHOOKS } from '../../../test/webhooks/receiver.ts'
import { addEvent } from './events/events.ts'

const HOUR_MS = 3_600_000

describe.each(anyEngine)('additional webhook endpoints on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const { receive, begin, beginWithTwo } = addressScenes(at)

  const typesOf = (received: readonly Received[]) => received.map(({ body }) => body.type)

  /** A guest's execution of a script. */
  async function grant({ project }: Owned, scriptId: string): Promise<void> {
    const client = { ip: '203.0.*.*', country: null, fingerprint: '3fa9…c17e' }
    const run = { executor: 'Wave', runtime: 'luau', game_user_id: null, place_id: null, job_id: null }
    const script = { id: scriptId, name: 'main', version: 1 }
    const data = { user: null, client, execution: { id: 'x', ...run }, script }
    await at().deps.db.transaction((tx) =>
      addEvent(tx, at().deps, { type: 'execution.granted', project_id: project, data }),
    )
  }

  it('get each event once, under the same id as the three built-in endpoints', async () => {
    const { first, second, owned, hooks, id } = await beginWithTwo()
    await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(first.received).toHaveLength(1)
    expect(second.received).toHaveLength(1)
    expect(second.received[0]?.text).toBe(first.received[0]?.text)
    expect(second.received[0]?.headers['webhook-id']).toBe(first.received[0]?.headers['webhook-id'])
    const event = String(first.received[0]?.headers['webhook-id'])
    const sent = await hooks.sent()
    expect(sent.map((one) => [one.id, one.event_id, one.webhook_id, one.kind]).sort()).toEqual([
      [event, event, 'information', 'information'],
      [`${event}.${id}`, event, id, 'additional'],
    ])
  })

  it('get only the events they subscribe to, of all three kinds', async () => {
    const [chosen, all] = [await receive(), await receive()]
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    await hooks.added({ address: chosen.url, events: ['user.blacklisted', 'users.generated'] })
    await hooks.added({ address: all.url })
    const key = await createUser(owned.owner, owned.project)
    await owned.owner.post(`/projects/${owned.project}/users/generate`, { amount: 2 })
    await owned.owner.post(`/users/${key}/blacklist`, { reason: 'shared' })
    await deliver(at())
    expect(typesOf(chosen.received).sort()).toEqual(['user.blacklisted', 'users.generated'])
    expect(typesOf(all.received).sort()).toEqual(['user.blacklisted', 'user.created', 'users.generated'])
  })

  it('get only events of the chosen scripts and events about no script', async () => {
    const receiver = await receive()
    const { owner, ids } = await furnish(at())
    const owned = { owner, project: String(ids.project_id) }
    const scripts = [ids.script_id]
    await addressesOf(owned).added({ address: receiver.url, scripts })
    await grant(owned, String(ids.script_id))
    await grant(owned, 'scr_of_another_name')
    await createUser(owner, owned.project)
    await deliver(at())
    expect(typesOf(receiver.received).sort()).toEqual(['execution.granted', 'user.created'])
  })

  it('can be edited after one of the chosen scripts was removed', async () => {
    const { owner, ids } = await furnish(at())
    const owned = { owner, project: String(ids.project_id) }
    const scripts = [ids.script_id]
    const { id } = await addressesOf(owned).added({ address: (await receive()).url, scripts })
    expect((await owner.post(`/scripts/${ids.script_id}/remove`, {})).status).toBe(200)
    const path = `/v1/projects/${owned.project}/webhooks/${id}/edit`
    expect((await owner.post(path, { name: 'Renamed', scripts })).status).toBe(200)
    expect((await owner.post(path, { scripts: ['scr_none'] })).error?.type).toBe('invalid_request')
  })

  it('each have their own secret, which a rotation changes with or without a grace period', async () => {
    const { receiver, owned, hooks, id, secret } = await begin()
    const other = await hooks.added({ address: receiver.url, enabled: false })
    expect(other.secret).not.toBe(secret)
    const verifiable = async (...secrets: unknown[]) => {
      await createUser(owned.owner, owned.project)
      await deliver(at())
      const { text, headers } = receiver.received.at(-1) as Received
      return secrets.map((one) => isSignedBy(String(one), text, headers))
    }
    expect(await verifiable(secret, other.secret)).toEqual([true, false])
    const next = await hooks.call(id, 'rotate', { overlap_ms: HOUR_MS })
    const { secret: second } = next.body.webhook as { secret: string }
    expect(await verifiable(secret, second)).toEqual([true, true])
    at().clock.now += HOUR_MS
    expect(await verifiable(secret, second)).toEqual([false, true])
    await hooks.call(id, 'rotate')
    expect(await verifiable(secret, second, (await hooks.find(id))?.secret)).toEqual([false, false, true])
  })

  /** The library uses the machine's clock, whereas the server uses the test's clock. */
  function isSignedBy(secret: string, text: string, headers: Received['headers']): boolean {
    const id = String(headers['webhook-id'])
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const signature = new Webhook(secret).sign(id, at, text)
    return String(headers['webhook-signature']).split(' ').includes(signature)
  }

  it('that fail delay no other, and are retried alone', async () => {
    const [bad, good] = [await receive(status(500)), await receive()]
    const owned = await createOwner(at())
    const hooks = addressesOf(owned)
    const { id: failing } = await hooks.added({ name: 'Bad', address: bad.url })
    const { id: working } = await hooks.added({ name: 'Good', address: good.url })
    for (let i = 0; i < 3; i += 1) await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(good.received).toHaveLength(3)
    expect(bad.received.length).toBeLessThan(5)
    expect(await hooks.find(failing)).toMatchObject({ state: 'failing', waiting: 3 })
    expect(await hooks.find(working)).toMatchObject({ state: 'active', waiting: 0 })
    bad.answer(ok)
    at().clock.now += HOUR_MS
    await deliver(at())
    at().clock.now += HOUR_MS
    await deliver(at())
    expect(good.received).toHaveLength(3)
    expect(await hooks.find(failing)).toMatchObject({ state: 'active', waiting: 0 })
  })

  it('get nothing while disabled except what is sent manually', async () => {
    const { receiver, owned, hooks, id } = await begin()
    await createUser(owned.owner, owned.project)
    await hooks.call(id, 'edit', { enabled: false })
    await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(receiver.received).toEqual([])
    expect(await hooks.sent()).toMatchObject([{ state: 'dropped' }])
    await owned.owner.post(`${hooks.path}/test`, { webhook_id: id })
    await deliver(at())
    expect(receiver.received.map(({ body }) => body)).toMatchObject([
      { type: 'webhook.test', data: { kind: 'additional' } },
    ])
    await hooks.call(id, 'edit', { enabled: true })
    await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(typesOf(receiver.received)).toEqual(['webhook.test', 'user.created'])
  })

  it('that reported being gone resume when they are saved again', async () => {
    const { receiver, owned, hooks, id } = await begin(status(410))
    await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(await hooks.find(id)).toMatchObject({ state: 'disabled' })
    receiver.answer(ok)
    await hooks.call(id, 'edit', { address: receiver.url })
    expect(await hooks.find(id)).toMatchObject({ state: 'active', failures: 0 })
  })

  it('get the Discord form for Discord URLs, with several events in one message', async () => {
    const receiver = await receive()
    const owned = await createOwner(at())
    await addressesOf(owned).added({ address: receiver.chatUrl })
    for (let i = 0; i < 3; i += 1) await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(receiver.received).toHaveLength(1)
    expect(receiver.received[0]?.body).toMatchObject({ embeds: [{}, {}, {}] })
    expect(receiver.received[0]?.headers['webhook-signature']).toBeUndefined()
  })

  it.each(['slack', 'github'])(
    'with Discord URLs are rejected in the format for %s, with the fix',
    async (form) => {
      const receiver = await receive()
      const owned = await createOwner(at())
      const address = `${receiver.chatUrl}/${form}`
      const project = `/v1/projects/${owned.project}/edit`
      for (const { status, error } of [
        await addressesOf(owned).add({ address }),
        await owned.owner.post(project, { execution_webhook: address }),
      ]) {
        expect(status).toBe(400)
        expect(JSON.stringify(error.failed)).toContain(`without a suffix such as /slack or /github`)
      }
    },
  )

  it('store URL and secret only encrypted', async () => {
    const receiver = await receive()
    const owned = await createOwner(at())
    const { id, secret } = await addressesOf(owned).added({ address: `${receiver.url}?token=hidden` })
    const row = await rowOf(at(), 'webhooks', { kind: id as 'whk_' })
    expect(JSON.stringify(row)).not.toContain('hidden')
    expect(JSON.stringify(row)).not.toContain(String(secret).slice(6))
    const log = (await owned.owner.get('/v1/audit?action=v1.webhooks.create')).text
    expect(log).toContain('Second')
    expect(log).not.toContain('hidden')
  })

  it('get nothing more when removed, and leave their sent events in the log', async () => {
    const { receiver, owned, hooks, id } = await begin()
    await createUser(owned.owner, owned.project)
    expect((await hooks.call(id, 'remove')).status).toBe(200)
    await createUser(owned.owner, owned.project)
    await deliver(at())
    expect(receiver.received).toEqual([])
    expect(await hooks.all()).toEqual([])
    expect(await hooks.sent()).toMatchObject([{ webhook_id: id, state: 'dropped' }])
    expect((await hooks.call(id, 'remove')).error.type).toBe('not_found')
    const again = `${hooks.path}/deliveries/${(await hooks.sent())[0]?.id}/redeliver`
    expect((await owned.owner.post(again)).error.type).toBe('no_webhook_address')
  })
})
