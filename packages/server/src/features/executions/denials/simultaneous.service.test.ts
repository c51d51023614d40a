/** Keys that run on two networks at the same time are detected, even if both runs present the same device. */
import type { Hello } from '@scriptward/client/messages'
import { beforeEach, describe, expect, it } from 'vitest'
import { engines } from '../../../../test/databases.ts'
import { START, serverOn } from '../../../../test/harness.ts'
import { readUser } from '../../../../test/nouns.ts'
import { component, STRONG } from '../../../../test/protocol/client.ts'
import { type Running, run } from '../../../../test/protocol/running.ts'
import { makeScene, type Scene } from '../../../../test/protocol/scene.ts'
import { rowsOf } from '../../../../test/stored.ts'
import { openEvent } from '../../webhooks/events/events.ts'
import { reportSimultaneousRuns, writeKeyUses } from './sharing.ts'

const DAY_MS = 86_400_000
const HOME = '198.51.1.7'
const AWAY = '198.51.2.7'
const deviceNumber = (n: number): Partial<Hello> => ({ fp: { [STRONG]: component(`machine ${n}`) } })

describe.each(engines)('runs at the same time on $name', (engine) => {
  const { at } = serverOn(engine, { config: { trustProxy: ['127.0.0.1'] } })
  let scene: Scene
  beforeEach(async () => {
    at().clock.now = START
    scene = await makeScene(at())
    const blacklist_webhook = 'https://hooks.example.com/shared'
    await scene.owner.post(`/v1/projects/${scene.projectId}/edit`, { blacklist_webhook })
  })

  const start = async (key: string, address: string, changes: Partial<Hello> = {}) => {
    at().clock.now += 1000
    return run(scene.client, scene.scriptId, { key, ...changes }, { 'x-forwarded-for': address })
  }
  /** Advances the clock by a minute during which these runs send heartbeats. */
  const pass = async (...runs: readonly Running[]) => {
    await writeKeyUses(at().deps)
    for (let i = 0; i < 2; i++) {
      at().clock.now += 30_000
      for (const one of runs) await one.beat()
    }
    await reportSimultaneousRuns(at().deps)
  }
  /**
   * The server's own worker may be reporting at the same time, so tests wait for the events that they expect.
   */
  const events = async () => {
    const rows = await rowsOf(at(), 'outbox', { project_id: scene.projectId, type: 'user.shared' }, 'seq')
    return rows.map((row) => JSON.parse(openEvent(at().deps, row).data))
  }

  it('of one device in two networks are reported', async () => {
    const key = await scene.addUser({ note: 'mine' })
    await pass(await start(key, HOME), await start(key, AWAY))
    await expect
      .poll(events)
      .toMatchObject([
        { user: { key, note: 'mine' }, networks: 2, refused_devices: 0, threshold: 6, simultaneous: true },
      ])
    expect(await readUser(scene.owner, key)).toMatchObject({ shared: false, networks: 2 })
  })

  it('are reported once a day', async () => {
    const key = await scene.addUser()
    for (const count of [1, 1]) {
      await pass(await start(key, HOME), await start(key, AWAY))
      await expect.poll(events).toHaveLength(count)
    }
    at().clock.now += DAY_MS
    await pass(await start(key, HOME), await start(key, AWAY))
    await expect.poll(events).toHaveLength(2)
  })

  it('are compared after both have had time for a heartbeat, and found by the next comparison', async () => {
    const key = await scene.addUser()
    const first = await start(key, HOME)
    at().clock.now += 40_000
    const second = await start(key, AWAY)
    await pass(first, second)
    await expect.poll(events).toHaveLength(1)
  })

  it.each<[string, (key: string) => Promise<readonly Running[]>]>([
    ['are in one network', async (key) => [await start(key, HOME), await start(key, '198.51.1.99')]],
    ['use IPv4 and IPv6', async (key) => [await start(key, HOME), await start(key, '2001:db8::7')]],
    [
      'are on two devices of the key',
      async (key) => [await start(key, HOME, deviceNumber(1)), await start(key, AWAY, deviceNumber(2))],
    ],
    [
      'follow each other, because the device moved',
      async (key) => {
        const before = await start(key, HOME)
        at().clock.now += 10_000
        await before.beat()
        return [await start(key, AWAY)]
      },
    ],
  ])('are not reported if they %s', async (_, begin) => {
    const key = await scene.addUser({ max_devices: 2 })
    await pass(...(await begin(key)))
    expect(await events()).toEqual([])
  })

  it('are not reported in a project that turned it off', async () => {
    await scene.owner.post(`/v1/projects/${scene.projectId}/edit`, { share_threshold: 0 })
    const key = await scene.addUser()
    await pass(await start(key, HOME), await start(key, AWAY))
    expect(await events()).toEqual([])
  })
})
