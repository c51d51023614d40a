/** Who moves the log of SQLite's changes into the file, and when. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openSqliteFile, type SqliteFile, sqliteDatabase } from '../../src/store/sqlite.ts'
import { SqliteLog } from '../../src/store/sqlite-log.ts'

/** Pages that are in the log alone. */
const unmoved = ({ writer }: SqliteFile) => {
  const { log, checkpointed } = writer.database.prepare('pragma wal_checkpoint(noop)').get() ?? {}
  return Number(log) - Number(checkpointed)
}

test('what was committed is moved into the file by another thread, long before the writer would', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  const file = openSqliteFile(folder)
  file.writer.run('create table notes (text text) strict')
  const database = sqliteDatabase(file, () => false)
  const add = sql`insert into notes values ('a')`
  for (let i = 0; i < 200; i += 1) await database.transaction((tx) => add.execute(tx))
  await expect.poll(() => unmoved(file)).toBeLessThan(150)
  await database.close()
  rmSync(folder, { recursive: true })
})

test('one move is asked for at a time, and another one after it has failed', async () => {
  const asked: ((error?: Error) => void)[] = []
  const move = () =>
    new Promise<void>((resolve, reject) => asked.push((error) => (error ? reject(error) : resolve())))
  const log = new SqliteLog(move)
  const commit = (times: number) => {
    for (let i = 0; i < times; i += 1) log.committed()
  }
  commit(500)
  expect(asked).toHaveLength(1)
  asked[0]?.(new Error('the disk is full'))
  await setImmediate()
  commit(500)
  expect(asked).toHaveLength(2)
})
