/**
 * Guarantees of sessions (client protocol §12), tested with a protocol client against a real server and the
 * management API.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PING_MS, RESUME_MS, SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { until } from '../../../test/patience.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { closeCodeAfter, firstFrame, run, type Socket } from '../../../test/protocol/running.ts'
import { reconcileSessions } from './reconcile.ts'

describe.each(anyEngine)('on $name', (engine) => {
  const { at } = serverOn(engine)
  const { scene, start, join, message, listed, later, detached } = liveScene(at)

  describe('a connection', () => {
    it('becomes a session that its owner can see', async () => {
      const game = { game_user_id: '77', place_id: '5', job_id: 'j' }
      const running = await start({ game })
      expect(running.grant.ws).toMatchObject({ on: true, required: false, ping: PING_MS })
      expect(running.grant.vars.supports_sessions).toBe(true)
      const { ready, sid } = await join(running)
      expect(ready).toEqual({ t: 'ready', sid, ping: PING_MS, resumed: false, calls: true, errors: true })
      const { session } = (await scene().owner.get(`/v1/sessions/${sid}`)).body
      expect(session).toMatchObject({
        ...game,
        id: sid,
        state: 'ready',
        script_version: 1,
        created_at: START,
      })
      expect(JSON.stringify(session)).not.toContain(running.exec)
    })

    it('is rejected before it proves the keys of a running instance', async () => {
      const running = await start()
      const other = await start()
      const codes: number[] = []
      const text = firstFrame(running, 1)
      const frames = [
        'nonsense',
        firstFrame(running, 1, { unknown: 1 }),
        `${text.slice(0, -2)}${text.at(-2) === 'A' ? 'B' : 'A'}${text.at(-1)}`,
        text.replace(running.exec, other.exec),
        text.replace(running.exec, randomBytes(16).toString('base64url')),
        text.replace('.1.', '.2.'),
      ]
      for (const frame of frames) codes.push(await closeCodeAfter(at().url, frame))
      codes.push(await closeCodeAfter(at().url, Buffer.from(text)))
      codes.push(await closeCodeAfter(at().url, 'x'.repeat(180_000)))
      expect(codes).toEqual([4400, 4400, 4401, 4401, 4401, 4401, 4400, 4413])
      expect(await listed()).toEqual([])
      expect((await join(running)).ready.resumed).toBe(false)
    })

    it('that is not a WebSocket gets the error of a missing endpoint', async () => {
      expect((await at().client().get('/client/v1/ws')).error.type).toBe('invalid_endpoint')
      const { hostname, port } = new URL(at().url)
      const socket = connect(Number(port), hostname)
      socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n')
      expect(String(await once(socket, 'data'))).toContain('HTTP/1.1 200')
      socket.destroy()
    })

    it('cannot be replayed from a recording', async () => {
      const running = await start()
      const { socket } = await join(running)
      expect(await closeCodeAfter(at().url, firstFrame(running, 1))).toBe(4401)
      socket.ws.close()
      await socket.closed
      expect(await closeCodeAfter(at().url, firstFrame(running, 1))).toBe(4401)
      expect((await join(running)).ready.resumed).toBe(false)
    })

    it.each<[string, (socket: Socket) => string, number]>([
      ['replayed', (socket) => repeat(socket, socket.seal({ t: 'pong', n: 1 })), 4400],
      ['out of order', (socket) => [1, 2].map((n) => socket.seal({ t: 'pong', n }))[1] ?? '', 4400],
      ['tampered', (socket) => turned(socket.seal({ t: 'pong', n: 1 })), 4400],
      ['injected', () => randomBytes(60).toString('base64url'), 4400],
      [
        'of an unknown type',
        (socket) => socket.seal({ t: 'cmd', id: '1', key: 'a', data: null, ttl: 1 }),
        4400,
      ],
      ['oversized', () => 'A'.repeat(175_000), 4413],
    ])('that receives a frame that is %s is closed', async (_, make, code) => {
      const { socket } = await join(await start())
      socket.ws.send(make(socket))
      expect(await socket.closed).toBe(code)
    })

    it('rejects frames of another session and its own frames sent back', async () => {
      const [one, two] = [await join(await start()), await join(await start())]
      two.socket.ws.send(one.socket.seal({ t: 'pong', n: 1 }))
      expect(await two.socket.closed).toBe(4400)
      const heard = new Promise<string>((resolve) =>
        one.socket.ws.once('message', (data) => resolve(String(data))),
      )
      void message(one.sid)
      one.socket.ws.send(await heard)
      expect(await one.socket.closed).toBe(4400)
    })

    it('is replaced by a newer one of the same instance', async () => {
      const running = await start()
      const former = await join(running)
      const newer = await join(running)
      expect(await former.socket.closed).toBe(4409)
      expect((await listed()).map(({ id }) => id)).toEqual([newer.sid])
    })
  })

  describe('a message', () => {
    it("gets the script's return value as its response", async () => {
      const { socket, sid } = await join(await start())
      const asked = message(sid)
      const { id, key, data, ttl } = await socket.frame('cmd')
      expect({ key, data, ttl }).toEqual({ key: 'greet', data: { name: 'Ada' }, ttl: 60_000 })
      socket.send({ t: 'ack', id })
      socket.send({ t: 'res', id, ok: true, data: { greeting: 'hello' } })
      expect((await asked).body).toEqual({ success: true, processed: true, response: { greeting: 'hello' } })
    })

    it.each([
      [{ ok: false, reason: 'boom' }, 'function errored, message: boom'],
      [{ ok: false, reason: 'function doesnt exist' }, 'function doesnt exist'],
      [{ ok: true, data: 'text' }, 'invalid return data'],
    ])('answered with %j is not processed', async (answer, reason) => {
      const { socket, sid } = await join(await start())
      const asked = message(sid)
      socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ...answer })
      expect((await asked).body).toEqual({ success: true, processed: false, reason })
    })

    it('fails with the reason when its session ends', async () => {
      const { socket, sid } = await join(await start())
      const asked = message(sid)
      await socket.frame('cmd')
      socket.send({ t: 'bye', reason: 'script ended' })
      expect((await asked).body).toMatchObject({ processed: false, reason: 'session disconnected' })
      expect(await socket.closed).toBe(1000)
      expect((await message(sid)).error.type).toBe('session_not_found')
    })

    it('reaches all matching sessions of a project, each with its own response', async () => {
      const joined: Awaited<ReturnType<typeof join>>[] = []
      for (const place_id of ['5', '5', '6']) joined.push(await join(await start({ game: { place_id } })))
      for (const { socket, sid } of joined)
        void socket.frame('cmd').then(({ id }) => socket.send({ t: 'res', id, ok: true, data: { sid } }))
      const path = `/v1/projects/${scene().projectId}/sessions`
      const { responses } = (await scene().owner.post(`${path}/message`, { place_id: '5', key: 'k' })).body
      expect(responses).toEqual(
        joined.slice(0, 2).map(({ sid }) => ({ session_id: sid, processed: true, response: { sid } })),
      )
      await scene().owner.post(`${path}/disconnect`, { place_id: '5' })
      expect((await listed()).map(({ id }) => id)).toEqual([joined[2]?.sid])
    })
  })

  describe('a lost connection', () => {
    it('can be resumed, with unanswered messages and missed data', async () => {
      const running = await start()
      const { socket, sid } = await join(running)
      const asked = ['one', 'two', 'three'].map((key) => message(sid, key))
      const ids: string[] = []
      for (let i = 0; i < 3; i += 1) ids.push((await socket.frame('cmd')).id)
      socket.send({ t: 'ack', id: ids[0] })
      await settled(socket)
      socket.ws.terminate()
      await detached()
      at().clock.now += 1000
      const again = await join(running, { resume: sid, last: ids[1] })
      expect(again.ready).toMatchObject({ sid, resumed: true })
      const resent = [
        await again.socket.frame('cmd'),
        await again.socket.frame('cmd'),
        await again.socket.frame('cmd'),
      ]
      expect(resent.map(({ id, ttl, data }) => [id, ttl, data])).toEqual([
        [ids[0], 59_000, null],
        [ids[1], 59_000, null],
        [ids[2], 59_000, { name: 'Ada' }],
      ])
      for (const id of ids) again.socket.send({ t: 'res', id, ok: true, data: { id } })
      const answers = await Promise.all(asked)
      expect(answers.map(({ body }) => body.processed)).toEqual([true, true, true])
      expect(again.socket.frames).toEqual([])
      expect((await listed()).map(({ state }) => state)).toEqual(['ready'])
    })

    it('leaves a session that still accepts messages until it is back', async () => {
      const running = await start()
      const { socket, sid } = await join(running)
      socket.ws.terminate()
      await detached()
      const asked = message(sid)
      const again = await join(running, { resume: sid })
      again.socket.send({ t: 'res', id: (await again.socket.frame('cmd')).id, ok: true })
      expect((await asked).body).toMatchObject({ processed: true, response: null })
    })

    it('cannot be resumed after a minute, nor by a client that names another session', async () => {
      const running = await start()
      const { socket, sid } = await join(running)
      const stranger = await start()
      expect((await join(stranger, { resume: sid })).ready.resumed).toBe(false)
      socket.ws.terminate()
      await detached()
      await later(RESUME_MS - 1)
      expect((await listed()).map(({ id }) => id)).toContain(sid)
      await later(1)
      expect((await listed()).map(({ id }) => id)).not.toContain(sid)
      expect((await join(running, { resume: sid })).ready).toMatchObject({ resumed: false })
    })

    it('is detected by missing pongs when the client is silent', async () => {
      const { socket } = await join(await start())
      await later(PING_MS)
      const { n, st } = await socket.frame('ping')
      expect(st).toBe(START + PING_MS)
      socket.send({ t: 'pong', n })
      await until(async () => (await listed())[0]?.last_seen === START + PING_MS)
      for (let i = 0; i < 3; i += 1) await later(PING_MS)
      expect(await socket.closed).toBe(4408)
    })
  })

  describe('an instance', () => {
    it('stays alive without heartbeats as long as its session responds', async () => {
      const key = await scene().addUser({ max_instances: 1 })
      const { socket } = await join(await run(scene().client, scene().scriptId, { key }))
      for (let i = 0; i < 8; i += 1) {
        await later(PING_MS)
        socket.send({ t: 'pong', n: (await socket.frame('ping')).n })
        await until(async () => (await listed())[0]?.last_seen === at().clock.now)
        await reconcileSessions(at().deps)
      }
      expect(await scene().client.verdict(scene().scriptId, { key })).toBe('max_instances')
      socket.ws.terminate()
      await detached()
      await later(SERVER_GRACE_MS)
      expect(await scene().client.verdict(scene().scriptId, { key })).toBe('granted')
    })

    it('that ends normally ends its session', async () => {
      const running = await start()
      const { socket } = await join(running)
      expect((await running.send(running.endBody(), 'end')).status).toBe(200)
      expect(await socket.closed).toBe(1000)
      expect(await listed()).toEqual([])
    })

    it('that was copied also ends its session', async () => {
      const running = await start()
      const thief = running.copy()
      const { socket } = await join(running)
      await running.beat()
      await thief.send(thief.beatBody(5))
      expect(await socket.frame('kick')).toMatchObject({ code: 49, reason: 'token_reuse' })
      expect(await socket.closed).toBe(4403)
    })
  })
})

describe.each(anyEngine)('a message on $name', (engine) => {
  const { at } = serverOn(engine, { config: { sessionWaitMs: 200 } })
  const { start, join, message } = liveScene(at)

  it('without a response fails with the reason', async () => {
    const { socket, sid } = await join(await start())
    const asked = message(sid)
    await socket.frame('cmd')
    expect((await asked).body).toMatchObject({ processed: false, reason: 'client never responded' })
  })
})

function repeat({ ws }: Socket, text: string): string {
  ws.send(text)
  return text
}

function turned(text: string): string {
  return `${text.slice(0, 5)}${text[5] === 'A' ? 'B' : 'A'}${text.slice(6)}`
}

/** Waits until the server has read everything sent so far. */
async function settled({ ws }: Socket): Promise<void> {
  ws.ping()
  await once(ws, 'pong')
}
