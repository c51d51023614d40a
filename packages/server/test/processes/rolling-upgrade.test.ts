/**
 * Tests that processes of this version keep running while a later version migrates the database, and that
 * they can be restarted for as long as the later version allows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../protocol/running.ts'
import type { Scene } from '../protocol/scene.ts'
import { openService, type Process, type Service } from './serving.ts'

describe('a rolling upgrade', () => {
  let service: Service
  let scene: Scene
  let old: Process
  let later: Process
  beforeAll(async () => {
    service = await openService()
    old = await service.start()
    scene = await service.scene(old)
  })
  afterAll(() => service?.remove())

  const ask = async (one: Process, path: string, body?: unknown) => {
    const headers = { token: scene.owner.apiKey, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(one.url + path, { headers, ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${path} ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  /** Reads and writes the migrated data on each kind of connection. */
  async function work(one: Process): Promise<void> {
    const users = `/v1/projects/${scene.projectId}/users`
    const { user_key } = await ask(one, `${users}/new`, { note: 'made' })
    await ask(one, `/v1/users/${user_key}/edit`, { note: 'changed' })
    await ask(one, `/v1/users/${user_key}/blacklist`, { expires: null, reason: 'tried' })
    await ask(one, `/v1/users/${user_key}`)
    await ask(one, `${users}?limit=5`)
    await ask(one, `${users}/generate`, { amount: 50 })
    await ask(one, `/v1/scripts/${scene.scriptId}/edit`, { name: 'renamed' })
    await ask(one, `/v1/projects/${scene.projectId}/edit`, { name: 'Garden' })
    const running = await run(one.client, scene.scriptId, { key: await scene.addUser() })
    expect(await running.beat()).toMatchObject({ ok: true })
    await ask(one, `/users/${user_key}/remove`, {})
  }

  it('fails no request of a running process, and ends none of its sessions', async () => {
    const running = await run(old.client, scene.scriptId, { key: await scene.addUser() })
    const socket = await running.connect(old.url)
    const { sid } = await socket.frame('ready')
    // Repeats the calls until each connection has prepared its statements.
    for (let time = 0; time < 5; time += 1) await Promise.all([work(old), work(old), work(old)])
    const starting = service.start('wide')
    let isStarted = false
    void starting.finally(() => {
      isStarted = true
    })
    while (!isStarted) await work(old)
    later = await starting
    for (let time = 0; time < 5; time += 1) await Promise.all([work(old), work(old), work(later)])
    expect(await running.beat()).toMatchObject({ ok: true })
    const asked = ask(later, `/v1/sessions/${sid}/message`, { key: 'greet' })
    socket.send({ t: 'res', id: (await socket.frame('cmd')).id, ok: true })
    expect(await asked).toMatchObject({ processed: true })
  })

  it('can be rolled back by starting the previous version, which works with the newer schema', async () => {
    const running = await run(later.client, scene.scriptId, { key: await scene.addUser() })
    await (await running.connect(later.url)).frame('ready')
    await old.stop()
    old = await service.start()
    await work(old)
    await later.stop()
    const back = await running.connect(old.url)
    const { sid } = await back.frame('ready')
    const asked = ask(old, `/v1/sessions/${sid}/message`, { key: 'greet' })
    back.send({ t: 'res', id: (await back.frame('cmd')).id, ok: true })
    expect(await asked).toMatchObject({ processed: true })
  })

  it('stops versions that use what a migration removed, with a hint about the version to start', async () => {
    later = await service.start('narrow')
    await work(later)
    await old.stop()
    await expect(service.start()).rejects.toThrow(
      /newer version of Scriptward \(9998-wide, 9999-narrow\).*start version 77\.0\.0 or later/,
    )
  })
})
