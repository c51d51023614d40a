/**
 * Any number of processes can deliver at the same time. Each endpoint is claimed by only one process, and no
 * event is missed.
 */
import { describe, expect, it } from 'vitest'
import { engines } from '../../../test/databases.ts'
import { serverOn, type TestServer } from '../../../test/harness.ts'
import { createProject, createUser } from '../../../test/nouns.ts'
import { insertRows } from '../../../test/stored.ts'
import { addressesOf } from '../../../test/webhooks/addresses.ts'
import { deliver, realSend, runAll, WEBHOOKS, workerOf } from '../../../test/webhooks/receiver.ts'
import { scenes, type WebhookScene, waitingEvents } from '../../../test/webhooks/scene.ts'
import { claimDueAddresses, deliverToAddress } from './deliver.ts'
import { HostConcurrency } from './host-concurrency.ts'
import type { Send, SendOutcome } from './send/send.ts'
import type { Unsigned } from './send/sign.ts'
import { insertEvent } from './store/outbox.ts'
import { listDueWebhooks, listWebhooks } from './store/webhooks.ts'

describe.each(engines)('webhook messages from several processes on $name', (engine) => {
  const { at } = serverOn(engine, { config: WEBHOOKS })
  const scene = scenes(at)
  const dueAddresses = () => listDueWebhooks(at().deps.db.read, at().clock.now, 1000)
  const seqOf = async (project: string) => (await listWebhooks(at().deps.db.read, project))[0]?.seq ?? 0

  /** Starts a worker with this many messages in flight, which get their outcome when `sent` is resolved. */
  const startSlow = async (count = 1) => {
    const sent = Promise.withResolvers<SendOutcome>()
    let begun = 0
    const slow = workerOf(at(), () => {
      begun += 1
      return sent.promise
    })
    await runAll(slow)
    await expect.poll(() => begun).toBe(count)
    return { slow, sent }
  }

  it('are resent by another process when one dies while sending', async () => {
    const { receiver, owner, project, deliveries } = await scene()
    await createUser(owner, project)
    const send = realSend(at())
    const dying = workerOf(at(), (message) => send(message).then(() => new Promise(() => {})))
    await runAll(dying)
    await expect.poll(() => receiver.received.length).toBe(1)
    await deliver(at())
    expect(receiver.received).toHaveLength(1)
    at().clock.now += 61_000
    await deliver(at())
    expect(receiver.received).toHaveLength(2)
    expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
    expect((await deliveries())[0]).toMatchObject({ state: 'delivered' })
  })

  it('are sent once when several processes deliver concurrently', async () => {
    const scenes = await Promise.all(Array.from({ length: 8 }, () => scene()))
    for (const { owner, project } of scenes) for (let i = 0; i < 9; i += 1) await createUser(owner, project)
    await Promise.all(Array.from({ length: 6 }, () => deliver(at())))
    for (const { receiver } of scenes) {
      const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
      expect(ids).toHaveLength(9)
      expect(new Set(ids).size).toBe(9)
    }
  })

  it('skip an endpoint that has nothing left to send', async () => {
    const { owner, project, webhook } = await scene()
    await createUser(owner, project)
    expect(await dueAddresses()).toContain(await seqOf(project))
    await deliver(at())
    expect(await dueAddresses()).not.toContain(await seqOf(project))
    expect(await webhook()).toMatchObject({ waiting: 0 })
  })

  it('committed while their endpoint is claimed are sent after its release', async () => {
    const { receiver, owner, project } = await scene()
    await createUser(owner, project)
    const { slow, sent } = await startSlow()
    await createUser(owner, project)
    await deliver(at())
    expect(receiver.received).toEqual([])
    sent.resolve({ status: 200, text: '', headers: {} })
    await slow.close()
    await deliver(at())
    expect(receiver.received).toHaveLength(1)
  })

  it('being committed while their endpoint is released are not missed', async () => {
    const { receiver, owner, project } = await scene()
    await createUser(owner, project)
    const written = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const write = () =>
      at().deps.db.transaction(async (tx) => {
        await insertEvent(tx, waitingEvent(at(), project))
        written.resolve()
        await released.promise
      })
    const all = await claimDueAddresses(at().deps, 100)
    const claimed = all.find(({ target }) => target.project_id === project)
    const stopped = new AbortController().signal
    const delivering = { deps: at().deps, send: realSend(at()), hosts: new HostConcurrency(), stopped }
    // SQLite has only one writer, so there the release waits for the event and can't overtake it.
    const writing = engine.name === 'PostgreSQL' ? write() : undefined
    await (writing && written.promise)
    if (claimed) await deliverToAddress(delivering, claimed)
    released.resolve()
    await (writing ?? write())
    await deliver(at())
    expect(receiver.received).toHaveLength(2)
  })

  it('are sent to the new URL if the old one turns out to be gone after it was replaced', async () => {
    const { receiver, owner, project } = await scene()
    await createUser(owner, project)
    const { slow, sent } = await startSlow()
    await createUser(owner, project)
    const edit = { information_webhook: `${receiver.url}-new` }
    expect((await owner.post(`/v1/projects/${project}/edit`, edit)).status).toBe(200)
    sent.resolve({ status: 410, text: '', headers: {} })
    await slow.close()
    await deliver(at())
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook-new', '/hook-new'])
  })

  it('stay dropped if their endpoint is removed or disabled while they fail', async () => {
    const { receiver, owner, project } = await scene()
    const hooks = addressesOf({ owner, project })
    const { id } = await hooks.added({ address: receiver.url })
    await createUser(owner, project)
    const { slow, sent } = await startSlow(2)
    expect((await hooks.call(id, 'edit', { enabled: false })).status).toBe(200)
    const edit = { information_webhook: '' }
    expect((await owner.post(`/v1/projects/${project}/edit`, edit)).status).toBe(200)
    sent.resolve({ status: 500, text: '', headers: {} })
    await slow.close()
    expect((await hooks.sent()).map(({ state }) => state)).toEqual(['dropped', 'dropped'])
    at().clock.now += 60_000
    await deliver(at())
    expect(receiver.received).toEqual([])
  })

  it('are sent once when a receiver is so slow that a claim ends before all due messages are sent', async () => {
    const { project, deliveries } = await scene()
    const { now } = at().clock
    const rows = waitingEvents(at().deps, project, 0, { created_at: now, due_at: now, attempts: 0 })
    await insertRows(at(), 'outbox', rows.slice(0, 32))
    const sent: (string | undefined)[] = []
    const fast: Send<Unsigned> = async ({ signing }) => {
      sent.push(signing?.id)
      return { status: 200, text: '', headers: {} }
    }
    const slow: Send<Unsigned> = async (message) => {
      const outcome = await fast(message)
      at().clock.now += 4000
      const other = workerOf(at(), fast)
      await runAll(other)
      await other.close()
      return outcome
    }
    const worker = workerOf(at(), slow)
    await runAll(worker)
    await worker.close()
    const last = workerOf(at(), fast)
    await runAll(last)
    await last.close()
    expect(new Set(sent).size).toBe(32)
    expect(sent).toHaveLength(32)
    expect((await deliveries('?state=delivered')).length).toBe(32)
  })

  it('wait for no more than one round of another account that keeps their host busy', async () => {
    const [busy, other] = [await scene(), await scene()]
    const hook = (path: string) => `https://hooks.example.com/${path}`
    const save = ({ owner, project }: WebhookScene, path: string) =>
      owner.post(`/v1/projects/${project}/edit`, { information_webhook: hook(path) })
    await save(busy, 'busy')
    await save(other, 'other')
    const { now } = at().clock
    const rows = waitingEvents(at().deps, busy.project, 0, { created_at: now, due_at: now, attempts: 0 })
    await insertRows(at(), 'outbox', rows.slice(0, 96))
    const rounds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const sent: string[] = []
    const countOf = (path: string) => sent.filter((address) => address === hook(path)).length
    const worker = workerOf(at(), async ({ address }) => {
      sent.push(address)
      if (address === hook('busy')) await rounds[countOf('busy') <= 32 ? 0 : 1].promise
      return { status: 200, text: '', headers: {} }
    })
    await runAll(worker)
    await expect.poll(() => countOf('busy')).toBe(4)
    await createUser(other.owner, other.project)
    await runAll(worker)
    const held = async () => (await listWebhooks(at().deps.db.read, other.project))[0]?.held_until
    await expect.poll(held).toBe(at().clock.now + 1000)
    rounds[0].resolve()
    await expect.poll(() => countOf('busy')).toBeGreaterThan(32)
    at().clock.now += 1000
    await runAll(worker)
    // The delivery has ended with a message, or with another wait.
    await expect.poll(async () => countOf('other') > 0 || (await held()) === at().clock.now + 1000).toBe(true)
    rounds[1].resolve()
    const reached = countOf('other')
    await worker.close()
    expect(reached).toBe(1)
  })

  it('of deleted endpoints do not block later ones, no matter how many there are', async () => {
    const { receiver, owner, project } = await scene()
    const worker = workerOf(at(), realSend(at()))
    const gone = await createProject(owner, { name: 'Gone' })
    const { now } = at().clock
    for (let start = 0; start < 1000; start += 500) {
      const rows = waitingEvents(at().deps, gone, start, { created_at: now, due_at: now, attempts: 0 })
      await insertRows(at(), 'outbox', rows)
    }
    await createUser(owner, project)
    await runAll(worker)
    await runAll(worker)
    await expect.poll(() => receiver.received.length).toBe(1)
    await worker.close()
  })
})

function waitingEvent({ clock, deps }: TestServer, project_id: string) {
  const id = `${project_id}-late`
  return {
    id,
    project_id,
    kind: 'information',
    type: 'user.created',
    data: deps.secrets.sealText('event', id, '{}'),
    created_at: clock.now,
    script_id: null,
  } as const
}
