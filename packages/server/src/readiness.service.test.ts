/**
 * The readiness reported to a load balancer while runs can't be granted: with a full disk, and without
 * Valkey.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyEngine, type Location, sqlite } from '../test/databases.ts'
import { outside, startServer, type TestServer } from '../test/harness.ts'
import { mayMount, UNSHARE } from '../test/mounts.ts'
import { until } from '../test/patience.ts'
import { listening, settingsFor } from '../test/processes/serving.ts'
import { startValkey, type ValkeyServer } from '../test/processes/valkey-server.ts'
import { programOf } from '../test/programs.ts'

const MOUNT = 'mount -t tmpfs -o size=8m,mode=0700 none "$SCRIPTWARD_DATA_DIR" && exec "$@"'

const statusOf = async (url: string, place: string) => (await fetch(url + place)).status

describe.runIf(mayMount())('a server whose disk is full', () => {
  let location: Location
  let child: ChildProcess
  let ended: Promise<unknown> | undefined
  let url: string
  beforeAll(async () => {
    location = await sqlite.locate()
    const env = { ...settingsFor(location), SCRIPTWARD_API_RATES: '0' }
    child = spawn(
      'unshare',
      [...UNSHARE, 'sh', '-c', MOUNT, 'sh', process.execPath, programOf('service'), 'serve'],
      { env },
    )
    ended = once(child, 'exit')
    url = await listening(child)
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    await ended
    await location?.remove()
  })

  it('is not ready, reports why to operators, keeps running, and is ready again when there is space', async () => {
    const { admin } = outside(url)
    const ballast = `/proc/${child.pid}/root${location.dataDir}/ballast`
    const project_id = (await admin.post('/v1/projects/new', { name: 'room' })).string('project_id')
    expect(await statusOf(url, '/readyz')).toBe(200)
    fill(ballast)
    // SQLite can keep writing to free space in its log until large changes use that up and small ones fill
    // the gaps.
    const more = () => admin.post(`/v1/projects/${project_id}/users/generate`, { amount: 1000 })
    await until(async () => (await more()).status !== 200)
    await until(async () => (await admin.post('/v1/projects/new', { name: 'no room' })).status !== 200)
    await until(async () => (await statusOf(url, '/readyz')) === 503)
    expect(await statusOf(url, '/healthz')).toBe(200)
    const { findings } = (await admin.get('/v1/admin/system')).body
    expect(findings).toContainEqual({
      ...{ name: 'database', state: 'wrong' },
      text: expect.stringContaining('free up space on this disk'),
      since: expect.any(Number),
    })
    expect(findings).toContainEqual({
      ...{ name: 'disk', state: 'wrong' },
      text: expect.stringMatching(/^only 0 MB \(0\.0%\) free on the disk of .+: when the disk is full/),
      since: expect.any(Number),
    })
    rmSync(ballast)
    await until(async () => (await statusOf(url, '/readyz')) === 200)
    expect((await admin.post('/v1/projects/new', { name: 'room' })).status).toBe(200)
  })
})

describe.each(anyEngine)('a server on $name with a Valkey', (engine) => {
  let valkey: ValkeyServer
  let server: TestServer
  beforeAll(async () => {
    valkey = await startValkey()
    server = await startServer(engine, { config: { valkeyUrl: valkey.url } })
  })
  afterAll(async () => {
    await server?.close()
    await valkey?.remove()
  })

  it('is not ready while Valkey is down or unresponsive, and keeps running', async () => {
    expect(await statusOf(server.url, '/readyz')).toBe(200)
    valkey.freeze()
    await until(async () => (await statusOf(server.url, '/readyz')) === 503)
    valkey.thaw()
    await until(async () => (await statusOf(server.url, '/readyz')) === 200)
    await valkey.kill()
    await until(async () => (await statusOf(server.url, '/readyz')) === 503)
    expect(await statusOf(server.url, '/healthz')).toBe(200)
    await valkey.start()
    await until(async () => (await statusOf(server.url, '/readyz')) === 200)
  })

  it('reports to operators since when Valkey is down, even if nobody looked at that time', async () => {
    const finding = async () =>
      (await server.deps.examine()).find((one) => one.name === 'valkey' && one.state !== 'off')
    await until(async () => (await finding())?.state === 'ok')
    expect(await finding()).toEqual({ name: 'valkey', state: 'ok' })
    const lostAt = server.clock.now
    const losses = () => server.log.filter((line) => line.includes('cannot reach Valkey')).length
    const before = losses()
    await valkey.kill()
    await until(async () => losses() > before)
    server.clock.now += 60_000
    expect(await finding()).toMatchObject({ state: 'wrong', since: lostAt })
    server.clock.now += 60_000
    expect(await finding()).toMatchObject({ state: 'wrong', since: lostAt })
    await valkey.start()
    await until(async () => (await finding())?.state === 'ok')
  })
})

/** Fills the disk completely. */
function fill(file: string): void {
  for (const bytes of [1 << 20, 1 << 12]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}
