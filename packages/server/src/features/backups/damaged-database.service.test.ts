/**
 * A damaged page in the database is detected, and a backup of a damaged database never replaces a good
 * backup.
 */
import { closeSync, createWriteStream, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { command } from '../../../test/backup-commands.ts'
import { type Location, sqlite } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createOwner, createScript } from '../../../test/nouns.ts'
import { examine } from '../../cli/doctor.ts'
import { readContents } from '../../database/engine/contents.ts'
import { askSqlite, sqliteTables } from '../../database/engine/sqlite/copy.ts'
import { markOf, markOfFile, writeArchive } from './archive/archive.ts'
import { makeBackups } from './make-backups.ts'

const HOUR_MS = 3_600_000

describe('a database with a damaged page', () => {
  let location: Location
  let server: TestServer
  let folder: string
  let good: string[]
  const database = () => path.join(location.dataDir, 'scriptward.db')
  const start = () => {
    const backup = { everyMs: HOUR_MS, keep: 1, seal: undefined, dir: folder }
    return startServer(sqlite, { location, config: { backup } })
  }
  const runJob = () => makeBackups(server.deps, HOUR_MS).run(new AbortController().signal)
  beforeAll(async () => {
    location = await sqlite.locate()
    folder = path.join(location.dataDir, 'backups')
    server = await start()
    const { owner, project } = await createOwner(server)
    const noise = Array.from({ length: 5000 }, () => Math.random().toString(36)).join('')
    await createScript(owner, project, { script: 'return "the oldest"' })
    await createScript(owner, project, { script: `return "${noise}"` })
    await createScript(owner, project, { script: 'return "the newest"' })
    await runJob()
    good = readdirSync(folder)
    await server.stop()
    damage(database())
    server = await start()
  })
  afterAll(() => server?.close())

  it('is rejected by the backup command, which keeps every backup in the folder', async () => {
    expect(good).toHaveLength(1)
    await expect(command(location, ['backup', folder, '--keep', '1'])).rejects.toThrow(
      /scriptward\.db is damaged \(.*\)\. No new backup was made, and existing backups were kept/,
    )
    expect(readdirSync(folder)).toEqual(good)
  })

  it('is rejected by the backup job, which keeps every backup in the folder and warns operators', async () => {
    server.clock.now += HOUR_MS
    await expect(runJob()).rejects.toThrow('is damaged')
    expect(readdirSync(folder)).toEqual(good)
    expect((await server.admin.get('/v1/admin/backups')).body).toMatchObject({
      last_error: expect.stringContaining('restore the latest backup into an empty folder'),
    })
    expect((await server.deps.examine()).find(({ name }) => name === 'backup')).toMatchObject({
      state: 'warning',
      text: expect.stringMatching(/^the last attempt failed: .*is damaged/),
    })
  })

  it('is reported by the doctor', async () => {
    const found = await examine({ SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: location.dataDir })
    expect(found.find(({ name }) => name === 'database')).toMatchObject({
      state: 'wrong',
      text: expect.stringMatching(/scriptward\.db: .*: restore the latest backup into an empty directory/),
    })
  })

  it('is not restored from a backup with that page, while an intact backup is restored', async () => {
    const bad = path.join(location.dataDir, 'bad')
    await archive(location, bad)
    const target = await sqlite.locate()
    await expect(command(target, ['restore', bad])).rejects.toThrow(
      /^the database in this backup is damaged \(.*\): restore an older backup$/,
    )
    expect(readdirSync(target.dataDir).filter((name) => name !== 'service.lock')).toEqual([])
    const restored = await command(target, ['restore', path.join(folder, good[0] ?? '')])
    expect(restored.printed).toContain('All rows were restored')
    await target.remove()
  })
})

/**
 * Damages the last page of the longest value. Counting rows or looking up other values does not read this
 * page.
 */
function damage(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('pragma wal_checkpoint(truncate)')
  const page = database
    .prepare(
      `select pageno from dbstat where pagetype = 'overflow' and name = 'script_versions'
       order by substr(path, instr(path, '+')) desc limit 1`,
    )
    .get()
  database.close()
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, Buffer.alloc(4096, 0xff), 0, 4096, (Number(page?.pageno) - 1) * 4096)
  closeSync(descriptor)
}

/** Creates the archive that a backup without verification would produce. */
async function archive({ dataDir }: Location, file: string): Promise<void> {
  const database = path.join(dataDir, 'scriptward.db')
  const keyring = readFileSync(path.join(dataDir, 'keyring.json'), 'utf8')
  const contents = await askSqlite(database, (ask) => readContents(ask, sqliteTables))
  const marks = { keyring: markOf(keyring), database: await markOfFile(database) }
  const manifest = {
    format: 1,
    engine: 'SQLite' as const,
    service: '0.1.0',
    made_at: 0,
    ...contents,
    ...marks,
  }
  const options = { seal: undefined, signal: new AbortController().signal }
  await writeArchive({ manifest, keyring, database }, createWriteStream(file), options)
}
