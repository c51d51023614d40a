/**
 * Automatic and requested backups: only one of several processes makes each backup, and failures are reported
 * with their cause.
 */
import { on } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { command, hashesOf } from '../../../test/backup-commands.ts'
import {
  anyEngine,
  type Engine,
  isRefusal,
  type Location,
  postgres,
  sqlite,
} from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { until } from '../../../test/patience.ts'
import { startValkey } from '../../../test/processes/valkey-server.ts'
import { examine } from '../../cli/doctor.ts'
import type { Config } from '../../config/config.ts'
import { openDatabase } from '../../database/engine/open.ts'
import { makeAgeKeys } from '../../platform/secrets/age.ts'
import { makeBackups } from './make-backups.ts'
import { claimBackup } from './store.ts'

const HOUR_MS = 3_600_000
const EVERY_MS = 6 * HOUR_MS
const { publicKey, privateKey } = makeAgeKeys()
const DRAFT = '.scriptward-backup-'

type Shown = {
  readonly running: boolean
  readonly next_at: number | null
  readonly last: { readonly made_at: number; readonly place: string } | null
  readonly last_error: string | null
  readonly last_error_at: number | null
  readonly backups: readonly { readonly name: string; readonly made_at: number; readonly bytes: number }[]
}

const backupOf = ({ dataDir }: Location, changes: Partial<Config['backup']> = {}): Config['backup'] => ({
  ...{ everyMs: EVERY_MS, keep: 3, seal: { publicKey }, dir: path.join(dataDir, 'backups') },
  ...changes,
})
const shown = async ({ admin }: TestServer) => (await admin.get('/v1/admin/backups')).body as unknown as Shown
const now = () => new AbortController().signal
const runJob = ({ deps }: TestServer) => makeBackups(deps, EVERY_MS).run(now())
const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : [])

