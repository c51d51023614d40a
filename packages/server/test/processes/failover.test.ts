/**
 * Tests two processes on a PostgreSQL server with a standby. The primary fails while the processes serve
 * requests, and the standby takes over.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRefusal, type Location } from '../databases.ts'
import { until } from '../patience.ts'
import { helloFor } from '../protocol/client.ts'
import { run } from '../protocol/running.ts'
import type { Scene } from '../protocol/scene.ts'
import { type Replicated, startReplicated } from './replicated.ts'
import { openService, type Process, type Service } from './serving.ts'

describe('failover to a PostgreSQL standby', () => {
  let databases: Replicated
  let service: Service
  let first: Process
  let second: Process
  let scene: Scene
  beforeAll(async () => {
    databases = await startReplicated(['fsync=off'])
    service = await openService({}, async () => locationOf(databases))
    ;[first, second] = [await service.start(), await service.start()]
    scene = await service.scene(first)
  })
  afterAll(async () => {
    await service?.remove()
    await databases?.remove()
  })

  const noteUrl = ({ url }: Process, key: string) => `${url}/v1/users/${key}`
  const edit = async (at: Process, key: string, note: string): Promise<number> => {
    const headers = { token: scene.owner.apiKey, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify({ note }) }
    return (await fetch(`${noteUrl(at, key)}/edit`, sent)).status
  }
  const noteAt = async (at: Process, key: string): Promise<number | undefined> => {
    const answer = await fetch(noteUrl(at, key), { headers: { token: scene.owner.apiKey } })
    const { user } = (await answer.json()) as { user?: { note: string } }
    return user && Number(user.note)
  }
  /** Sets the note of a new user to 1, 2, 3 and so on, until the writer is stopped. */
  const startWriter = async (at: Process) => {
    const key = await scene.addUser({ note: '0' })
    const written = { key, tried: 0, acknowledged: 0, refusals: new Set<number>() }
    let isOver = false
    const write = async () => {
      while (!isOver) {
        written.tried += 1
        const status = await edit(at, key, String(written.tried))
        if (status === 200) written.acknowledged = written.tried
        else written.refusals.add(status)
      }
    }
    const writing = write()
    return {
      written,
      stop: () => {
        isOver = true
        return writing
      },
    }
  }

  it('loses no acknowledged change, grants nothing it should not, and keeps runs alive', async () => {
    const [key, banned] = [await scene.addUser(), await scene.addUser({ blacklisted: 1 })]
    const running = await run(first.client, scene.scriptId, { key })
    const socket = await running.connect(first.url)
    const { sid } = await socket.frame('ready')
    const beating = await run(second.client, scene.scriptId, { key: await scene.addUser() })
    const writers = await Promise.all([first, second, first, second].map(startWriter))
    await until(() => writers.every(({ written }) => written.acknowledged > 5))

    const hello = helloFor(scene.scriptId, { key })
    const request = async ({ client }: Process) => client.request(await client.boot(scene.scriptId), hello)
    const requests = [await request(first), await request(second)]
    await databases.kill()
    for (const [i, { client }] of [first, second].entries())
      expect((await client.post('/exec', requests[i]?.body ?? '')).status).toBe(503)
    const lost = beating.beatBody()
    expect((await beating.send(lost)).status).toBe(503)

    databases.leadToStandby()
    await until(async () => (await edit(first, key, 'read only')) === 503)
    await databases.promote()
    for (const one of [first, second]) await until(async () => (await edit(one, key, 'again')) === 200)
    await until(() => writers.every(({ written }) => written.tried - written.acknowledged <= 1))
    for (const { stop } of writers) await stop()
    for (const { written } of writers)
      for (const one of [first, second]) {
        const note = await noteAt(one, written.key)
        expect(note).toBeGreaterThanOrEqual(written.acknowledged)
        expect(note).toBeLessThanOrEqual(written.tried)
      }
    const refusals = new Set(writers.flatMap(({ written }) => [...written.refusals]))
    expect([...refusals]).toEqual([503])

    expect(beating.accept((await beating.send(lost)).text)).toMatchObject({ ok: true })
    expect(await first.client.verdict(scene.scriptId, { key })).toBe('granted')
    expect(await second.client.verdict(scene.scriptId, { key: banned })).toBe('blacklisted')
    const message = { key: 'greet', data: null }
    const asked = scene.owner.post(`/v1/sessions/${sid}/message`, message)
    socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ok: true })
    expect((await asked).body).toMatchObject({ processed: true })
    expect(await running.verdict()).toBe('ok')
  })
})

function locationOf({ url }: Replicated): Location {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  const remove = async () => rmSync(dataDir, { recursive: true, force: true })
  return { dataDir, databaseUrl: url, isRefusal, remove }
}
