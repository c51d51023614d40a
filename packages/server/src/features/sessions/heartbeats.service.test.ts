/** Guarantees of heartbeats (client protocol §11), tested with a protocol client against a real server. */
import { randomBytes } from 'node:crypto'
import { KICKS, type KickReason, SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { engines } from '../../../test/databases.ts'
import { START, serverOn, startServer } from '../../../test/harness.ts'
import { createOwner, createScript, createUser } from '../../../test/nouns.ts'
import { onTwoProcesses } from '../../../test/processes/two-processes.ts'
import { component, ProtocolClient, STRONG } from '../../../test/protocol/client.ts'
import { LIVE, run } from '../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../test/protocol/scene.ts'
import { changeRows, rowOf } from '../../../test/stored.ts'

const MANY = effort({ day: 20, night: 100 })

describe.each(engines)('heartbeats on $name', (engine) => {
  const { at } = serverOn(engine)
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
  })
  const start = async (changes = {}) =>
    run(scene.client, scene.scriptId, { key: await scene.addUser(), ...changes })
  const later = (ms: number) => {
    at().clock.now += ms
  }

  it('are requested from loaders that support them when the script wants them', async () => {
    const { grant } = await start()
    expect(grant.beat).toMatchObject({ on: true, interval: 30_000, grace: 90_000 })
    expect(grant.beat.first).toBeGreaterThanOrEqual(5000)
    expect(grant.beat.first).toBeLessThanOrEqual(30_000)
    await scene.edit('scripts', { use_heartbeat: 0 })
    expect((await start()).grant.beat.on).toBe(false)
    expect((await start({ lb: 1 })).grant).toMatchObject({ beat: { on: false }, ws: { on: false } })
  })

  it('are enforced: a loader that sends none is denied, and the boot record shows the requirement', async () => {
    const { client, scriptId } = scene
    expect((await client.boot(scriptId)).minlb).toBe(2)
    const hello = { lb: 1, key: await scene.addUser() }
    expect((await client.run(scriptId, hello)).reply).toMatchObject({ code: 2, reason: 'outdated_loader' })
    await scene.edit('scripts', { use_heartbeat: 0 })
    expect((await client.boot(scriptId)).minlb).toBe(1)
    expect(await client.verdict(scriptId, hello)).toBe('granted')
  })

  it('are answered with the remaining time and the pause until the next one', async () => {
    const key = await scene.addUser({ key_expires: START + 100_500 })
    const client = await run(scene.client, scene.scriptId, { key })
    later(10_000)
    const reply = await client.beat()
    expect(reply).toMatchObject({ ok: true, n: 1, st: START + 10_000, seconds_left: 90 })
    expect(reply).not.toHaveProperty('vars')
    const pauses = []
    for (let i = 0; i < 20; i += 1) {
      const { next } = (await client.beat()) as { next: number }
      pauses.push(next)
    }
    expect(pauses.every((pause) => pause >= 24_000 && pause <= 36_000)).toBe(true)
    expect(new Set(pauses).size).toBeGreaterThan(10)
  })

  it('deliver changed variables once', async () => {
    const key = await scene.addUser({ note: 'before' })
    const client = await run(scene.client, scene.scriptId, { key })
    await scene.edit('users', { note: 'after' }, key)
    expect(await client.beat()).toMatchObject({ vars: { note: 'after', script_name: 'main', chat_id: null } })
    expect(await client.beat()).not.toHaveProperty('vars')
  })

  it('occupy an instance until it goes silent or ends', async () => {
    const key = await scene.addUser({ max_instances: 1 })
    const again = () => scene.client.verdict(scene.scriptId, { ...LIVE, key })
    const first = await run(scene.client, scene.scriptId, { key })
    later(60_000)
    expect(await first.verdict()).toBe('ok')
    later(SERVER_GRACE_MS - 1)
    expect(await again()).toBe('max_instances')
    later(1)
    const second = await run(scene.client, scene.scriptId, { key })
    expect(await again()).toBe('max_instances')
    const ended = await second.send(second.endBody(), 'end')
    expect(ended.status).toBe(200)
    expect(await again()).toBe('granted')
    expect((await second.send(second.beatBody())).status).toBe(404)
  })

  it('of a client that never sends one free its instance after the first pause and the grace period', async () => {
    const key = await scene.addUser({ max_instances: 1 })
    await run(scene.client, scene.scriptId, { key })
    later(129_999)
    expect(await scene.client.verdict(scene.scriptId, { ...LIVE, key })).toBe('max_instances')
    later(1)
    expect(await scene.client.verdict(scene.scriptId, { ...LIVE, key })).toBe('granted')
  })

  it('of a suspended client restore its instance unless another one took its place', async () => {
    const key = await scene.addUser({ max_instances: 1 })
    const sleeper = await run(scene.client, scene.scriptId, { key })
    await sleeper.beat()
    later(300_000)
    expect(await sleeper.verdict()).toBe('ok')
    later(300_000)
    await run(scene.client, scene.scriptId, { key })
    expect(await sleeper.verdict()).toBe('instance_replaced')
  })

  it('are answered with the same bytes when retried', async () => {
    const client = await start()
    const body = client.beatBody()
    const first = await client.send(body)
    later(5000)
    expect(await client.send(body)).toMatchObject({ status: 200, text: first.text })
    client.accept(first.text)
    const bodies = client.beatBody()
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.send(bodies)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(client.accept(answers[0]?.text ?? '').ok).toBe(true)
    expect(await client.verdict()).toBe('ok')
  })

  it('of a copied run end both copies', async () => {
    const honest = await start()
    await honest.beat()
    const thief = honest.copy()
    expect(await honest.send(honest.beatBody(1))).toMatchObject({ status: 200 })
    const answer = await thief.send(thief.beatBody(2))
    expect(thief.openCopied(answer.text)).toMatchObject({ ok: false, kick: { code: 49 } })
    expect((await thief.send(thief.beatBody(3))).text).toBe(answer.text)
    const reply = (await honest.send(honest.beatBody(1))).text
    honest.accept(reply)
    expect(await honest.verdict()).toBe('token_reuse')
  })

  it('that are forged, moved or taken from another run change nothing', async () => {
    const client = await start()
    const other = await start()
    await client.beat()
    const [tag, exec, n, box = ''] = client.beatBody().split('.')
    const forged = [
      [tag, exec, n, `${box.slice(0, -2)}${box.at(-2) === 'A' ? 'B' : 'A'}${box.at(-1)}`].join('.'),
      [tag, other.exec, 1, box].join('.'),
      [tag, exec, 1, other.beatBody().split('.')[3]].join('.'),
      [tag, exec, n, randomBytes(40).toString('base64url')].join('.'),
      client.endBody(),
    ]
    for (const body of forged)
      expect(JSON.parse((await client.send(body)).text)).toMatchObject({ error: { type: 'invalid_request' } })
    const moved = await client.send(client.beatBody(), 'end')
    expect(JSON.parse(moved.text)).toMatchObject({ error: { type: 'invalid_request' } })
    for (const number of [0, 3, 99]) {
      const { status, text } = await client.send(client.beatBody(1, { n: number }))
      expect([status, text]).toEqual([400, expect.stringMatching(number ? 'stale_beat' : '"n"')])
    }
    const stale = await client.send(client.endBody(3), 'end')
    expect([stale.status, stale.text]).toEqual([400, expect.stringContaining('stale_beat')])
    expect(await client.verdict()).toBe('ok')
    expect(await other.verdict()).toBe('ok')
  })

  it('of an unknown instance are not found', async () => {
    const client = await start()
    const body = client.beatBody().replace(client.exec, randomBytes(16).toString('base64url'))
    expect((await client.send(body)).status).toBe(404)
    const old = await scene.client.run(scene.scriptId, { key: await scene.addUser() })
    expect(old.reply.ok).toBe(true)
  })

  it.each<[KickReason, (scene: Scene, key: string) => Promise<void>]>([
    ['key_expired', ({ edit }, key) => edit('users', { key_expires: START }, key)],
    ['blacklisted', ({ edit }, key) => edit('users', { blacklisted: 1 }, key)],
    ['script_disabled', ({ edit }) => edit('scripts', { enabled: 0 })],
    ['outdated_version', ({ edit }) => edit('scripts', { kick_outdated: 1, version: 2 })],
    ['service_unavailable', ({ edit }) => edit('customers', { plan_expires: 1 })],
    ['service_unavailable', ({ edit }) => edit('customers', { blacklisted: 1 })],
  ])('end with %s as soon as it applies', async (reason, change) => {
    const key = await scene.addUser()
    const client = await run(scene.client, scene.scriptId, { key })
    expect(await client.verdict()).toBe('ok')
    await change(scene, key)
    const body = client.beatBody()
    const { text } = await client.send(body)
    const { code, message } = KICKS[reason]
    expect(client.open(text)).toEqual({ ok: false, n: 2, kick: { code, reason, message } })
    expect((await client.send(body)).text).toBe(text)
  })

  it('end with a message in the language of the run, whose grant has those of the client', async () => {
    const key = await scene.addUser()
    const client = await run(scene.client, scene.scriptId, { key, lang: 'pt-BR' })
    expect(client.grant.kicks).toEqual({
      session_lost: 'A conexão de que este script precisa caiu.',
      heartbeat_lost: 'O servidor ficou sem responder por tempo demais.',
    })
    await scene.edit('users', { paused_at: START }, key)
    expect(await client.beat()).toMatchObject({
      kick: { code: 54, reason: 'key_paused', message: 'Sua key foi pausada.' },
    })
    expect((await start()).grant).not.toHaveProperty('kicks')
    await scene.edit('scripts', { use_heartbeat: 0 })
    expect((await start({ lang: 'pt' })).grant).not.toHaveProperty('kicks')
  })

  it('continue while an older version may run, and after a block has expired', async () => {
    const key = await scene.addUser({ blacklisted: 1, blacklist_expires: START })
    const client = await run(scene.client, scene.scriptId, { key })
    await scene.edit('scripts', { version: 2 })
    expect(await client.verdict()).toBe('ok')
  })

  it.each<[KickReason, string]>([
    ['key_removed', 'remove'],
    ['blacklisted', 'blacklist'],
    ['fingerprint_reset', 'reset'],
  ])('end with %s after the owner requested it', async (reason, path) => {
    const { owner, project } = await createOwner(at())
    const script = await createScript(owner, project, SCRIPT)
    const key = await createUser(owner, project)
    const client = await run(scene.client, script, { key })
    const body = { remove: undefined, blacklist: { expires: 0 }, reset: { force: true } }[path]
    expect((await owner.post(`/v1/users/${key}/${path}`, body)).status).toBe(200)
    expect(await client.verdict()).toBe(reason)
  })

  it('end with script_removed after the script or its project is gone', async () => {
    const client = await start()
    await at().deps.db.transaction((tx) =>
      tx.deleteFrom('scripts').where('id', '=', scene.scriptId).execute(),
    )
    expect(await client.verdict()).toBe('script_removed')
  })

  it('of a guest end when the device is blocked with a user of the project', async () => {
    await scene.edit('scripts', { free_for_all: 1 })
    const device = { fp: { [STRONG]: component('shared machine') } }
    const guest = await run(scene.client, scene.scriptId, { key: null, ...device })
    const other = await run(scene.client, scene.scriptId, { key: null, fp: { [STRONG]: component('other') } })
    const key = await scene.addUser()
    await run(scene.client, scene.scriptId, { key, ...device })
    expect(await guest.verdict()).toBe('ok')
    await scene.edit('users', { blacklisted: 1 }, key)
    expect(await guest.verdict()).toBe('blacklisted')
    expect(await other.verdict()).toBe('ok')
  })

  it('count exactly as many instances as are allowed when many start concurrently', async () => {
    const key = await scene.addUser({ max_instances: MANY })
    for (let i = 1; i < MANY; i += 1) await run(scene.client, scene.scriptId, { key })
    const verdicts = await Promise.all(
      Array.from({ length: MANY }, () => scene.client.verdict(scene.scriptId, { ...LIVE, key })),
    )
    expect(verdicts.filter((verdict) => verdict === 'granted')).toHaveLength(1)
    expect(verdicts.filter((verdict) => verdict === 'max_instances')).toHaveLength(MANY - 1)
  })

  it('are encrypted at rest', async () => {
    const client = await start()
    const row = await rowOf(at(), 'instances', { exec: client.exec })
    for (const key of [client.keys.beat, client.keys.ws, client.keys.payload])
      for (const kept of [row.secrets, row.beat_keys])
        expect(Buffer.from(kept ?? []).includes(key)).toBe(false)
  })
})

