/** Sessions: which runs may have one, for how long, and how many (client protocol §11 to §13, §17). */
import { once } from 'node:events'
import { type KickReason, PING_MS, RESUME_MS } from '@scriptward/client/live-messages'
import { beforeEach, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { START, serverOn, startServer } from '../../../test/harness.ts'
import { until } from '../../../test/patience.ts'
import { ProtocolClient } from '../../../test/protocol/client.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { closeCodeAfter, firstFrame, run } from '../../../test/protocol/running.ts'
import { makeScene, TEXT } from '../../../test/protocol/scene.ts'
import { reconcileSessions, reviewOwnSessions } from './reconcile.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const { scene, start, join, listed, later, detached } = liveScene(at)

  describe('a script that requires sessions', () => {
    beforeEach(() => scene().edit('scripts', { require_sessions: 1 }))

    it('does not run on a host or loader without WebSocket', async () => {
      const key = await scene().addUser()
      const caps = { ws: false, raw: false, lz4: true, buffer: false, post: true, max_body: 65_536 }
      expect(await scene().client.verdict(scene().scriptId, { key, lb: 2, caps })).toBe('sessions_required')
      await scene().edit('scripts', { use_heartbeat: 0 })
      expect(
        await scene().client.verdict(scene().scriptId, { key, lb: 1, caps: { ...caps, ws: true } }),
      ).toBe('sessions_required')
    })

    it('is readable only with the key of a live session', async () => {
      const running = await start()
      expect(running.grant).toMatchObject({
        payload: { mode: 'ws' },
        ws: { required: true, deadline: 15_000 },
      })
      expect(() => running.openScript(running.keys.payload.toString('base64url'))).toThrow('does not open')
      const { ready } = await join(running)
      expect(running.openScript(ready.pk ?? '')).toBe(TEXT)
    })

    it('is stopped by heartbeat and by connection when its session was lost for too long', async () => {
      const running = await start()
      const { socket } = await join(running)
      socket.ws.terminate()
      await detached()
      await later(RESUME_MS)
      expect(await running.verdict()).toBe('session_lost')
      const back = await running.connect(at().url)
      expect(await back.frame('kick')).toMatchObject({ code: 50 })
    })

    it('is stopped when its session never started', async () => {
      const running = await start()
      await later(30_000)
      expect(await running.verdict()).toBe('ok')
      await later(45_000)
      expect(await running.verdict()).toBe('session_lost')
    })
  })

  describe('a session is kicked immediately', () => {
    it('by its owner, together with its instance', async () => {
      const running = await start()
      const { socket, sid } = await join(running)
      expect((await scene().owner.post(`/v1/sessions/${sid}/disconnect`)).body).toEqual({ success: true })
      expect(await socket.frame('kick')).toMatchObject({ code: 40, reason: 'disconnected' })
      expect(await socket.closed).toBe(4403)
      expect(await running.verdict()).toBe('disconnected')
      const back = await running.connect(at().url)
      expect(await back.frame('kick')).toMatchObject({ code: 40 })
      expect(await back.closed).toBe(4403)
    })

    it("in the customer's language", async () => {
      const { socket, sid } = await join(await start({ lang: 'fil' }))
      await scene().owner.post(`/v1/sessions/${sid}/disconnect`)
      const message = 'Itinigil ng gumawa ng script ang session na ito.'
      expect(await socket.frame('kick')).toMatchObject({ reason: 'disconnected', message })
    })

    it.each<[KickReason, string, (key: string) => readonly [string, unknown]]>([
      ['key_removed', 'POST', (key) => [`/v1/users/${key}/remove`, undefined]],
      ['blacklisted', 'POST', (key) => [`/v1/users/${key}/blacklist`, { expires: 0 }]],
      ['key_expired', 'POST', (key) => [`/v1/users/${key}/edit`, { key_expires: 1 }]],
      ['script_disabled', 'POST', () => [`/v1/scripts/${scene().scriptId}/toggle`, { state: false }]],
      ['script_removed', 'POST', () => [`/v1/scripts/${scene().scriptId}/remove`, undefined]],
      ['script_removed', 'POST', () => [`/v1/projects/${scene().projectId}/remove`, undefined]],
    ])('with %s (%s)', async (reason, _, request) => {
      const key = await scene().addUser()
      const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
      const [path, body] = request(key)
      expect((await scene().owner.post(path, body)).status).toBe(200)
      expect(await socket.frame('kick')).toMatchObject({ reason })
      expect(await socket.closed).toBe(4403)
    })

    it('in the next round if its key was blocked while it connected', async () => {
      const key = await scene().addUser()
      const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
      await scene().edit('users', { blacklisted: 1 }, key)
      await reconcileSessions(at().deps)
      expect(await socket.frame('kick')).toMatchObject({ reason: 'blacklisted' })
    })

    it('when its fingerprint is force-reset', async () => {
      const key = await scene().addUser()
      const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
      await scene().owner.post(`/v1/users/${key}/reset`, { force: true })
      expect(await socket.frame('kick')).toMatchObject({ code: 47 })
    })

    it('when another version becomes active and outdated ones are kicked', async () => {
      const { socket } = await join(await start())
      await scene().edit('scripts', { kick_outdated: 1 })
      await scene().owner.post(`/v1/scripts/${scene().scriptId}/update`, { script: 'print(2)' })
      expect(await socket.frame('kick')).toMatchObject({ code: 46 })
    })

    it('and frees its slot, so that the customer can start the new version at once', async () => {
      const key = await scene().addUser({ max_instances: 1 })
      const outdated = await run(scene().client, scene().scriptId, { key })
      const { socket } = await join(outdated)
      await scene().edit('scripts', { kick_outdated: 1 })
      await scene().owner.post(`/v1/scripts/${scene().scriptId}/update`, { script: 'print(2)' })
      expect(await socket.frame('kick')).toMatchObject({ reason: 'outdated_version' })
      expect(await scene().client.verdict(scene().scriptId, { key })).toBe('granted')
      const { body } = await scene().owner.get(`/v1/projects/${scene().projectId}/executions/log`)
      expect(body.executions).toContainEqual(
        expect.objectContaining({ id: outdated.exec, state: 'stopped', stop_reason: 'outdated_version' }),
      )
    })

    it('when its key expires', async () => {
      const key = await scene().addUser({ key_expires: START + 5000 })
      const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
      await later(4999)
      expect(await listed()).toHaveLength(1)
      await later(1)
      expect(await socket.frame('kick')).toMatchObject({ code: 41 })
    })

    it("when its owner's account expires", async () => {
      const { socket } = await join(await start())
      await scene().edit('customers', { plan_expires: 1 })
      await later(PING_MS)
      socket.send({ t: 'pong', n: (await socket.frame('ping')).n })
      await until(async () => {
        await reconcileSessions(at().deps)
        return socket.ws.readyState === WebSocket.CLOSED
      })
      expect(await socket.frame('kick')).toMatchObject({ code: 48 })
    })
  })

  it("sessions receive their owner's changes", async () => {
    const key = await scene().addUser()
    const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
    await scene().owner.post(`/v1/users/${key}/edit`, { note: 'new', key_expires: START + 60_000 })
    expect(await socket.frame('set')).toEqual({
      t: 'set',
      chat_id: null,
      note: 'new',
      script_name: 'main',
      plan: null,
      features: {},
      in_grace: false,
      status: 'active',
      seconds_left: 60,
    })
  })

  it('sessions never receive older data after newer data, however long a review takes', async () => {
    const key = await scene().addUser({ note: 'old' })
    const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
    const { deps } = at()
    const { promise: edited, resolve } = Promise.withResolvers<void>()
    const read = deps.db.read.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => edited.then(() => result),
    })
    const slow = { ...deps, db: { ...deps.db, read } }
    const reviewed = reviewOwnSessions(slow, { project_id: scene().projectId })
    await scene().owner.post(`/v1/users/${key}/edit`, { note: 'new' })
    expect(await socket.frame('set')).toMatchObject({ note: 'new' })
    resolve()
    await reviewed
    socket.ws.ping()
    await once(socket.ws, 'pong')
    expect(socket.frames).toEqual([])
  })
})

