/**
 * Delivery in the generic format, from the change to the receiver: once, despite failures along the way, and
 * with a bounded number of retries.
 */
import { createPublicKey, verify } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { serverOn } from '../../../test/harness.ts'
import { createProject, createUser } from '../../../test/nouns.ts'
import {
  deliver,
  ok,
  type Receiver,
  realSend,
  runAll,
  status,
  WEBHOOKS,
  workerOf,
} from '../../../test/webhooks/receiver.ts'
import { scenes, waitingEvents } from '../../../test/webhooks/scene.ts'
import type { Send, SendOutcome } from './send/send.ts'
import type { Unsigned } from './send/sign.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

describe.each(anyEngine)('webhooks on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)

  it('report a change once, signed both ways', async () => {
    const { receiver, owner, project, deliveries, webhook } = await scene()
    const key = await createUser(owner, project, { note: 'first' })
    await deliver(at())
    await deliver(at())
    expect(receiver.received).toHaveLength(1)
    const [received] = receiver.received
    const [delivery] = await deliveries()
    expect(received?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': delivery?.id,
      'user-agent': expect.stringMatching(/^Scriptward\/\d/),
    })
    expect(received?.body).toEqual({
      type: 'user.created',
      timestamp: new Date(at().clock.now).toISOString(),
      id: delivery?.id,
      version: 1,
      data: {
        project: { id: project, name: 'Garden' },
        user: { key, chat_id: null, note: 'first', executions: 0, key_expires: null },
        actor: 'owner',
      },
    })
    expect(await isSigned(received)).toBe(true)
    const { secret } = await webhook()
    expect(isSignedBy(String(secret), received)).toBe(true)
    expect(delivery).toMatchObject({
      state: 'delivered',
      next_attempt: null,
      body: received?.text,
      attempts: [{ status: 200, answer: 'fine', error: null }],
    })
  })

  it('hide sent data from callers who may not read users', async () => {
    const { owner, project, deliveries } = await scene()
    await createUser(owner, project)
    const made = await owner.post('/v1/tokens/new', { name: 'Reader', scopes: ['webhooks:read'] })
    const { body } = await at()
      .client(made.string('secret'))
      .get(`/v1/projects/${project}/webhooks/deliveries`)
    expect(body.deliveries).toMatchObject([{ type: 'user.created', body: null }])
    expect(await deliveries()).toMatchObject([{ body: expect.stringContaining('user.created') }])
  })

  async function isSigned(received: Receiver['received'][number] | undefined): Promise<boolean> {
    const { keys } = (await at().client().get('/.well-known/webhook-keys.json')).body as {
      keys: { whpk: string }[]
    }
    const x = Buffer.from(keys[0]?.whpk.slice(5) ?? '', 'base64').toString('base64url')
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const header = (name: string) => String(received?.headers[name])
    const content = `${header('webhook-id')}.${header('webhook-timestamp')}.${received?.text}`
    const signature = /v1a,(\S+)/.exec(header('webhook-signature'))?.[1] ?? ''
    return verify(null, Buffer.from(content), key, Buffer.from(signature, 'base64'))
  }

  /** The library uses the machine's clock, whereas the server uses the test's clock. */
  function isSignedBy(secret: string, received: Receiver['received'][number] | undefined): boolean {
    const id = String(received?.headers['webhook-id'])
    const time = new Date(Number(received?.headers['webhook-timestamp']) * 1000)
    const signature = new Webhook(secret).sign(id, time, received?.text ?? '')
    return String(received?.headers['webhook-signature']).split(' ').includes(signature)
  }

  it('are not sent for a failed change, nor without an endpoint', async () => {
    const { owner, project, deliveries } = await scene()
    await createUser(owner, project, { chat_id: '55' })
    await owner.post(`/projects/${project}/users/new`, { chat_id: '55' })
    const other = await createProject(owner, { name: 'Quiet' })
    await createUser(owner, other)
    expect(await deliveries()).toHaveLength(1)
    const { body } = await owner.get(`/v1/projects/${other}/webhooks/deliveries`)
    expect(body).toMatchObject({ deliveries: [], total: 0 })
    await deliver(at())
  })

  it('are attempted ten times in three days, each with a new signature', async () => {
    const { receiver, owner, project, deliveries } = await scene(status(500, {}, 'broken'))
    await createUser(owner, project)
    const planned = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    for (const seconds of planned) {
      await deliver(at())
      const [delivery] = await deliveries()
      const waitMs = (delivery?.next_attempt ?? 0) - at().clock.now
      expect(waitMs).toBeGreaterThanOrEqual(seconds * 800)
      expect(waitMs).toBeLessThanOrEqual(seconds * 1200)
      at().clock.now += waitMs - 1
      const before = receiver.received.length
      await deliver(at())
      expect(receiver.received).toHaveLength(before)
      // After a failure, the entire endpoint backs off for seconds, no matter how many events are pending.
      at().clock.now += 5000
    }
    await deliver(at())
    const [delivery] = await deliveries('?state=failed')
    expect(delivery).toMatchObject({ state: 'failed', next_attempt: null })
    expect(delivery?.attempts).toHaveLength(10)
    expect(delivery?.attempts[0]).toMatchObject({ status: 500, answer: 'broken', error: null })
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10)
    for (const received of receiver.received) expect(await isSigned(received)).toBe(true)
    at().clock.now += 10 * DAY_MS
    await deliver(at())
    expect(receiver.received).toHaveLength(10)
  })

  it('wait as long as the receiver requests', async () => {
    const { receiver, owner, project, deliveries } = await scene(status(429, { 'retry-after': '120' }))
    await createUser(owner, project)
    await deliver(at())
    const [first] = await deliveries()
    expect(first?.next_attempt).toBe(at().clock.now + 120_000)
    receiver.answer(ok)
    await createUser(owner, project)
    at().clock.now += 119_999
    await deliver(at())
    expect(receiver.received).toHaveLength(1)
    at().clock.now += 1
    await deliver(at())
    expect(receiver.received).toHaveLength(3)
  })

  it('stop at a receiver that is gone, until its URL is saved again', async () => {
    const { receiver, owner, project, deliveries, webhook } = await scene(status(410))
    await createUser(owner, project)
    await createUser(owner, project)
    await deliver(at())
    expect(await webhook()).toMatchObject({ state: 'disabled', waiting: 0 })
    expect((await deliveries()).map(({ state }) => state)).toEqual(['failed', 'failed'])
    const before = receiver.received.length
    receiver.answer(ok)
    await createUser(owner, project)
    at().clock.now += 30 * DAY_MS
    await deliver(at())
    expect(receiver.received).toHaveLength(before)
    await owner.post(`/projects/${project}/edit`, { information_webhook: receiver.url })
    await createUser(owner, project)
    await deliver(at())
    expect(receiver.received).toHaveLength(before + 1)
    expect(await webhook()).toMatchObject({ state: 'active', failures: 0, paused_at: null })
  })

  it('pause after five days of failures, are attempted once a day, and resume after a success', async () => {
    const { receiver, owner, project, webhook } = await scene(status(503))
    for (let half = 0; half < 11; half += 1) {
      await createUser(owner, project)
      await deliver(at())
      at().clock.now += 12 * HOUR_MS
    }
    expect(await webhook()).toMatchObject({
      state: 'paused',
      failures: 11,
      paused_at: at().clock.now - 12 * HOUR_MS,
    })
    const { waiting } = await webhook()
    const before = receiver.received.length
    await createUser(owner, project)
    await deliver(at())
    expect(receiver.received).toHaveLength(before)
    expect((await webhook()).waiting).toBe(waiting)
    at().clock.now += 12 * HOUR_MS
    await deliver(at())
    expect(receiver.received).toHaveLength(before + 1)
    receiver.answer(ok)
    at().clock.now += DAY_MS
    await createUser(owner, project)
    await deliver(at())
    expect(await webhook()).toMatchObject({ state: 'active', failures: 0, failing_since: null, waiting: 0 })
  })

  it('are sent even if an earlier one waits for its retry', async () => {
    const { receiver, owner, project, deliveries } = await scene(status(500))
    const worker = workerOf(at(), realSend(at()))
    const tried = async () => (await deliveries())[0]?.attempts.length
    await createUser(owner, project)
    for (let tries = 1; tries <= 2; tries += 1) {
      await runAll(worker)
      await expect.poll(tried).toBe(tries)
      at().clock.now += 20_000
    }
    receiver.answer(ok)
    await createUser(owner, project)
    await runAll(worker)
    await expect.poll(() => receiver.received.length).toBe(3)
    await worker.close()
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
  })

  it('reach all other receivers while some hang', async () => {
    const hanging = await Promise.all(Array.from({ length: 5 }, () => scene(() => {})))
    const healthy = await Promise.all(Array.from({ length: 20 }, () => scene()))
    for (const { owner, project } of [...hanging, ...healthy]) await createUser(owner, project)
    const worker = workerOf(at(), realSend(at()))
    await runAll(worker)
    const isReached = ({ receiver }: { receiver: Receiver }) => receiver.received.length === 1
    await expect.poll(() => [...healthy, ...hanging].every(isReached)).toBe(true)
    for (const { receiver } of hanging) receiver.cut()
    await worker.close()
  })

  it('never send more than four messages to one host concurrently', async () => {
    let [now, most] = [0, 0]
    const four = Promise.withResolvers<void>()
    const { owner, project, receiver } = await scene(async (_received, response) => {
      now += 1
      most = Math.max(most, now)
      if (most === 4) four.resolve()
      await four.promise
      // This is long enough for a fifth message to arrive if one was sent.
      await wait(20)
      now -= 1
      response.end()
    })
    const projects = [project]
    for (let i = 0; i < 3; i += 1) {
      const body = { name: 'Same host', information_webhook: receiver.url }
      projects.push(await createProject(owner, body))
    }
    for (const one of projects) for (let i = 0; i < 8; i += 1) await createUser(owner, one)
    for (let round = 0; round < 20 && receiver.received.length < 32; round += 1) {
      await deliver(at())
      at().clock.now += 1000
    }
    expect(receiver.received).toHaveLength(32)
    expect(most).toBe(4)
  })

  it('in flight when the server stops do not count as attempts', async () => {
    const { owner, project, deliveries, receiver } = await scene(() => {})
    await createUser(owner, project)
    const ended = Promise.withResolvers<void>()
    const worker = workerOf(at(), realSend(at()), { patience: () => ended.promise })
    await runAll(worker)
    await expect.poll(() => receiver.received.length).toBe(1)
    ended.resolve()
    await worker.close()
    expect((await deliveries())[0]).toMatchObject({ state: 'pending', attempts: [] })
    receiver.answer(ok)
    await deliver(at())
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered' })
  })

  it('are not started once the server is stopping', async () => {
    const { owner, project, deliveries } = await scene()
    for (let i = 0; i < 6; i += 1) await createUser(owner, project)
    const begun: ((outcome: SendOutcome) => void)[] = []
    const send: Send<Unsigned> = (_, stopped) => {
      const answered = Promise.withResolvers<SendOutcome>()
      begun.push(answered.resolve)
      stopped?.addEventListener('abort', () => answered.resolve({ status: 200, text: '', headers: {} }))
      return answered.promise
    }
    const worker = workerOf(at(), send, { patience: async () => {} })
    await runAll(worker)
    await expect.poll(() => begun.length).toBe(4)
    await worker.close()
    expect(begun).toHaveLength(4)
    const states = (await deliveries()).map(({ state }) => state)
    expect(states.toSorted()).toEqual([...Array(4).fill('delivered'), 'pending', 'pending'])
  })

  it.each([
    ['are due immediately', 0, 0],
    ['failed and are due eventually, one of them now', 1, DAY_MS],
  ])(
    'are dropped beyond the newest five thousand when more than ten thousand %s',
    async (_, attempts, laterMs) => {
      const { owner, project, deliveries } = await scene()
      await createUser(owner, project)
      const { now } = at().clock
      await at().deps.db.transaction(async (tx) => {
        await tx.updateTable('outbox').set({ attempts }).where('project_id', '=', project).execute()
        for (let start = 0; start < 10_000; start += 500) {
          const rows = waitingEvents(at().deps, project, start, {
            created_at: now,
            due_at: now + laterMs,
            attempts,
          })
          await tx.insertInto('outbox').values(rows).execute()
        }
      })
      const worker = workerOf(at(), async () => ({ error: 'no connection' }))
      await runAll(worker)
      await worker.close()
      expect(await deliveries('?type=events.left_out')).toHaveLength(1)
      const dropped = (await owner.get(`/v1/projects/${project}/webhooks/deliveries?state=dropped`)).body
        .total
      expect(dropped).toBe(5001)
    },
  )

  it('are logged only up to a limit per project', async () => {
    const { owner, project, receiver } = await scene()
    await createUser(owner, project)
    await deliver(at())
    const { now } = at().clock
    const times = { created_at: now, due_at: now, attempts: 0 }
    const [first = [], second = [], last = []] = [0, 500, 1000].map((start) =>
      waitingEvents(at().deps, project, start, times),
    )
    const delivered = [...first, ...second].map((one) => ({
      ...one,
      state: 'delivered' as const,
      due_at: null,
    }))
    await at().deps.db.transaction(async (tx) => {
      for (const rows of [delivered.slice(0, 500), delivered.slice(500), last.slice(0, 100)])
        await tx.insertInto('outbox').values(rows).execute()
    })
    await deliver(at())
    expect(receiver.received).toHaveLength(101)
    const { total } = (await owner.get(`/v1/projects/${project}/webhooks/deliveries?limit=0`)).body
    expect(total).toBeLessThan(1101)
    expect(total).toBeGreaterThanOrEqual(1000)
  })
})