const SCRIPT = { script: 'print("hello")' }

describe('heartbeats across processes', () => {
  it('may come to any process at any time', async () => {
    await onTwoProcesses(async (first, second) => {
      const { client, scriptId, addUser } = await makeScene(first)
      const running = await run(client, scriptId, { key: await addUser() })
      const urls = [first.url, second.url].map((url) => new ProtocolClient(url))
      for (let i = 0; i < 6; i += 1) {
        const body = running.beatBody()
        const answers = await Promise.all(urls.map((there) => there.post('/beat', body)))
        expect(answers[0]?.text).toBe(answers[1]?.text)
        expect(running.accept(answers[i % 2]?.text ?? '').ok).toBe(true)
      }
    })
  })

  it('continue in another process, no matter how old the stored state is', async () => {
    await onTwoProcesses(async (first, second) => {
      const { client, scriptId, addUser } = await makeScene(first)
      const running = await run(client, scriptId, { key: await addUser() })
      const elsewhere = new ProtocolClient(second.url)
      for (let n = 1; n <= 75; n += 1) {
        const isMoving = n === 61 || n > 72
        const body = running.beatBody()
        const { text } = await (isMoving ? elsewhere.post('/beat', body) : running.send(body))
        if (n === 70) expect((await elsewhere.post('/beat', body)).text).toBe(text)
        expect(running.accept(text)).toMatchObject({ ok: true, n })
      }
    })
  })
})

