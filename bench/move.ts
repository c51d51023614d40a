/** Moving a service with a million users from SQLite to PostgreSQL, by the command as an operator calls it. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { startPostgres } from '../packages/server/test/postgres.ts'
import { plant, postgresBase, sqliteBase } from './management-base.ts'
import type { Row } from './row.ts'

const USERS = 1_000_000
const MAIN = path.join(import.meta.dirname, '../packages/server/src/main.ts')

export async function bench(): Promise<Row[]> {
  const from = sqliteBase()
  await plant(from, USERS)
  const postgres = await startPostgres()
  const to = await postgresBase(postgres.url)
  try {
    const env = { PATH: process.env.PATH, SCRIPTWARD_DATA_DIR: from.dataDir, ...to.settings }
    const start = performance.now()
    execFileSync(process.execPath, [MAIN, 'move-to'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    const seconds = (performance.now() - start) / 1000
    return [{ name: 'PostgreSQL: moving 1,000,000 users from SQLite', value: seconds, unit: 's' }]
  } finally {
    await to.remove()
    await postgres.stop()
    await from.remove()
  }
}
