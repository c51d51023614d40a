/**
 * Tests two processes of one installation: work started in one process continues in the other, and neither
 * process depends on the other.
 */
import { randomBytes } from 'node:crypto'
import { FIRST_BEAT_MS, SERVER_GRACE_MS } from '@scriptward/client/live-messages'
import type { Denial, Grant } from '@scriptward/client/messages'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RULES } from '../../src/platform/limits/rules.ts'
import { outside } from '../harness.ts'
import { until } from '../patience.ts'
import { helloFor, openAnswer, type Plain } from '../protocol/client.ts'
import { type Running, run } from '../protocol/running.ts'
import { type Scene, TEXT } from '../protocol/scene.ts'
import { watch } from '../watch-events.ts'
import { openService, type Process, type Service } from './serving.ts'

const KEY = RULES.execKey
/** These rates are a fifth of the usual ones. */
const API = { perMinute: 600, burst: 20 }
const AT_ONCE = 200
/** Upper bound for the number of requests that a limit may have allowed since `from`. */
const refilled = (perMinute: number, from: number) => Math.ceil(((Date.now() - from) / 60_000) * perMinute)

type Shown = { readonly id: string; readonly state: string; readonly user_key: string }

describe('two processes', () => {
  let service: Service
  let first: Process
  let second: Process
  let scene: Scene
  beforeAll(async () => {
    service = await openService()
    ;[first, second] = [await service.start(), await service.start()]
    scene = await service.scene(first)
  })
  afterAll(() => service?.remove())

  const at = (one: Process) => {
    const headers = { token: scene.owner.apiKey, 'content-type': 'application/json' }
    const ask = async (path: string, body?: unknown) => {
      const method = body === undefined ? 'GET' : 'POST'
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(one.url + path, { method, headers, ...sent })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const sessions = async () =>
      (await ask(`/v1/scripts/${scene.scriptId}/sessions`)).body.sessions as readonly Shown[]
    return { ask, sessions }
  }
  const start = async (one: Process): Promise<Running & { user: string }> => {
    const key = await scene.addUser()
    return Object.assign(await run(one.client, scene.scriptId, { key }), { user: key })
  }
  /** A process also rejects boot records while it reconnects to Valkey. */
  const isServed = (ask: () => Promise<{ readonly status: number }>) =>
    ask().then(
      ({ status }) => status === 200,
      () => false,
    )
  /**
   * Retries while the server still calls a moved session's dead holder, which fails with 503 and delivers
   * nothing.
   */
  const askUntilReached = async (one: Process, path: string) => {
    let answer = await at(one).ask(path, { key: 'greet', data: null })
    await until(async () => {
      if (answer.status === 503) answer = await at(one).ask(path, { key: 'greet', data: null })
      return answer.status !== 503
    })
    return answer
  }
  const isListed = async (one: Process, id: string) =>
    (await at(one).sessions()).some((session) => session.id === id)

  it("accept each other's boot records, each for one request", async () => {
    const hello = helloFor(scene.scriptId, { key: await scene.addUser() })
    for (const [issuer, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const boot = await issuer.client.boot(scene.scriptId)
      const [one, two] = [await issuer.client.request(boot, hello), await issuer.client.request(boot, hello)]
      expect(openAnswer(one.keys, await other.client.post('/exec', one.body)).script).toBe(TEXT)
      for (const { client } of [first, second])
        expect((await client.post('/exec', two.body)).text).toContain('boot_reused')
    }
  })

  it('resend the same response to a client that lost it, and count it once', async () => {
    const key = await scene.addUser()
    for (const [issuer, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const hello = helloFor(scene.scriptId, { key })
      const { body, keys } = await issuer.client.request(await issuer.client.boot(scene.scriptId), hello)
      const processes = [first, second, other, issuer]
      const answers = await Promise.all(processes.map(({ client }) => client.post('/exec', body)))
      for (const { client } of processes) answers.push(await client.post('/exec', body))
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
      expect(openAnswer(keys, answers[0] as Plain).script).toBe(TEXT)
    }
    const { user } = (await at(first).ask(`/v1/users/${key}`)).body
    expect(user).toMatchObject({ executions: 2 })
  })

  it('serve the chunks of a payload that the other granted', async () => {
    const text = `return "${randomBytes(400_000).toString('base64')}"`
    const large = await service.scene(first, {}, text)
    const { keys, reply } = await first.client.run(large.scriptId, { key: await large.addUser() })
    expect(reply).toMatchObject({ ok: true, payload: { mode: 'chunks' } })
    expect(await second.client.fetchScript(keys, reply as Grant)).toBe(text)
  })

  it('answer heartbeats of a run that the other granted', async () => {
    const running = await start(first)
    expect(await running.verdict()).toBe('ok')
    await service.db.transaction((tx) =>
      tx.updateTable('instances').set({ last_seen: 0 }).where('exec', '=', running.exec).execute(),
    )
    const there = Object.assign(running.copy(), { client: second.client })
    expect(await there.verdict()).toBe('ok')
  })

  it('list, message and end sessions that the other holds', async () => {
    const running = await start(first)
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    await until(() => isListed(second, sid))
    expect((await at(second).ask(`/v1/sessions/${sid}`)).body.session).toMatchObject({
      id: sid,
      user_key: running.user,
    })
    const asked = at(second).ask(`/v1/sessions/${sid}/message`, { key: 'greet', data: { name: 'Ada' } })
    const command = await socket.frame('cmd')
    expect(command).toMatchObject({ key: 'greet', data: { name: 'Ada' } })
    socket.send({ t: 'res', id: command.id, ok: true, data: { said: 'hello' } })
    expect((await asked).body).toMatchObject({ processed: true, response: { said: 'hello' } })
    expect((await at(second).ask(`/v1/sessions/${sid}/disconnect`, {})).status).toBe(200)
    expect(await socket.frame('kick')).toMatchObject({ reason: 'disconnected' })
    expect(await socket.closed).toBe(4403)
    await until(async () => !(await isListed(second, sid)))
    expect((await at(second).ask(`/v1/sessions/${sid}`)).status).toBe(404)
  })

  it('immediately end runs that were blocked at the other', async () => {
    const running = await start(first)
    const socket = await running.connect(first.url)
    await socket.frame('ready')
    await at(second).ask(`/v1/users/${running.user}/blacklist`, { expires: 0, reason: 'shared' })
    expect(await socket.frame('kick')).toMatchObject({ reason: 'blacklisted' })
  })

  it('report sessions that the other holds to watchers', async () => {
    const headers = { token: scene.owner.apiKey }
    const path = `/v1/projects/${scene.projectId}/sessions/events`
    const stop = new AbortController()
    const watched = await fetch(second.url + path, { headers, signal: stop.signal })
    const reader = watched.body?.getReader()
    let heard = ''
    const hearing = (async () => {
      for (;;) {
        const part = await reader?.read()
        if (part === undefined || part.done) return
        heard += new TextDecoder().decode(part.value)
      }
    })().catch(() => {})
    const running = await start(first)
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    socket.send({ t: 'bye', reason: 'over' })
    // A session from an earlier test may end in the meantime.
    const ofThis = () =>
      [...heard.matchAll(/event: (\w+)\ndata: (.*)\n/g)]
        .filter(([, , text = '']) => JSON.parse(text).id === sid)
        .map(([, type]) => type)
    await until(() => ofThis().includes('closed'))
    stop.abort()
    await hearing
    expect(ofThis()).toEqual(['opened', 'closed'])
  })

  it('end long-running requests at one when their permission ends at the other', async () => {
    const theirs = await service.scene(first)
    const key = await theirs.addUser()
    const running = await run(first.client, theirs.scriptId, { key })
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    const { apiKey } = theirs.owner
    // The first process writes the session's row after it has responded, and the second process reads that
    // row.
    await until(
      async () =>
        (await fetch(`${second.url}/v1/sessions/${sid}`, { headers: { token: apiKey } })).status === 200,
    )
    const events = await watch(`${second.url}/v1/projects/${theirs.projectId}/sessions/events`, apiKey)
    await events.next()
    const asked = fetch(`${second.url}/v1/sessions/${sid}/message`, {
      method: 'POST',
      headers: { token: apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'greet' }),
    })
    await socket.frame('cmd')
    await theirs.owner.post('/v1/account/reset', {})
    await events.ended()
    expect((await asked).status).toBe(401)
  })

  it('continue a session whose client reconnects to the other', async () => {
    const running = await start(first)
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    const asked = at(first).ask(`/v1/sessions/${sid}/message`, { key: 'greet', data: null })
    const command = await socket.frame('cmd')
    socket.send({ t: 'res', id: command.id, ok: true })
    await asked
    await until(() => isListed(second, sid))
    socket.ws.terminate()
    await until(async () =>
      (await at(second).sessions()).some(({ id, state }) => id === sid && state === 'detached'),
    )
    const back = await running.connect(second.url, { resume: sid, last: command.id })
    expect(await back.frame('ready')).toMatchObject({ sid, resumed: true })
    await until(async () =>
      (await at(first).sessions()).some(({ id, state }) => id === sid && state === 'ready'),
    )
    expect((await at(first).sessions()).filter(({ id }) => id === sid)).toHaveLength(1)
    const again = at(first).ask(`/v1/sessions/${sid}/message`, { key: 'greet', data: null })
    const next = await back.frame('cmd')
    expect(Number(next.id)).toBe(Number(command.id) + 1)
    back.send({ t: 'res', id: next.id, ok: true })
    expect((await again).body).toMatchObject({ processed: true })
  })

  it("list the other's sessions from the start", async () => {
    const running = await start(first)
    const { sid } = await (await running.connect(first.url)).frame('ready')
    await until(() => isListed(second, sid))
    const third = await service.start()
    expect(await isListed(third, sid)).toBe(true)
    const elsewhere = await start(third)
    const socket = await elsewhere.connect(third.url)
    const theirs = await socket.frame('ready')
    await until(() => isListed(first, theirs.sid))
    await third.stop()
    await until(async () => !(await isListed(first, theirs.sid)))
  })

  it('detect that the other has crashed, and end its instances within the grace period', async () => {
    const third = await service.start()
    const running = await start(third)
    const { sid } = await (await running.connect(third.url)).frame('ready')
    const quick = await start(third)
    const { sid: resumed } = await (await quick.connect(third.url)).frame('ready')
    await until(async () => (await isListed(first, sid)) && (await isListed(first, resumed)))
    const diedAt = Date.now()
    await third.kill()
    // A client that reconnects quickly keeps its session and pending commands.
    const moved = await quick.connect(second.url, { resume: resumed, last: '3' })
    expect(await moved.frame('ready')).toMatchObject({ sid: resumed, resumed: true })
    const asked = askUntilReached(first, `/v1/sessions/${resumed}/message`)
    expect(await moved.frame('cmd')).toMatchObject({ id: '4' })
    moved.send({ t: 'res', id: '4', ok: true })
    expect((await asked).body).toMatchObject({ processed: true })
    await until(async () => !(await isListed(first, sid)))
    const { expires_at } = await service.db.read
      .selectFrom('instances')
      .select('expires_at')
      .where('exec', '=', running.exec)
      .executeTakeFirstOrThrow()
    expect(expires_at).toBeLessThanOrEqual(diedAt + FIRST_BEAT_MS.most + SERVER_GRACE_MS)
    const back = await running.connect(second.url, { resume: sid })
    expect(await back.frame('ready')).toMatchObject({ resumed: false })
    expect(await isListed(first, resumed)).toBe(true)
  })

  it('lose no session and grant no execution while Valkey is down', async () => {
    const running = await start(first)
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    const key = await scene.addUser()
    const request = async () =>
      first.client.request(await first.client.boot(scene.scriptId), helloFor(scene.scriptId, { key }))
    const [before, later] = [await request(), await request()]
    expect((await first.client.post('/exec', before.body)).status).toBe(200)
    await service.valkey.kill()
    expect((await first.client.post('/exec', later.body)).status).toBe(503)
    expect((await second.client.post('/exec', (await request()).body)).status).toBe(503)
    const asked = at(first).ask(`/v1/sessions/${sid}/message`, { key: 'greet', data: null })
    socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ok: true })
    expect((await asked).body).toMatchObject({ processed: true })
    expect(await isListed(second, sid)).toBe(true)
    expect((await at(second).ask(`/v1/sessions/${sid}/message`, { key: 'greet', data: null })).status).toBe(
      503,
    )
    expect(await running.verdict()).toBe('ok')
    await service.valkey.start()
    await until(() => isServed(async () => second.client.post('/exec', (await request()).body)))
    // Valkey no longer knows which boot records were used, so no earlier boot record is accepted.
    for (const { body } of [before, later])
      expect((await second.client.post('/exec', body)).text).toMatch(/boot_(invalid|reused)/)
    expect(await isListed(second, sid)).toBe(true)
    // The first process may reconnect to Valkey after the second.
    const again = askUntilReached(second, `/v1/sessions/${sid}/message`)
    socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ok: true })
    expect((await again).body).toMatchObject({ processed: true })
  })

  it('do not wait for an unresponsive Valkey', async () => {
    const key = await scene.addUser()
    await until(() => isServed(() => first.client.get(`/boot?script=${scene.scriptId}`)))
    const boots = await Promise.all(Array.from({ length: 3 }, () => first.client.boot(scene.scriptId)))
    service.valkey.freeze()
    try {
      for (const boot of boots) {
        const { body } = await first.client.request(boot, helloFor(scene.scriptId, { key }))
        expect((await first.client.post('/exec', body)).status).toBe(503)
      }
    } finally {
      service.valkey.thaw()
    }
    await until(() =>
      isServed(async () => {
        const boot = await first.client.boot(scene.scriptId)
        const { body } = await first.client.request(boot, helloFor(scene.scriptId, { key }))
        return first.client.post('/exec', body)
      }),
    )
  })
})

