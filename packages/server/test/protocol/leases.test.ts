/** What is told of a version's keys, to whom and when (client protocol, Locks), by a client of the wire. */
import { lockKey, openLease } from '@scriptward/client/leases'
import { beatAad, beatKeys, formatNumbered } from '@scriptward/client/live'
import { type BeatReply, LOCKS_LOADER_BUILD } from '@scriptward/client/live-messages'
import { fromB64u, seal, toB64u } from '@scriptward/client/wire'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Engine, engines } from '../databases.ts'
import { START, serverOn, type TestServer } from '../harness.ts'
import { helloFor } from './client.ts'
import { LIVE, type Running, run } from './running.ts'
import { makeScene, type Scene } from './scene.ts'

const KEY = Buffer.alloc(32, 7)

/** A script whose only version has locks; call it inside a `describe`. */
function lockedScene(engine: Engine, clientRates = 0) {
  const { at } = serverOn(engine, { config: { clientRates } })
  let made: Scene | undefined
  const scene = () => {
    if (!made) throw new Error('the scene is made before each test: ask for it inside one')
    return made
  }
  beforeEach(async () => {
    at().clock.now = START
    made = await makeScene(at())
    await lock(at(), made.scriptId)
  })
  const start = async () =>
    run(scene().client, scene().scriptId, { lb: LOCKS_LOADER_BUILD, key: await scene().addUser() })
  return { at, scene, start }
}

async function lock({ deps }: TestServer, scriptId: string): Promise<void> {
  const service_key = deps.secrets.seal('serviceKey', scriptId, KEY)
  await deps.db.transaction((tx) =>
    tx.updateTable('script_versions').set({ service_key }).where('script_id', '=', scriptId).execute(),
  )
}

describe.each(engines)('keys of locks on $name', (engine) => {
  const { at, scene, start } = lockedScene(engine)

  it('come with the grant of a run that does not beat; other runs get only that of cold strings', async () => {
    expect((await start()).grant.locks).toEqual({ cold: toB64u(lockKey(KEY, 0)) })
    await scene().edit('scripts', { use_heartbeat: 0 })
    expect((await start()).grant.locks).toEqual({ all: toB64u(KEY) })
  })

  it('are sent to no loader that cannot use them', async () => {
    const key = await scene().addUser()
    expect(await scene().client.verdict(scene().scriptId, { ...LIVE, key })).toBe('outdated_loader')
    expect(await scene().client.verdict(scene().scriptId, { ...LIVE, lb: LOCKS_LOADER_BUILD, key })).toBe(
      'granted',
    )
  })

  it('are leased by beats that ask', async () => {
    const running = await start()
    for (const locks of [[1], [2, 7]])
      expect(opened(running, await ask(running, locks))).toEqual(keysOf(locks))
    expect(await running.beat()).not.toHaveProperty('leases')
  })

  it('are the same to a beat that was not answered', async () => {
    const running = await start()
    const body = askBody(running, [1])
    const first = await running.send(body)
    expect(await running.send(body)).toMatchObject({ status: 200, text: first.text })
    expect(opened(running, running.accept(first.text))).toEqual(keysOf([1]))
  })

  it('are not leased to an instance that has to stop', async () => {
    const running = await start()
    await scene().edit('scripts', { enabled: 0 })
    const reply = await ask(running, [1])
    expect(reply).toMatchObject({ ok: false, kick: { reason: 'script_disabled' } })
    expect(reply).not.toHaveProperty('leases')
  })

  it.each([[[]], [[-1]], [[1.5]], [[100_000]], [Array.from({ length: 17 }, (_, i) => i)], ['1'], [[null]]])(
    'are refused to a beat that asks for %j, which changes nothing',
    async (q) => {
      const running = await start()
      const before = await instance()
      const { status, text } = await running.send(askBody(running, q))
      expect([status, JSON.parse(text).error.failed[0].field]).toEqual([400, 'box'])
      expect(await instance()).toEqual(before)
    },
  )

  it('do not exist for a version without locked code', async () => {
    const plain = await makeScene(at())
    const running = await run(plain.client, plain.scriptId, {
      lb: LOCKS_LOADER_BUILD,
      key: await plain.addUser(),
    })
    expect(running.grant).not.toHaveProperty('locks')
    expect(await ask(running, [1])).not.toHaveProperty('leases')
  })

  it('are those of the version that runs, although another one is served by now', async () => {
    const running = await start()
    const { deps } = at()
    await deps.db.transaction(async (tx) => {
      const row = await tx
        .selectFrom('script_versions')
        .selectAll()
        .where('script_id', '=', scene().scriptId)
        .executeTakeFirstOrThrow()
      const { seq: _, ...version } = row
      const service_key = deps.secrets.seal('serviceKey', scene().scriptId, Buffer.alloc(32, 8))
      await tx
        .insertInto('script_versions')
        .values({ ...version, version: 2, service_key })
        .execute()
    })
    await scene().edit('scripts', { version: 2 })
    expect(opened(running, await ask(running, [1]))).toEqual(keysOf([1]))
    expect((await start()).grant.locks).toEqual({ cold: toB64u(lockKey(Buffer.alloc(32, 8), 0)) })
  })

  it('rest encrypted, bound to their script', async () => {
    const { service_key } = await at()
      .deps.db.read.selectFrom('script_versions')
      .select('service_key')
      .where('script_id', '=', scene().scriptId)
      .executeTakeFirstOrThrow()
    expect(Buffer.from(service_key ?? []).includes(KEY.subarray(0, 4))).toBe(false)
    const other = await makeScene(at())
    await at().deps.db.transaction((tx) =>
      tx
        .updateTable('script_versions')
        .set({ service_key })
        .where('script_id', '=', other.scriptId)
        .execute(),
    )
    const hello = helloFor(other.scriptId, { key: await other.addUser() })
    const { body } = await other.client.request(await other.client.boot(other.scriptId), hello)
    expect((await other.client.post('/exec', body)).status).toBe(500)
  })

  const instance = () =>
    at()
      .deps.db.read.selectFrom('instances')
      .selectAll()
      .where('script_id', '=', scene().scriptId)
      .executeTakeFirstOrThrow()
})

