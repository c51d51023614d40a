/**
 * Clients that send false information about themselves, and attackers who send large, slow or endless data
 * while legitimate clients keep running. The tests use a real server and real sockets. `attacks.test.ts`
 * covers byte-level tampering with a handshake.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket as TcpSocket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { MAX_FRAME_CHARACTERS } from '@scriptward/client/live-messages'
import { formatExec } from '@scriptward/client/wire'
import { describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { effort } from '../../../../client/test/effort.ts'
import { anyEngine, sqlite } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { component, helloFor, openAnswer, STRONG } from '../../../test/protocol/client.ts'
import { liveScene } from '../../../test/protocol/live-scene.ts'
import { makeScene, TEXT } from '../../../test/protocol/scene.ts'
import { rowsOf } from '../../../test/stored.ts'

const JUNK_REQUESTS = effort({ day: 2000, night: 10_000 })
const JUNK_AT_ONCE = 48
const SLOW_CLIENTS = 300

describe.each(anyEngine)('a client that misreports on $name', (engine) => {
  const { at } = serverOn(engine)
  const { scene, start, join } = liveScene(at)

  it('its version, clock or host gets the same responses as an honest client', async () => {
    const { client, scriptId, addUser } = scene()
    const key = await addUser()
    const lies = [{ sv: 0 }, { sv: 999_999 }, { t: 0 }, { t: 9_999_999_999 }, { rt: 'luau' as const }]
    for (const lie of lies) {
      const { reply, script } = await client.run(scriptId, { key, ...lie })
      expect([lie, reply.ok && reply.script.version, script]).toEqual([lie, 1, TEXT])
    }
  })

  it('its clock does not make an expired key valid', async () => {
    const { client, scriptId, addUser } = scene()
    const key = await addUser({ key_expires: START })
    for (const t of [0, Math.floor(START / 1000) - 60, 9_999_999_999])
      expect(await client.verdict(scriptId, { key, t })).toBe('key_expired')
  })

  it('its script is denied, whichever script it names', async () => {
    const { client, scriptId, addUser } = scene()
    const other = await makeScene(at())
    const key = await addUser()
    const boot = await client.boot(scriptId)
    const { body, keys } = await client.request(boot, helloFor(other.scriptId, { key }))
    expect(openAnswer(keys, await client.post('/exec', body)).reply).toMatchObject({ reason: 'bad_request' })
    expect(await client.verdict(other.scriptId, { key })).toBe('invalid_key')
  })

  it('its run time gets no more time', async () => {
    const running = await start({ key: await scene().addUser({ key_expires: START + 60_000 }) })
    expect(await running.beat(0)).toMatchObject({ ok: true, seconds_left: 60 })
    at().clock.now += 30_000
    expect(await running.beat(1)).toMatchObject({ ok: true, seconds_left: 30 })
    at().clock.now += 30_000
    expect(await running.verdict()).toBe('key_expired')
  })

  it('its previous session gets a new session', async () => {
    const { sid } = await join(await start())
    const liar = await join(await start(), { resume: sid, last: '99' })
    expect(liar.ready).toMatchObject({ resumed: false })
    expect(liar.sid).not.toBe(sid)
  })
})

describe('a flood', () => {
  // On a busy machine, the test may exceed the default time limit for headers.
  const { at } = serverOn(sqlite, { config: { headersTimeoutMs: 120_000 } })
  const { scene, start, join, message } = liveScene(at)

  it('of thousands of junk bodies changes nothing, and honest clients are still served', async () => {
    const { client, scriptId, addUser } = scene()
    const key = await addUser()
    const bodies = await junkBodies()
    const statuses = new Map<number, number>()
    const agent = new Agent({ keepAlive: true, maxSockets: JUNK_AT_ONCE })
    let sent = 0
    const sender = async () => {
      while (sent < JUNK_REQUESTS) {
        const body = bodies[sent++ % bodies.length] ?? ''
        const status = await post(`${at().url}/client/v1/exec`, body, agent)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const flood = Promise.all(Array.from({ length: JUNK_AT_ONCE }, sender))
    let honest = 0
    while (sent < JUNK_REQUESTS || honest < 3) {
      const { reply, script } = await client.run(scriptId, {
        key,
        fp: { [STRONG]: component('first machine') },
      })
      expect([reply.ok, script]).toEqual([true, TEXT])
      honest += 1
    }
    await flood
    agent.destroy()
    expect([...statuses.keys()].sort()).toEqual([400, 409, 413])
    const executions = await rowsOf(at(), 'users', { key })
    expect(executions).toMatchObject([{ executions: honest }])
    expect(at().log.filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  it('of connections that send one byte at a time does not delay other clients', async () => {
    const { client, scriptId, addUser } = scene()
    const { sid, socket } = await join(await start())
    const slow = await Promise.all(Array.from({ length: SLOW_CLIENTS }, (_, i) => slowClient(at().url, i)))
    const dribble = setInterval(() => {
      // Any number of these zeros is valid in a header, a body or a chunk size.
      for (const one of slow) one.write('0')
    }, 50)
    for (let i = 0; i < 5; i += 1) {
      const { script } = await client.run(scriptId, { key: await addUser() })
      expect(script).toBe(TEXT)
      const asked = message(sid)
      socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ok: true })
      expect((await asked).body).toMatchObject({ processed: true })
    }
    clearInterval(dribble)
    expect(slow.filter((one) => one.destroyed)).toEqual([])
    for (const one of slow) one.destroy()
  })

  it("of oversized or endless frames is cut off, and the victim's session continues", async () => {
    const running = await start()
    const { sid, socket } = await join(running)
    socket.ws.send('A'.repeat(MAX_FRAME_CHARACTERS + 1))
    expect(await socket.closed).toBe(4413)
    const endless = await join(running, { resume: sid })
    expect(endless.ready.resumed).toBe(true)
    const sending = setInterval(() => endless.socket.ws.send('A'.repeat(16_384), { fin: false }), 5)
    // RFC 6455's close code for a message that is too big, or 1008 if the library rejects the message for
    // having too many fragments.
    expect([1008, 1009]).toContain(await endless.socket.closed)
    clearInterval(sending)
    expect((await join(running, { resume: sid })).ready).toMatchObject({ sid, resumed: true })
  })

  it('of large, endless or unauthenticated first frames is cut off before it costs anything', async () => {
    const codes: number[] = []
    for (const text of [
      'A'.repeat(MAX_FRAME_CHARACTERS + 1),
      'lp1.x',
      `lp1.${'A'.repeat(22)}.1.${'A'.repeat(60)}`,
    ]) {
      const ws = new WebSocket(`${at().url.replace('http', 'ws')}/client/v1/ws`)
      await once(ws, 'open')
      ws.send(text)
      codes.push((await once(ws, 'close'))[0] as number)
    }
    expect(codes).toEqual([4413, 4400, 4401])
  })

  /**
   * Returns bodies ranging from an invalid one to one with a real boot record, which costs the server the
   * most.
   */
  async function junkBodies(): Promise<string[]> {
    const { client, scriptId } = scene()
    const boot = await client.boot(scriptId)
    const real = { kid: boot.kid, boot: Buffer.from(boot.boot, 'base64url') }
    const made = () => ({ ep: randomBytes(32), box: randomBytes(400) })
    return [
      'x',
      'lp1.',
      randomBytes(3000).toString('base64url'),
      'A'.repeat(200_000),
      formatExec({ kid: boot.kid, boot: randomBytes(40), ...made() }),
      ...Array.from({ length: 11 }, () => formatExec({ ...real, ...made() })),
    ]
  }
})

/** Returns the status of the response. */
function post(url: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'text/plain' } },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Starts a request and never finishes it. The headers, the body or a frame stays incomplete. */
async function slowClient(url: string, i: number): Promise<TcpSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = 'POST /client/v1/exec HTTP/1.1\r\nhost: x\r\n'
  const beginnings = [
    head,
    `${head}content-type: text/plain\r\ncontent-length: 60000\r\n\r\n`,
    `${head}content-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n`,
  ]
  socket.write(beginnings[i % beginnings.length] ?? head)
  await wait(0)
  return socket
}
