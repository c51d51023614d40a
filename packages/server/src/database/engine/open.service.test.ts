/** Opening a database: creating, reopening, concurrent opening, and databases from newer versions. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { engines, isRefusal, type Location, sqlite } from '../../../test/databases.ts'
import { runRaw } from '../../../test/store/raw.ts'
import { tier } from '../../../test/store/rows.ts'
import { migrations, UNRELEASED } from '../migrations/list.ts'
import { isUnavailable } from './dialect.ts'
import { openDatabase } from './open.ts'

const LATER = `insert into kysely_migration (name, timestamp) values ('9999-later', '2030')`

describe.each(engines)('when a database is opened on $name', (engine) => {
  test('an empty location gets the schema, and data persists when it is reopened', async () => {
    const location = await engine.locate()
    const first = await openDatabase(location)
    await first.transaction((tx) => tx.insertInto('tiers').values(tier).execute())
    await first.close()
    const second = await openDatabase(location)
    await second.ping()
    expect(await second.read.selectFrom('tiers').selectAll().execute()).toEqual([tier])
    await second.close()
    await location.remove()
  })

  test('several processes that open an empty location concurrently all succeed', async () => {
    const location = await engine.locate()
    const all = await Promise.all([1, 2, 3].map(() => openDatabase(location)))
    for (const db of all) await db.ping()
    await Promise.all(all.map((db) => db.close()))
    await location.remove()
  })

  test('a compatible database of a newer version is used without migrating it', async () => {
    const location = await migrated(engine.locate())
    await runRaw(location, LATER)
    await (await openDatabase(location)).close()
    await runRaw(location, `update compatibility set oldest_version = '${manifest.version}'`)
    await (await openDatabase(location)).close()
    const names = await runRaw(location, 'select name from kysely_migration')
    expect(names).toHaveLength(Object.keys(migrations).length + 1)
    await location.remove()
  })

  test('an incompatible database of a newer version is rejected with the version to start', async () => {
    const location = await migrated(engine.locate())
    await runRaw(location, LATER)
    await runRaw(location, `update compatibility set oldest_version = '77.10.0'`)
    const refused = `newer version of Scriptward (9999-later), but this is ${manifest.version}: start version 77.10.0 or later`
    await expect(openDatabase(location)).rejects.toThrow(refused)
    await runRaw(location, `delete from kysely_migration where name = '9999-later'`)
    await (await openDatabase(location)).close()
    await location.remove()
  })

  test("a database of a newer version that lacks one of this version's migrations is rejected", async () => {
    const location = await migrated(engine.locate())
    await runRaw(location, LATER)
    await runRaw(location, `delete from kysely_migration where name = '${Object.keys(migrations).at(-1)}'`)
    await expect(openDatabase(location)).rejects.toThrow('start that version or later')
    await location.remove()
  })

  test('a database of an unreleased version is rejected with the missing parts and a fix', async () => {
    const location = await migrated(engine.locate())
    await runRaw(location, 'alter table projects drop column support_url')
    await expect(openDatabase(location)).rejects.toThrow(
      /it lacks projects\.support_url\): move it away \(\.\/data/,
    )
    await location.remove()
  })

  test('a database with migrations from before the first release is rejected with how to fix it', async () => {
    const location = await migrated(engine.locate())
    await runRaw(location, LATER.replace('9999-later', UNRELEASED))
    await expect(openDatabase(location)).rejects.toThrow(
      /unreleased version of Scriptward \(it has the migration 0002-access\): move it away \(\.\/data/,
    )
    await location.remove()
  })

  test('a failed migration leaves nothing behind', async () => {
    const location = await engine.locate()
    await runRaw(location, 'create table users (key text)')
    await expect(openDatabase(location)).rejects.toThrow(/users/)
    await runRaw(location, 'drop table users')
    await (await openDatabase(location)).close()
    await location.remove()
  })

  test('a closed database rejects every operation', async () => {
    const location = await engine.locate()
    const db = await openDatabase(location)
    await db.close()
    await expect(db.ping()).rejects.toThrow()
    await expect(db.transaction((tx) => tx.insertInto('tiers').values(tier).execute())).rejects.toThrow()
    await location.remove()
  })
})

test('SQLite files are readable only by their owner', async () => {
  const db = await sqlite.open()
  await db.transaction((tx) => tx.insertInto('tiers').values(tier).execute())
  for (const name of ['scriptward.db', 'scriptward.db-wal']) {
    expect(statSync(path.join(db.location.dataDir, name)).mode & 0o077).toBe(0)
  }
  await db.remove()
})

test('an unreachable or unresponsive PostgreSQL is reported as unavailable', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const open = (databaseUrl: string) =>
    openDatabase({ dataDir: '', databaseUrl, isRefusal }).catch((error) => error)
  const answers = await Promise.all([
    open(`postgres://a@127.0.0.1:${port}/a`),
    open('postgres://a@127.0.0.1:1/a'),
  ])
  expect(answers.map(isUnavailable)).toEqual([true, true])
  silent.close()
})

async function migrated(place: Promise<Location>): Promise<Location> {
  const location = await place
  await (await openDatabase(location)).close()
  return location
}
