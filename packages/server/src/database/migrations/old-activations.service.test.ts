/** What is known of the time before there was a history of active versions, after the migration. */
import { describe, expect, test } from 'vitest'
import { engines, type Location, reopen } from '../../../test/databases.ts'
import { migrateBefore } from '../../../test/store/migrate-before.ts'
import { runRaw } from '../../../test/store/raw.ts'
import { customer, project, script, tier } from '../../../test/store/rows.ts'
import { findVersionAt } from '../../features/scripts/store/script-activations.ts'

const WAITING = '0020-retained-versions'

async function insert(location: Location, table: string, row: object): Promise<void> {
  const values = Object.values(row).map((value) => `'${value}'`)
  await runRaw(location, `insert into ${table} (${Object.keys(row)}) values (${values})`)
}

async function insertVersion(location: Location, id: string, version: number): Promise<void> {
  const empty = `cast('' as ${location.databaseUrl === undefined ? 'blob' : 'bytea'})`
  await runRaw(
    location,
    `insert into script_versions (script_id, version, preset, created_at, source, source_bytes, payload, payload_size,
      report, duration_ms) values ('${id}', ${version}, 'light', ${version * 100}, ${empty}, 0, ${empty}, 0, '{}', 1)`,
  )
}

describe.each(engines)('old versions on $name', (engine) => {
  test('were active from their upload on, and one that was chosen again after the newest', async () => {
    const location = await engine.locate()
    await migrateBefore(location, WAITING)
    await insert(location, 'tiers', tier)
    await insert(location, 'customers', customer)
    await insert(location, 'projects', project)
    await insert(location, 'scripts', { ...script, version: 2 })
    await insert(location, 'scripts', { ...script, id: 'scr_2', version: 2 })
    for (const [id, last] of [
      ['scr_1', 3],
      ['scr_2', 2],
    ] as const)
      for (let n = 1; n <= last; n += 1) await insertVersion(location, id, n)
    const db = await reopen(location)
    const at = (id: string, times: number[]) =>
      Promise.all(times.map((time) => findVersionAt(db.read, id, time)))
    expect(await at('scr_1', [99, 100, 250, 300, 301])).toEqual([null, 1, 2, 3, 2])
    expect(await at('scr_2', [99, 100, 200, 900])).toEqual([null, 1, 2, 2])
    await db.remove()
  })
})