describe.each(engines)('heartbeats across restarts and upgrades on $name', (engine) => {
  it('continue after a restart, and a lost answer is resent', async () => {
    const first = await startServer(engine)
    const { client, scriptId, addUser } = await makeScene(first)
    const running = await run(client, scriptId, { key: await addUser() })
    await running.beat()
    const body = running.beatBody()
    const { text } = await running.send(body)
    await first.stop()
    const second = await startServer(engine, { location: first.location })
    try {
      const there = new ProtocolClient(second.url)
      expect((await there.post('/beat', body)).text).toBe(text)
      running.accept(text)
      expect(running.accept((await there.post('/beat', running.beatBody())).text).ok).toBe(true)
    } finally {
      await second.close()
    }
  })

  it('continue after a version that stored its state with every heartbeat', async () => {
    const server = await startServer(engine)
    try {
      const { client, scriptId, addUser } = await makeScene(server)
      const running = await run(client, scriptId, { key: await addUser() })
      const states = Buffer.concat([running.keys.beat, running.keys.beat])
      const beat_keys = server.deps.secrets.seal('beatStates', running.exec, states)
      await changeRows(server, 'instances', { exec: running.exec }, { beat_keys })
      for (let n = 1; n <= 3; n += 1) expect(await running.verdict()).toBe('ok')
    } finally {
      await server.close()
    }
  })
})

describe.each(engines)('the limits of heartbeats on $name', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })
  it('delay only the client that sends them too often', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const running = await run(client, scriptId, { key: await addUser() })
    at().clock.now += 5000
    expect(await running.verdict()).toBe('ok')
    const early = await running.send(running.beatBody())
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '5'])
    at().clock.now += 5000
    expect(await running.verdict()).toBe('ok')
  })
})
