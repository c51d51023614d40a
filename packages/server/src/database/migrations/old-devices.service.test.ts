/** Devices that were bound before a key could have several are its first ones after the migration. */
import { describe, expect, test } from 'vitest'
import { engines, type Location, reopen } from '../../../test/databases.ts'
import { migrateBefore } from '../../../test/store/migrate-before.ts'
import { runRaw } from '../../../test/store/raw.ts'
import { customer, project, tier, user } from '../../../test/store/rows.ts'
import { listDevices } from '../../features/devices/bindings.ts'
import { recognise } from '../../features/devices/recognition.ts'

const WAITING = '0017-devices'
const DISPLAY = '{"ip":"203.0.*.*"}'
const components = [
  { component: 'machine_id', strength: 3, hash: 'aa' },
  { component: 'hostname', strength: 1, hash: 'bb' },
]

async function insert(location: Location, table: string, row: object): Promise<void> {
  const values = Object.values(row).map((value) => `'${value}'`)
  await runRaw(location, `insert into ${table} (${Object.keys(row)}) values (${values})`)
}

describe.each(engines)('old devices on $name', (engine) => {
  test('are the first of their keys, with their components, and users without one have none', async () => {
    const location = await engine.locate()
    await migrateBefore(location, WAITING)
    await insert(location, 'tiers', tier)
    await insert(location, 'customers', customer)
    await insert(location, 'projects', project)
    const bound = { ...user, fingerprint_assigned: 1, fingerprint_display: DISPLAY, last_used_at: 7 }
    await insert(location, 'users', bound)
    await insert(location, 'users', { ...user, key: 'unbound', chat_id: '4712' })
    for (const one of components)
      await insert(location, 'user_fingerprints', { user_key: user.key, project_id: project.id, ...one })
    const db = await reopen(location)
    const [first, ...others] = await listDevices(db.read, user)
    expect(others).toEqual([])
    expect(first).toEqual({
      ...{ id: 'dev_first', components, name: null, display: DISPLAY },
      ...{ bound_at: null, last_used_at: 7, learned_at: null },
    })
    expect(await listDevices(db.read, { ...user, key: 'unbound' })).toEqual([])
    const device = { components, isAmbiguous: false }
    expect(recognise([first as never], device, { most: 1, rule: 'strict' }).match).toBe('same')
    await db.remove()
  })
})
