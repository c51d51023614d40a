/**
 * The trash lists contain exactly the tables whose rows the schema deletes with a user, a script or a
 * project.
 */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sqlite, type TestDatabase } from '../../../../test/databases.ts'
import { NOT_RESTORED, OF_PROJECT, OF_SCRIPT, OF_USER } from './trash-tree.ts'

/** Tables without a foreign key, whose rows a worker deletes. */
const BY_WORKER = ['version_health', 'version_customers']

type Cascade = { readonly table: string; readonly of: string; readonly by: string }

describe('when a removal is undone,', () => {
  let db: TestDatabase
  let cascades: readonly Cascade[]

  beforeAll(async () => {
    db = await sqlite.open()
    const { rows } = await sql<Cascade>`select m.name as "table", f."table" as "of", f."from" as "by"
      from sqlite_master as m cross join pragma_foreign_key_list(m.name) as f
      where m.type = 'table' and f.on_delete = 'CASCADE'`.execute(db.read)
    cascades = rows
  })
  afterAll(() => db.remove())

  const deletedWith = (root: string): string[] => {
    const deleted = new Set([root])
    for (let before = 0; before < deleted.size; ) {
      before = deleted.size
      for (const { table, of } of cascades) if (deleted.has(of)) deleted.add(table)
    }
    return [...deleted].filter((table) => table !== root)
  }

  test('every table that is deleted with a user is restored with them', () => {
    const ofUsers = cascades.filter(({ of, by }) => of === 'users' && by === 'user_key')
    expect(ofUsers.map(({ table }) => table).sort()).toEqual([...OF_USER].sort())
  })

  test('every table that is deleted with a script is restored with it', () => {
    const deleted = deletedWith('scripts')
    const unlinked = ['outcomes', ...BY_WORKER]
    const listed = OF_SCRIPT.map(({ table }) => table).filter((table) => !unlinked.includes(table))
    const lost = NOT_RESTORED.filter((table) => deleted.includes(table))
    expect(deleted.sort()).toEqual([...listed, ...lost].sort())
  })

  test('every table that is deleted with a project is restored with it, parents before children', () => {
    const deleted = ['projects', ...deletedWith('projects')]
    const withUsers: string[] = ['projects', 'users', ...OF_USER, ...NOT_RESTORED]
    const listed = OF_PROJECT.map(({ table }) => table).filter((table) => !BY_WORKER.includes(table))
    expect([...deleted].sort()).toEqual([...new Set([...withUsers, ...listed])].sort())
    const there = new Set<string>(['projects'])
    for (const { table, of } of OF_PROJECT) {
      expect([...there]).toContain(of)
      there.add(table)
    }
  })
})
