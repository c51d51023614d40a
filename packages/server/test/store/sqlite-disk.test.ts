/** When a change of SQLite counts as made: who waits for the disk, and what is true after it has failed. */
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Hurry } from '../../src/store/db.ts'
import { queriesOf, sqliteDialect } from '../../src/store/queries.ts'
import { openSqliteFile, type SqliteFile, sqliteDatabase } from '../../src/store/sqlite.ts'
import { SqliteWriter } from '../../src/store/sqlite-writer.ts'
import type { Tables } from '../../src/store/tables.ts'

type Sync = { readonly succeed: () => void; readonly fail: (error: Error) => void }

let folder: string
let file: SqliteFile
let writer: SqliteWriter
/** Those that were begun, which last until the test ends them. */
let syncs: Sync[]
/** When nobody waits for an answer. */
let lull: Promise<void>

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  file = openSqliteFile(folder)
  file.writer.run('create table notes (id integer primary key) strict')
  file.writer.run('pragma wal_checkpoint(truncate)')
  syncs = []
  lull = Promise.resolve()
  const sync = () => new Promise<void>((succeed, fail) => syncs.push({ succeed, fail }))
  const queries = queriesOf<Tables>(sqliteDialect)
  const ignored = () => {}
  writer = new SqliteWriter(file.writer, {
    queries,
    isRefusal: () => false,
    onBegin: ignored,
    onCommit: ignored,
    lull: () => lull,
    sync,
  })
})
afterEach(() => rmSync(folder, { recursive: true }))

const add = (id: number, hurry?: Hurry) =>
  writer.run((tx) => sql`insert into notes values (${id})`.execute(tx), hurry)
const idsIn = (database: DatabaseSync) =>
  database
    .prepare('select id from notes')
    .all()
    .map(({ id }) => id)
const idsOutsideTheLog = () => {
  const copy = path.join(folder, 'copy.db')
  copyFileSync(file.path, copy)
  const database = new DatabaseSync(copy)
  const ids = idsIn(database)
  database.close()
  return ids
}
/** More turns of the event loop than any change needs that does not wait for the disk. */
const turns = async () => {
  for (let i = 0; i < 10; i += 1) await setImmediate()
}
const settledOf = (change: Promise<unknown>) => {
  const state = { settled: false }
  const settle = () => {
    state.settled = true
  }
  change.then(settle, settle)
  return state
}

test('a change is acknowledged when it is on the disk, and the next ones wait in the meantime', async () => {
  const first = settledOf(add(1))
  await turns()
  const second = settledOf(add(2))
  await turns()
  expect([first.settled, idsIn(file.writer.database), syncs.length]).toEqual([false, [1], 1])
  syncs[0]?.succeed()
  await turns()
  expect([first.settled, second.settled, syncs.length]).toEqual([true, false, 2])
  syncs[1]?.succeed()
  await turns()
  expect(second.settled).toBe(true)
})

test('leisurely changes, and those that change nothing, wait for no disk', async () => {
  await add(1, 'leisurely')
  await writer.run((tx) => sql`delete from notes where id = 7`.execute(tx))
  expect([idsIn(file.writer.database), syncs.length]).toEqual([[1], 0])
})

test('a disk that fails rejects who waits for it, and nothing is acknowledged that stands behind what it lost', async () => {
  const lost = add(1)
  await turns()
  syncs[0]?.fail(new Error('the disk failed'))
  await expect(lost).rejects.toThrow('the disk failed')
  expect(idsOutsideTheLog()).toEqual([])
  const next = add(2)
  await turns()
  expect(idsOutsideTheLog()).toEqual([1])
  syncs[1]?.succeed()
  await next
})

test('while the log cannot be emptied after that, changes are rejected and none begins', async () => {
  const lost = add(1)
  await turns()
  syncs[0]?.fail(new Error('the disk failed'))
  await expect(lost).rejects.toThrow()
  file.writer.database.exec('pragma busy_timeout = 0')
  const reader = new DatabaseSync(file.path)
  reader.exec('begin; select * from notes')
  await expect(add(2)).rejects.toThrow()
  await expect(writer.alone(async () => 'bulk')).rejects.toThrow()
  reader.close()
  expect(await writer.alone(async () => 'bulk')).toBe('bulk')
  expect(idsOutsideTheLog()).toEqual([1])
})

test('the log is moved into the file after some commits and begins anew, when nobody waits for an answer', async () => {
  const answered = Promise.withResolvers<void>()
  lull = answered.promise
  for (let id = 1; id <= 40; id += 1) {
    const added = add(id)
    await turns()
    syncs.at(-1)?.succeed()
    await added
  }
  expect(idsOutsideTheLog()).toEqual([])
  const before = saltOfTheLog()
  answered.resolve()
  await expect.poll(idsOutsideTheLog).toHaveLength(40)
  expect(saltOfTheLog()).not.toEqual(before)
})

test('the service waits for the very file that SQLite writes to', async () => {
  const database = sqliteDatabase(file, { isRefusal: () => false, lull: async () => {} })
  const insert = (id: number) =>
    database.transaction((tx) => sql`insert into notes values (${id})`.execute(tx))
  await insert(1)
  const log = `${file.path}-wal`
  const [descriptor = -1] = readdirSync('/proc/self/fd').map(Number).filter(isAppendedTo(log))
  expect(fstatSync(descriptor).ino).toBe(statSync(log).ino)
  closeSync(descriptor)
  await expect(insert(2)).rejects.toThrow('EBADF')
  expect(openSync(log, 'a')).toBe(descriptor)
  await insert(3)
  expect(idsIn(file.writer.database)).toEqual([1, 2, 3])
  await database.close()
})

/** Another one each time that the log begins anew. */
function saltOfTheLog(): Buffer {
  return readFileSync(`${file.path}-wal`).subarray(16, 24)
}

/** SQLite itself opens nothing to append to it. */
function isAppendedTo(file: string): (descriptor: number) => boolean {
  return (descriptor) => {
    const link = `/proc/self/fd/${descriptor}`
    if (!existsSync(link) || readlinkSync(link) !== file) return false
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & constants.O_APPEND) !== 0
  }
}
