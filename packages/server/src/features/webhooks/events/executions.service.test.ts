/**
 * A project owner's execution events in both formats, and the measures that keep a Discord channel readable.
 */
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../../test/databases.ts'
import { serverOn } from '../../../../test/harness.ts'
import { createOwner, createUser } from '../../../../test/nouns.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { rowOf } from '../../../../test/stored.ts'
import { deliver, ok, startReceiver, status, WEBHOOKS } from '../../../../test/webhooks/receiver.ts'
import { closedReceivers } from '../../../../test/webhooks/receivers.ts'
import { saveWebhooks, sealAddress } from '../addresses.ts'
import { addEvent } from './events.ts'
import type { ChatBody } from './messages.ts'

const MINUTE_MS = 60_000
const GATHER_MS = 2000

describe.each(anyEngine)('execution webhooks on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const receive = closedReceivers()

  async function sceneTelling(form: 'generic' | 'chat', first = ok) {
    const receiver = await receive(first)
    const scene = await makeScene(at())
    const address = form === 'chat' ? receiver.chatUrl : receiver.url
    const execution_webhook = sealAddress(at().deps, scene.projectId, 'execution', address)
    await scene.edit('projects', { execution_webhook })
    await at().deps.db.transaction((tx) =>
      saveWebhooks(at().deps, tx, scene.projectId, { execution_webhook }),
    )
    return {
      ...scene,
      receiver,
      chats: () => receiver.received.map(({ body }) => body as unknown as ChatBody),
    }
  }

  const webhookOf = ({ projectId }: Scene) => rowOf(at(), 'webhooks', { project_id: projectId })
  const statesOf = async ({ projectId }: Scene) => {
    const query = at().deps.db.read.selectFrom('outbox').selectAll().where('project_id', '=', projectId)
    return Map.groupBy(await query.execute(), ({ state }) => state)
  }

  /** Creates many executions without clients. */
  async function grant({ projectId, scriptId }: Scene, count: number): Promise<void> {
    const client = { ip: '203.0.*.*', country: null, fingerprint: '3fa9…c17e' }
    const run = { executor: 'Wave', runtime: 'luau', game_user_id: null, place_id: null, job_id: null }
    const data = { user: null, client, execution: { id: 'x', ...run } }
    const script = { id: scriptId, name: 'main', version: 1 }
    await at().deps.db.transaction(async (tx) => {
      for (let i = 0; i < count; i += 1)
        await addEvent(tx, at().deps, {
          type: 'execution.granted',
          project_id: projectId,
          data: { ...data, script },
        })
    })
  }

  async function deliverGathered(): Promise<void> {
    await deliver(at())
    at().clock.now += GATHER_MS
    await deliver(at())
  }

  it('include everything known about a grant or denial and nothing confidential', async () => {
    const { client, scriptId, addUser, receiver } = await sceneTelling('generic')
    const key = await addUser({ note: 'a friend', chat_id: '123456' })
    const game = { game_user_id: '7', place_id: '8', job_id: '9' }
    const fp = { [STRONG]: component('first machine') }
    const { reply } = await client.run(scriptId, { key, fp, game })
    await client.run(scriptId, { key, fp: { [STRONG]: component('second machine') } })
    await deliver(at())
    const bodyOf = (type: string) => receiver.received.find(({ body }) => body.type === type)?.body
    expect(bodyOf('execution.granted')).toMatchObject({
      data: {
        project: { name: 'Garden' },
        script: { id: scriptId, name: 'main', version: 1 },
        user: { key, chat_id: '123456', note: 'a friend', executions: 1, key_expires: null },
        execution: { id: reply.ok && reply.exec, executor: expect.any(String), ...game },
        client: { ip: '127.0.*.*', country: null, fingerprint: expect.stringMatching(/^.{4}….{4}$/) },
      },
    })
    expect(bodyOf('execution.denied')).toMatchObject({
      data: {
        user: { key, executions: 1 },
        execution: { id: null },
        denial: { code: expect.any(Number), reason: 'fingerprint_mismatch' },
        left_out: 0,
      },
    })
    const texts = receiver.received.map(({ text }) => text).join()
    expect(texts).not.toContain('127.0.0.1')
    expect(texts).not.toContain(fp[STRONG])
  })

  it('are limited to sixty denials a minute, followed by their count', async () => {
    const scene = await sceneTelling('generic')
    const { client, scriptId, receiver } = scene
    for (let i = 0; i < 70; i += 1) await client.run(scriptId, { key: 'wrong'.padEnd(32, 'x') })
    expect([...(await statesOf(scene)).values()].flat()).toHaveLength(60)
    at().clock.now += MINUTE_MS
    await client.run(scriptId, { key: 'wrong'.padEnd(32, 'x') })
    await deliver(at())
    const left = receiver.received.map(({ body }) => (body.data as { left_out: number }).left_out)
    expect(left.filter((count) => count === 0)).toHaveLength(60)
    expect(left.filter((count) => count > 0)).toEqual([10])
  })

  it('report a block that an execution finds expired as expired', async () => {
    const { client, scriptId, addUser, receiver, projectId, edit } = await sceneTelling('generic')
    const blacklist_webhook = sealAddress(at().deps, projectId, 'blacklist', receiver.url)
    await edit('projects', { blacklist_webhook })
    await at().deps.db.transaction((tx) => saveWebhooks(at().deps, tx, projectId, { blacklist_webhook }))
    const over = { blacklisted: 1, blacklist_reason: 'shared', blacklist_expires: at().clock.now } as const
    const key = await addUser(over)
    expect(await client.verdict(scriptId, { key })).toBe('granted')
    await deliver(at())
    const expired = receiver.received.filter(({ body }) => body.type === 'user.blacklist_expired')
    expect(expired).toHaveLength(1)
    expect(expired[0]?.body).toMatchObject({
      data: { actor: 'service', reason: 'shared', expires: over.blacklist_expires },
    })
  })

  describe('on Discord', () => {
    it('come ten to a message, after two seconds, without keys', async () => {
      const scene = await sceneTelling('chat')
      const key = await scene.addUser({ chat_id: '123456' })
      await scene.client.run(scene.scriptId, { key })
      await deliver(at())
      expect(scene.chats()).toEqual([])
      at().clock.now += GATHER_MS
      await deliver(at())
      expect(scene.chats()).toHaveLength(1)
      expect(scene.receiver.received[0]?.path).toBe('/api/webhooks/1/token?wait=true')
      expect(scene.receiver.received[0]?.headers).not.toHaveProperty('webhook-signature')
      expect(scene.chats()[0]).toMatchObject({
        username: 'Garden',
        allowed_mentions: { parse: [] },
        embeds: [{ title: 'Execution', color: 3_066_993 }],
      })
      const fields = Object.fromEntries(
        (scene.chats()[0]?.embeds[0]?.fields ?? []).map((one) => [one.name, one.value]),
      )
      expect(fields).toMatchObject({
        Script: 'main (v1)',
        User: '<@123456>',
        Executions: '1',
        IP: '127.0.\\*.\\*',
      })
      expect(fields.Key).toBe(`\`${key.slice(0, 4)}…${key.slice(-4)}\``)
      expect(scene.receiver.received[0]?.text).not.toContain(key)
      await grant(scene, 24)
      await deliverGathered()
      expect(
        scene
          .chats()
          .slice(1)
          .map(({ embeds }) => embeds.length),
      ).toEqual([10, 10, 4])
    })

    it('wait as long as Discord requests, without counting an attempt', async () => {
      const scene = await sceneTelling('chat', status(429, {}, '{"message":"slow","retry_after":0.5}'))
      await grant(scene, 3)
      for (let i = 0; i < 10; i += 1) {
        await deliverGathered()
        at().clock.now += 500
      }
      expect(scene.chats().length).toBeGreaterThan(5)
      expect((await webhookOf(scene)).failures).toBe(0)
      scene.receiver.answer(status(204, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '3' }))
      await deliver(at())
      await grant(scene, 10)
      const before = scene.chats().length
      at().clock.now += 2999
      await deliver(at())
      expect(scene.chats()).toHaveLength(before)
      at().clock.now += 1
      await deliver(at())
      expect(scene.chats()).toHaveLength(before + 1)
    })

    it('are dropped when they are older than a quarter of an hour', async () => {
      const scene = await sceneTelling('chat', status(500))
      await grant(scene, 2)
      at().clock.now += 15 * MINUTE_MS + 1
      await grant(scene, 1)
      await deliverGathered()
      expect(scene.chats().map(({ embeds }) => embeds.length)).toEqual([1])
      expect((await statesOf(scene)).get('dropped')).toHaveLength(2)
    })

    it('that failed together are retried individually, so that one bad event fails no others', async () => {
      const scene = await sceneTelling('chat', (received, response) => {
        const { embeds } = received.body as unknown as ChatBody
        const isBad = embeds.some(({ title }) => title === 'Execution denied')
        response.writeHead(isBad ? 400 : 204).end()
      })
      await grant(scene, 4)
      await scene.client.run(scene.scriptId, { key: 'wrong'.padEnd(32, 'x') })
      for (let i = 0; i < 40; i += 1) {
        await deliver(at())
        at().clock.now += 20_000
      }
      const states = await statesOf(scene)
      expect(states.get('delivered')).toHaveLength(4)
      expect(states.get('failed')?.map(({ type }) => type)).toEqual(['execution.denied'])
    })

    it('are summarized when more than five hundred are pending', async () => {
      const scene = await sceneTelling('chat')
      await grant(scene, 600)
      await deliverGathered()
      const embeds = scene.chats().flatMap((one) => one.embeds)
      expect(embeds.filter(({ title }) => title === 'Execution')).toHaveLength(9)
      const [summary] = embeds.filter(({ title }) => title === 'More events')
      expect(summary?.fields).toEqual([{ name: 'execution.granted', value: '591', inline: true }])
      expect(embeds).toHaveLength(10)
    })

    it('stop when the webhook was deleted on Discord', async () => {
      const scene = await sceneTelling('chat', status(404))
      await grant(scene, 12)
      await deliverGathered()
      expect(scene.chats()).toHaveLength(1)
      expect(await webhookOf(scene)).toMatchObject({ pause_reason: 'gone' })
      expect((await statesOf(scene)).get('failed')).toHaveLength(12)
      await grant(scene, 1)
      expect([...(await statesOf(scene)).values()].flat()).toHaveLength(12)
    })
  })
})

describe.each(anyEngine)('a running server on $name', (engine) => {
  const { at } = serverOn(engine, { config: { ...WEBHOOKS, jobs: true } })

  it('sends due events automatically', async () => {
    const receiver = await startReceiver()
    const { owner, project } = await createOwner(at(), {}, { information_webhook: receiver.url })
    await createUser(owner, project)
    // On a busy machine, the server may give up on a connection. It then tries again seconds later.
    const received = () => {
      at().clock.now += 1000
      return receiver.received.length
    }
    await expect.poll(received).toBeGreaterThan(0)
    await receiver.close()
  })
})