describe('limits of two processes', () => {
  let service: Service
  let processes: Process[]
  beforeAll(async () => {
    service = await openService({ SCRIPTWARD_CLIENT_RATES: '1', SCRIPTWARD_API_RATES: '0.2' })
    processes = [await service.start(), await service.start()]
  })
  afterAll(() => service?.remove())
  const one = (i: number) => processes[i % 2] as Process
  const verdict = (reply: Grant | Denial) => (reply.ok ? 'granted' : reply.reason)

  it('are counted together for a key, and invalid keys pause an IP address at both', async () => {
    const { scriptId, addUser } = await service.scene(one(0))
    const key = await addUser()
    const verdicts: string[] = []
    const from = Date.now()
    while (!verdicts.includes('rate_limited'))
      verdicts.push(verdict((await one(verdicts.length).client.run(scriptId, { key })).reply))
    const granted = verdicts.length - 1
    expect(granted).toBeGreaterThanOrEqual(KEY.burst)
    expect(granted).toBeLessThanOrEqual(KEY.burst + refilled(KEY.perMinute, from))
    for (let i = 0; i < 5; i++) await one(i).client.run(scriptId, { key: `wrong key ${i}`, fp: {} })
    for (const i of [0, 1]) {
      const { reply } = await one(i).client.run(scriptId, { key: `wrong key of ${i}`, fp: {} })
      expect(reply).toMatchObject({ reason: 'rate_limited', retry_after: expect.any(Number) })
      expect(verdict((await one(i).client.run(scriptId, { key: await addUser() })).reply)).toBe('granted')
    }
  })

  it('are counted together for an API key, and Valkey never gets the key', async () => {
    // A key without requests still has its full burst allowance.
    const owner = await outside(one(0).url).createCustomer()
    const ask = async (i: number) =>
      (await fetch(`${one(i).url}/v1/projects`, { headers: { token: owner.apiKey } })).status
    const from = Date.now()
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => ask(i)))
    const passed = statuses.filter((status) => status === 200).length
    expect(passed).toBeGreaterThanOrEqual(API.burst)
    expect(passed).toBeLessThanOrEqual(API.burst + refilled(API.perMinute, from))
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })
})