describe.each(engines)('the limits of asking on $name', (engine) => {
  const { at, start } = lockedScene(engine, 1)

  it('let a beat that asks come sooner than others', async () => {
    const running = await start()
    for (const locks of [[1], [2]]) expect(opened(running, await ask(running, locks))).toEqual(keysOf(locks))
    expect((await running.send(running.beatBody())).status).toBe(429)
    at().clock.now += 5000
    expect(await running.verdict()).toBe('ok')
  })

  it('are limited to a number of requests', async () => {
    const running = await start()
    for (let i = 1; i <= 20; i += 1) expect((await ask(running, [i])).ok).toBe(true)
    expect((await running.send(askBody(running, [21]))).status).toBe(429)
    at().clock.now += 1000
    expect(opened(running, await ask(running, [21]))).toEqual(keysOf([21]))
  })
})

function askBody(running: Running, q: unknown): string {
  const { exec, state } = running
  const n = running.n + 1
  const box = seal(beatKeys(state).c2s, 0, beatAad(exec, n), JSON.stringify({ up: 1, q }))
  return formatNumbered({ exec, n, box })
}

async function ask(running: Running, locks: readonly number[]): Promise<BeatReply> {
  const { status, text } = await running.send(askBody(running, locks))
  expect(status).toBe(200)
  return running.accept(text)
}

const keysOf = (locks: readonly number[]) =>
  Object.fromEntries(locks.map((number) => [number, lockKey(KEY, number).toString('hex')]))

function opened({ exec, keys }: Running, reply: BeatReply): Record<string, string | undefined> {
  if (!reply.ok) throw new Error(reply.kick.reason)
  const sealed = { exec, leaseKey: keys.lease, r: Buffer.from(reply.r, 'base64url') }
  const boxes = Object.entries(reply.leases ?? {})
  return Object.fromEntries(
    boxes.map(([name, box]) => [
      name,
      openLease(sealed, Number(name), fromB64u(box) ?? Buffer.alloc(0))?.toString('hex'),
    ]),
  )
}