describe.each(anyEngine)('a server on $name', (engine: Engine) => {
  let server: TestServer
  let folder: string
  beforeAll(async () => {
    const location = await engine.locate()
    server = await startServer(engine, { location, config: { backup: backupOf(location) } })
    folder = server.deps.config.backup.dir
    const { owner, project } = await createOwner(server)
    await createScript(owner, project, { script: 'print("kept")' })
  })
  afterAll(() => server?.close())

  it('makes a backup when one is due, keeps the configured number, and shows when the next one is', async () => {
    const first = server.clock.now
    expect(await shown(server)).toMatchObject({ running: false, next_at: first, last: null, backups: [] })
    await runJob(server)
    await runJob(server)
    expect(filesIn(folder)).toHaveLength(1)
    server.clock.now += EVERY_MS - 1
    await runJob(server)
    expect(filesIn(folder)).toHaveLength(1)
    server.clock.now += 1
    await runJob(server)
    const { last, backups, ...rest } = await shown(server)
    expect(rest).toMatchObject({ every: EVERY_MS, next_at: first + 2 * EVERY_MS, sealed: true, folder })
    expect(backups.map(({ made_at }) => made_at)).toEqual([first + EVERY_MS, first])
    expect(last).toEqual({
      made_at: first + EVERY_MS,
      place: path.join(folder, backups[0]?.name ?? ''),
      machine: null,
    })
    for (let more = 0; more < 2; more += 1) {
      server.clock.now += EVERY_MS
      await runJob(server)
    }
    const newest = [0, 1, 2].map((ago) => server.clock.now - ago * EVERY_MS)
    expect((await shown(server)).backups.map(({ made_at }) => made_at)).toEqual(newest)
    expect(filesIn(folder)).toHaveLength(3)
  })

  it('makes a backup that restores every row elsewhere', async () => {
    server.clock.now += EVERY_MS
    await runJob(server)
    const [{ name } = { name: '' }] = (await shown(server)).backups
    const target = await engine.locate()
    const keys = path.join(target.dataDir, 'keys')
    writeFileSync(keys, `${privateKey}\n`)
    await command(target, ['restore', path.join(folder, name), '--private-key', keys])
    // A backup cannot contain the record of its own completion.
    const { backup_state: _, ...before } = await hashesOf(server.location)
    expect(await hashesOf(target)).toMatchObject(before)
    await target.remove()
  })

  it("makes a backup at an operator's request, with an audit entry, and at nobody else's", async () => {
    server.clock.now += 1000
    const made = await server.admin.post('/v1/admin/backups')
    const {
      name = '',
      place = '',
      bytes = 0,
    } = made.body.backup as { name?: string; place?: string; bytes?: number }
    expect(made.body.backup).toMatchObject({ made_at: server.clock.now, place: path.join(folder, name) })
    expect(statSync(place).size).toBe(bytes)
    expect(statSync(place).mode & 0o777).toBe(0o600)
    expect((await shown(server)).backups[0]).toMatchObject({
      name,
      bytes,
      sealed: true,
      before_migration: null,
    })
    const { entries } = (await server.admin.get('/v1/admin/audit?action=admin.backups.make')).body
    expect(entries).toMatchObject([{ nouns: { backup: name } }])
    const { owner } = await createOwner(server)
    expect((await owner.post('/v1/admin/backups')).error.type).toBe('forbidden')
    expect((await owner.get('/v1/admin/backups')).error.type).toBe('forbidden')
  })

  it('makes no backup while another process makes one, until that process has been gone for a minute', async () => {
    const { db } = server.deps
    server.clock.now += EVERY_MS
    const { now } = server.clock
    const claim = { holder: 'another', now, until: now + 60_000 }
    expect(await db.transaction((tx) => claimBackup(tx, claim))).toBe(true)
    const before = filesIn(folder)
    expect(await shown(server)).toMatchObject({ running: true })
    expect((await server.admin.post('/v1/admin/backups')).error).toMatchObject({
      type: 'backup_running',
      code: 0,
    })
    await runJob(server)
    expect(filesIn(folder)).toEqual(before)
    server.clock.now += 60_000
    await runJob(server)
    expect((await shown(server)).backups[0]).toMatchObject({ made_at: server.clock.now })
  })

  it('reports why a backup failed in the response, the list, the job and the log, and leaves nothing behind', async () => {
    const { config } = server.deps
    const file = path.join(server.location.dataDir, 'a-file')
    writeFileSync(file, 'mine')
    const dir = path.join(file, 'backups')
    const backup = backupOf(server.location, { dir })
    Object.assign(server.deps, { config: { ...config, backup } })
    const why = `${dir} is not writable (ENOTDIR): give the user of this process write access, or choose another folder`
    const { status, error } = await server.admin.post('/v1/admin/backups')
    expect([status, error]).toMatchObject([503, { type: 'backup_failed', code: 1, why }])
    server.clock.now += EVERY_MS
    await expect(runJob(server)).rejects.toThrow(why)
    expect(await shown(server)).toMatchObject({
      running: false,
      last_error: why,
      last_error_at: server.clock.now,
    })
    expect(server.log.filter((line) => line.includes('a backup failed') && line.includes(why))).toHaveLength(
      1,
    )
    Object.assign(server.deps, { config })
    await runJob(server)
    const { last, last_error_at } = await shown(server)
    expect(last?.made_at).toBe(last_error_at)
  })

  it('removes unfinished backups of killed processes, but none that is still being written', async () => {
    const left = path.join(folder, `${DRAFT}left`)
    const young = path.join(folder, `${DRAFT}young`)
    for (const draft of [left, young]) {
      mkdirSync(draft)
      writeFileSync(path.join(draft, 'database'), 'half')
    }
    const old = Date.now() / 1000 - 3700
    for (const place of [path.join(left, 'database'), left, young]) utimesSync(place, old, old)
    server.clock.now += 1000
    expect((await server.admin.post('/v1/admin/backups')).status).toBe(200)
    expect(filesIn(folder).filter((name) => name.startsWith(DRAFT))).toEqual([`${DRAFT}young`])
  })

  it('warns when the last backup is twice as old as configured', async () => {
    const found = async () => (await server.deps.examine()).find(({ name }) => name === 'backup')
    await runJob(server)
    const { last } = await shown(server)
    server.clock.now = (last?.made_at ?? 0) + 2 * EVERY_MS
    expect(await found()).toEqual({
      ...{ name: 'backup', state: 'ok' },
      text: `last backup 12 hours ago: ${last?.place}`,
    })
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const [, seconds] = /^scriptward_last_backup_timestamp_seconds (\S+)$/m.exec(metrics) ?? []
    expect(Number(seconds) * 1000).toBe(last?.made_at)
    server.clock.now += 1
    expect(await found()).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('SCRIPTWARD_BACKUP_EVERY is set to 6 hours'),
    })
  })
})

