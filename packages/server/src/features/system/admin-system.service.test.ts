/** Server health for operators: queues, jobs and findings are accurate, and only operators can read them. */
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { anyEngine } from '../../../test/databases.ts'
import { START, serverOn } from '../../../test/harness.ts'
import { startMailServer } from '../../../test/mail-server.ts'
import { createOwner } from '../../../test/nouns.ts'
import { accessRows } from '../../../test/store/access-rows.ts'
import { mailCheck } from '../../runtime-checks.ts'

type System = {
  readonly figures: {
    readonly disk: { free: number; total: number }
    readonly memory: { process: number; free: number; total: number }
    readonly database_bytes: number
    readonly requests: Record<'last_5_minutes' | 'last_hour', { per_minute: number; p95_ms: number }>
  }
  readonly queues: Readonly<Record<string, number>>
  readonly jobs: readonly { name: string; last_run_at: number | null; last_error: string | null }[]
  readonly findings: readonly { name: string; state: string; text?: string }[]
}

describe.each(anyEngine)('GET /v1/admin/system on $name', (engine) => {
  const { at } = serverOn(engine, { config: { mail: undefined } })
  const read = async () => (await at().admin.get('/v1/admin/system')).body as System & Record<string, unknown>

  it('returns version, engine and processes to operators only', async () => {
    expect(await read()).toMatchObject({ version: manifest.version, engine: engine.name, processes: 1 })
    const { owner } = await createOwner(at())
    expect((await owner.get('/v1/admin/system')).error.type).toBe('forbidden')
  })

  it('returns disk, memory, database size and the requests of this process', async () => {
    const { figures } = await read()
    const { disk, memory, requests } = figures
    expect(disk.free).toBeGreaterThan(0)
    expect(disk.total).toBeGreaterThan(disk.free)
    expect(memory.total).toBeGreaterThan(memory.free)
    expect(memory.process).toBe(Math.min(memory.process, memory.total))
    expect(figures.database_bytes).toBeGreaterThan(100_000)
    const before = requests.last_hour.per_minute
    for (let sent = 0; sent < 5; sent += 1) await at().client().get('/healthz')
    await expect
      .poll(async () => (await read()).figures.requests.last_hour.per_minute)
      .toBeGreaterThanOrEqual(before + 5)
    const { last_5_minutes, last_hour } = (await read()).figures.requests
    expect(last_5_minutes.p95_ms).toBeGreaterThan(0)
    expect(last_5_minutes.per_minute).toBeGreaterThanOrEqual(last_hour.per_minute)
  })

  it('counts the queues', async () => {
    const before = (await read()).queues
    await at().deps.db.transaction(async (tx) => {
      await tx
        .insertInto('waiting_mails')
        .values({ ...accessRows.waiting_mails, id: 'mai_system' })
        .execute()
    })
    at().clock.now = START
    const { owner, project } = await createOwner(at())
    await owner.post(`/v1/projects/${project}/edit`, { information_webhook: 'https://hooks.example.com/' })
    await owner.post(`/v1/projects/${project}/users/new`, {})
    at().clock.now = START + 5000
    const { queues } = await read()
    expect(queues).toMatchObject({ mails: (before.mails ?? 0) + 1, webhooks: (before.webhooks ?? 0) + 1 })
    expect(queues.audit_entries).toBeGreaterThan(before.audit_entries ?? 0)
    expect(queues.audit_lag).toBe(5000)
  })

  it('reports when jobs ran and why they failed', async () => {
    const { jobs } = at().deps
    jobs.noteRun('water-plants')
    jobs.noteFailure('water-plants', new Error('no water'))
    jobs.notePause('water-plants', 1000)
    const now = at().clock.now
    const told = await read()
    expect(told.jobs).toContainEqual({
      name: 'water-plants',
      last_run_at: now,
      last_error_at: now,
      last_error: 'no water',
      next_run_at: now + 1000,
    })
    await expect
      .poll(async () => (await read()).jobs.find(({ name }) => name === 'announce-process')?.last_run_at)
      .toEqual(expect.any(Number))
  })

  it('does not report unconfigured features as healthy', async () => {
    const { findings } = await read()
    for (const name of ['valkey', 'mail'])
      expect(findings.find((one) => one.name === name)).toMatchObject({
        state: 'off',
        text: expect.stringMatching(/^not configured: /),
      })
  })

  it('checks the mail server at most once per minute, and reports since when it is down', async () => {
    const server = await startMailServer()
    const clock = { now: START }
    const check = mailCheck({ mail: { url: server.url, from: 'ward@example.com' } }, () => clock.now)
    expect(await check()).toEqual({ state: 'ok' })
    await server.close()
    clock.now += 59_999
    expect(await check()).toEqual({ state: 'ok' })
    clock.now += 1
    expect(await check()).toMatchObject({ state: 'warning', text: expect.stringContaining('ESOCKET') })
  })

  it("reports the doctor's findings on a running server", async () => {
    const found = async (name: string) => (await read()).findings.find((one) => one.name === name)
    expect(await found('database')).toEqual({ name: 'database', state: 'ok' })
    chmodSync(at().location.dataDir, 0o755)
    expect(await found('data folder')).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('chmod 700'),
      since: at().clock.now,
    })
    chmodSync(at().location.dataDir, 0o700)
    expect(await found('data folder')).toEqual({ name: 'data folder', state: 'ok' })
  })
})
