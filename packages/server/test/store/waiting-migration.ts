/** Defines a migration that no database has yet, for tests of a startup that changes the schema. */
import { sql } from 'kysely'
import { type Migration, migrations } from '../../src/database/migrations/list.ts'

export const WAITING = '0002-waiting'

/**
 * Adds the migration to this version's migrations. The test file must remove it again, because other tests in
 * its worker must not see it.
 */
export function addWaiting(): void {
  list()[WAITING] = {
    up: async (db) => {
      await sql`create table waiting (id text primary key)`.execute(db)
    },
  }
}

export function removeWaiting(): void {
  delete list()[WAITING]
}

function list(): Record<string, Migration> {
  return migrations as Record<string, Migration>
}
