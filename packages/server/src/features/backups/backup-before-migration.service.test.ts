/**
 * On SQLite, the server backs up the database before it migrates it on startup. If the backup fails, nothing
 * is changed.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { command, configOf } from '../../../test/backup-commands.ts'
import { type Engine, type Location, postgres, reopen, sqlite } from '../../../test/databases.ts'
import { startServer } from '../../../test/harness.ts'
import { runRaw } from '../../../test/store/raw.ts'
import { tier } from '../../../test/store/rows.ts'
import { addWaiting, removeWaiting, WAITING } from '../../../test/store/waiting-migration.ts'
import { examine } from '../../cli/doctor.ts'
import { NEWEST_SCHEMA } from '../../database/engine/contents.ts'
import { openKeyring } from '../../platform/secrets/keyring.ts'

afterEach(removeWaiting)

/** A database from an earlier version, with a row that a user created. */
async function earlierStore(engine: Engine): Promise<Location> {
  const location = await engine.locate()
  await openKeyring(location, randomBytes, true)
  await (await reopen(location)).close()
  await runRaw(
    location,
    `insert into tiers (${Object.keys(tier)}) values (${Object.values(tier).map((value) => `'${value}'`)})`,
  )
  addWaiting()
  return location
}

const schemaOf = async (location: Location) =>
  ((await runRaw(location, 'select max(name) as name from kysely_migration')) as { name: string }[])[0]?.name
const settingsOf = ({ dataDir }: Location) => ({ SCRIPTWARD_PORT: '0', SCRIPTWARD_DATA_DIR: dataDir })

it('a migration on SQLite first makes a backup, named after the migration, which the earlier version can use', async () => {
  const location = await earlierStore(sqlite)
  const server = await startServer(sqlite, { location })
  const folder = path.join(location.dataDir, 'backups')
  const [name = '', ...others] = readdirSync(folder)
  expect(others).toEqual([])
  expect(name).toMatch(/^scriptward-2026-06-15T12-00-00-000Z-before-0002-waiting\.tar\.zst$/)
  expect(server.log.join('\n')).toContain(path.join(folder, name))
  const { backups } = (await server.admin.get('/v1/admin/backups')).body
  expect(backups).toMatchObject([{ name, before_migration: WAITING }])
  await server.stop()
  const target = await sqlite.locate()
  await command(target, ['restore', path.join(folder, name)])
  expect(await schemaOf(target)).toBe(NEWEST_SCHEMA)
  expect(await runRaw(target, 'select * from tiers')).toEqual([tier])
  const again = await startServer(sqlite, { location })
  expect(readdirSync(folder)).toEqual([name])
  await again.close()
  await target.remove()
})

it('a migration on SQLite changes nothing when the backup fails, and explains what to do', async () => {
  const location = await earlierStore(sqlite)
  const file = path.join(location.dataDir, 'a-file')
  writeFileSync(file, 'mine')
  const settings = { SCRIPTWARD_BACKUP_DIR: path.join(file, 'backups') }
  const config = { backup: configOf(location, settings).backup }
  await expect(startServer(sqlite, { location, config })).rejects.toThrow(
    /^SCRIPTWARD_BACKUP_DIR: this version migrates the database schema \(0002-waiting\), but the backup before the migration failed: .*a-file\/backups is not writable \(ENOTDIR\)/,
  )
  expect(await schemaOf(location)).toBe(NEWEST_SCHEMA)
  rmSync(file)
  const server = await startServer(sqlite, { location, config })
  expect(readdirSync(settings.SCRIPTWARD_BACKUP_DIR)).toHaveLength(1)
  await server.close()
})

it('a migration on PostgreSQL recommends a backup and makes none', async () => {
  const location = await earlierStore(postgres)
  const server = await startServer(postgres, { location })
  const warned = server.log.find((line) => line.includes(WAITING)) ?? ''
  expect(JSON.parse(warned)).toMatchObject({
    level: 'warn',
    msg: expect.stringContaining('before each upgrade'),
  })
  expect(existsSync(path.join(location.dataDir, 'backups'))).toBe(false)
  expect(await schemaOf(location)).toBe(WAITING)
  await server.close()
})

it('a migration is announced by the doctor, which changes nothing', async () => {
  const location = await earlierStore(sqlite)
  const found = await examine(settingsOf(location))
  expect(found.find(({ name }) => name === 'database')).toEqual({
    ...{ name: 'database', state: 'warning' },
    text: 'not checked: the next start migrates the schema (0002-waiting)',
  })
  expect(found.filter(({ state }) => state === 'wrong')).toEqual([])
  expect(await schemaOf(location)).toBe(NEWEST_SCHEMA)
  await location.remove()
})