describe.each(anyEngine)('a restart on $name', (engine) => {
  it('closes sessions with a dedicated code, and accepts them again afterward', async () => {
    const first = await startServer(engine)
    const { client, scriptId, addUser } = await makeScene(first)
    const running = await run(client, scriptId, { key: await addUser() })
    const socket = await running.connect(first.url)
    await socket.frame('ready')
    await first.stop()
    expect(await socket.closed).toBe(1012)
    const second = await startServer(engine, { location: first.location })
    try {
      expect(await closeCodeAfter(second.url, firstFrame(running, 1))).toBe(4401)
      const again = await running.connect(second.url)
      expect(await again.frame('ready')).toMatchObject({ resumed: false })
      expect(await new ProtocolClient(second.url).verdict(scriptId)).toBe('invalid_key')
    } finally {
      await second.close()
    }
  })
})

describe.each(anyEngine)('limits of sessions on $name', (engine) => {
  const { at } = serverOn(engine, { config: { clientRates: 1 } })
  it('apply to frames, to connections of an instance and to connections of an IP address', async () => {
    const { client, scriptId, addUser } = await makeScene(at())
    const running = await run(client, scriptId, { key: await addUser() })
    const socket = await running.connect(at().url)
    await socket.frame('ready')
    for (let n = 0; n < 41; n += 1) socket.send({ t: 'pong', n })
    expect(await socket.closed).toBe(4429)
    const endings: Promise<number>[] = []
    for (let i = 0; i < 10; i += 1) endings.push((await running.connect(at().url)).closed)
    expect(await endings.at(-1)).toBe(4429)
    const codes = await Promise.all(endings.slice(0, -1).map((closed) => Promise.race([closed, 0])))
    expect(codes).not.toContain(4429)
    let status = 0
    for (let i = 0; i < 60 && status === 0; i += 1) status = await refusalOf(at().url)
    expect(status).toBe(429)
  })
})

describe('a connection', () => {
  const { at } = serverOn(sqlite)
  it('without a first frame is closed after ten seconds', async () => {
    const ws = new WebSocket(`${at().url.replace('http', 'ws')}/client/v1/ws`)
    const [code] = (await once(ws, 'close')) as [number]
    expect(code).toBe(4408)
  })
})

/** Returns the status of a rejected upgrade, or 0 if the upgrade succeeded. */
async function refusalOf(url: string): Promise<number> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}/client/v1/ws`)
  return new Promise((resolve) => {
    ws.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
    ws.on('error', () => {})
    ws.on('open', () => {
      ws.terminate()
      resolve(0)
    })
  })
}