describe.each(anyEngine)('a starting server on $name', (engine: Engine) => {
  it('makes its first backup automatically, and stops within seconds while it makes one', async () => {
    const location = await engine.locate()
    const backup = backupOf(location)
    const server = await startServer(engine, { location, config: { jobs: true, backup } })
    expect((await server.deps.examine()).find(({ name }) => name === 'backup')).toMatchObject({
      state: 'warning',
      text: expect.stringContaining('no backup yet'),
    })
    await until(async () => (await shown(server)).last !== null && !(await shown(server)).running)
    expect(filesIn(backup.dir)).toHaveLength(1)
    server.clock.now += 1000
    const drafted = draftIn(backup.dir)
    const asked = server.admin.post('/v1/admin/backups')
    await drafted
    await server.stop()
    const { status } = await asked
    expect([200, 503]).toContain(status)
    expect(filesIn(backup.dir).filter((name) => name.startsWith(DRAFT))).toEqual([])
    expect(filesIn(backup.dir)).toHaveLength(status === 200 ? 2 : 1)
    await location.remove()
  })
})

describe('two processes on PostgreSQL', () => {
  it('make one backup between them, and both report it', async () => {
    const location = await postgres.locate()
    const valkey = await startValkey()
    const configOf = (at: Location) => ({ backup: backupOf(at), valkeyUrl: valkey.url })
    const first = await startServer(postgres, { location, config: configOf(location) })
    const other = { ...location, dataDir: `${location.dataDir}-second` }
    mkdirSync(other.dataDir, { mode: 0o700 })
    cpSync(path.join(location.dataDir, 'keyring.json'), path.join(other.dataDir, 'keyring.json'))
    const second = await startServer(postgres, { location: other, config: configOf(other) })
    const both = [first, second]
    const count = () => both.reduce((sum, { deps }) => sum + filesIn(deps.config.backup.dir).length, 0)
    for (let made = 1; made <= 3; made += 1) {
      await Promise.all([...both, ...both].map(runJob))
      expect(count()).toBe(made)
      for (const one of both) expect((await shown(one)).last?.made_at).toBe(first.clock.now)
      for (const { clock } of both) clock.now += EVERY_MS
    }
    await second.stop()
    rmSync(other.dataDir, { recursive: true })
    await first.close()
    await valkey.remove()
  })
})

test('the doctor warns about a server without a backup, and about unencrypted backups', async () => {
  const { dataDir, remove } = await sqlite.locate()
  const settings = { SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: dataDir }
  const found = async (more: Readonly<Record<string, string>> = {}) =>
    (await examine({ ...settings, ...more })).filter(({ name }) => ['backup', 'settings'].includes(name))
  const fine = { name: 'settings', state: 'ok' }
  expect(await found()).toEqual([fine, { name: 'backup', state: 'ok' }])
  await (await openDatabase({ dataDir, isRefusal })).close()
  const none = expect.stringMatching(/^no backup yet\. Set SCRIPTWARD_BACKUP_EVERY=1d/)
  expect(await found()).toEqual([fine, { name: 'backup', state: 'warning', text: none }])
  expect(await found({ SCRIPTWARD_BACKUP_EVERY: '1d' })).toEqual([
    { name: 'settings', state: 'warning', text: expect.stringContaining('SCRIPTWARD_BACKUP_PUBLIC_KEY') },
    { name: 'backup', state: 'warning', text: expect.stringContaining('although SCRIPTWARD_BACKUP_EVERY') },
  ])
  await remove()
})

/** Resolves when a backup starts in the folder, even if the backup ends immediately. */
async function draftIn(folder: string): Promise<void> {
  const watcher = watch(folder)
  for await (const [, name] of on(watcher, 'change')) if (String(name).startsWith(DRAFT)) break
  watcher.close()
}
