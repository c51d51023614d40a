/** What the log of SQLite's changes is waited for with, and moved into the file by. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { queriesOf, sqliteDialect } from '../../src/store/queries.ts'
import { openSqliteFile, openWriter, type SqliteFile, sqliteDatabase } from '../../src/store/sqlite.ts'
import { SqliteLog } from '../../src/store/sqlite-log.ts'
import { SqliteWriter } from '../../src/store/sqlite-writer.ts'

let folder: string
let file: SqliteFile

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  file = openSqliteFile(folder)
  file.writer.run('create table notes (text text) strict')
})
afterEach(() => {
  for (const { database } of [file.reader, file.pointReader, file.writer]) database.close()
  rmSync(folder, { recursive: true })
})

const writerWith = (sync: () => Promise<void>) =>
  new SqliteWriter(file.writer, {
    queries: queriesOf(sqliteDialect),
    isRefusal: () => false,
    onBegin: () => {},
    onCommit: () => {},
    sync,
  })
const note = async () => file.writer.run("insert into notes values ('a')")

const never = () => Promise.reject(new Error('nothing was committed'))
/** Pages that are in the log alone. */
const unmoved = ({ writer }: SqliteFile) => {
  const { log, checkpointed } = writer.database.prepare('pragma wal_checkpoint(noop)').get() ?? {}
  return Number(log) - Number(checkpointed)
}

test('is there as soon as something was written', async () => {
  const log = new SqliteLog(file.path, never)
  await log.sync()
  await log.close()
})

test('is looked for again when it was not there', async () => {
  const other = path.join(folder, 'other.db')
  const log = new SqliteLog(other, never)
  await expect(log.sync()).rejects.toThrow('ENOENT')
  const writer = openWriter(other)
  writer.run('create table notes (text text) strict')
  await log.sync()
  await log.close()
  writer.database.close()
})

test('nobody hears of a leisurely change before the disk has it, and everybody whose disk does not take it', async () => {
  const heard: string[] = []
  let arrive = (_error?: Error): void => {}
  const sync = () =>
    new Promise<void>((resolve, reject) => {
      arrive = (error) => (error ? reject(error) : resolve())
    })
  const writer = writerWith(sync)
  const leisurely = () =>
    writer.run(note, 'leisurely').then(
      () => heard.push('leisurely'),
      (error: Error) => heard.push(error.message),
    )
  const first = leisurely()
  await expect.poll(() => file.reader.value('select count(*) from notes')).toBe(1)
  await writer.run(note)
  expect(heard).toEqual([])
  arrive()
  await first
  const second = leisurely()
  await expect.poll(() => file.reader.value('select count(*) from notes')).toBe(3)
  const closed = writer.close().then(() => heard.push('closed'))
  arrive(new Error('the disk is gone'))
  await Promise.all([second, closed])
  expect(heard).toEqual(['leisurely', 'the disk is gone', 'closed'])
})

test('what was committed is moved into the file by another thread, long before the writer would', async () => {
  const other = openSqliteFile(path.join(folder, 'other'))
  other.writer.run('create table notes (text text) strict')
  const database = sqliteDatabase(other, () => false)
  const add = sql`insert into notes values ('a')`
  for (let i = 0; i < 200; i += 1) await database.transaction((tx) => add.execute(tx))
  await expect.poll(() => unmoved(other)).toBeLessThan(150)
  await database.close()
})

test('one move is asked for at a time, and another one after it has failed', async () => {
  const asked: ((error?: Error) => void)[] = []
  const move = () =>
    new Promise<void>((resolve, reject) => asked.push((error) => (error ? reject(error) : resolve())))
  const log = new SqliteLog(file.path, move)
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
