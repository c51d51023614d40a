/** SQLite acknowledges only durable changes, even after a disk failure. */
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
import type { Tables } from '../../schema/tables.ts'
import { queriesOf, sqliteDialect } from '../queries.ts'
import { sqliteDatabase } from './database.ts'
import { openSqliteFile, type SqliteFile } from './open.ts'
import { SqliteWriter } from './writer.ts'

type Sync = { readonly succeed: () => void; readonly fail: (error: Error) => void }

let folder: string
let file: SqliteFile
let writer: SqliteWriter
/** Pending syncs. The test completes each of them. */
let syncs: Sync[]

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scriptward-test-'))
  file = openSqliteFile(folder)
  file.writer.run('create table notes (id integer primary key) strict')
  file.writer.run('pragma wal_checkpoint(truncate)')
  syncs = []
  const sync = () => new Promise<void>((succeed, fail) => syncs.push({ succeed, fail }))
  const queries = queriesOf<Tables>(sqliteDialect)
  const ignored = () => {}
  writer = new SqliteWriter(file.writer, {
    queries,
    isRefusal: () => false,
    onBegin: ignored,
    onCommit: ignored,
    sync,
  })
})
afterEach(() => rmSync(folder, { recursive: true }))

const add = (id: number) => writer.run((tx) => sql`insert into notes values (${id})`.execute(tx))
const idsIn = (database: DatabaseSync) =>
  database
    .prepare('select id from notes')
    .all()
    .map(({ id }) => id)
const idsOutsideTheWal = () => {
  const copy = path.join(folder, 'copy.db')
  copyFileSync(file.path, copy)
  const database = new DatabaseSync(copy)
  const ids = idsIn(database)
  database.close()
  return ids
}
/** Waits for more event loop turns than a change needs if it doesn't wait for the disk. */
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

test('a change is acknowledged once it is durable, and the next ones wait until then', async () => {
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

test('a transaction that changes nothing does not wait for the disk', async () => {
  await writer.run((tx) => sql`delete from notes where id = 7`.execute(tx))
  expect(syncs.length).toBe(0)
})

test('a failed sync rejects the change, and later changes are not written after a gap in the WAL', async () => {
  const lost = add(1)
  await turns()
  syncs[0]?.fail(new Error('the disk failed'))
  await expect(lost).rejects.toThrow('the disk failed')
  expect(idsOutsideTheWal()).toEqual([])
  const next = add(2)
  await turns()
  expect(idsOutsideTheWal()).toEqual([1])
  syncs[1]?.succeed()
  await next
})

test('while the WAL cannot be recovered after a failed sync, changes are rejected before they begin', async () => {
  const lost = add(1)
  await turns()
  syncs[0]?.fail(new Error('the disk failed'))
  await expect(lost).rejects.toThrow()
  file.writer.database.exec('pragma busy_timeout = 0')
  const reader = new DatabaseSync(file.path)
  reader.exec('begin; select * from notes')
  await expect(add(2)).rejects.toThrow()
  await expect(writer.runExclusive(async () => 'bulk')).rejects.toThrow()
  reader.close()
  expect(await writer.runExclusive(async () => 'bulk')).toBe('bulk')
  expect(idsOutsideTheWal()).toEqual([1])
})

test('SQLite automatically checkpoints and restarts its WAL', async () => {
  const text = 'n'.repeat(100_000)
  file.writer.run('create table texts (text text) strict')
  for (let count = 0; count < 100; count += 1) {
    const added = writer.run((tx) => sql`insert into texts values (${text})`.execute(tx))
    await turns()
    syncs.at(-1)?.succeed()
    await added
  }
  expect(statSync(`${file.path}-wal`).size).toBeLessThan(6_000_000)
})

test('the server syncs the file that SQLite writes to', async () => {
  const database = sqliteDatabase(file, { isRefusal: () => false })
  const insert = (id: number) =>
    database.transaction((tx) => sql`insert into notes values (${id})`.execute(tx))
  await insert(1)
  const wal = `${file.path}-wal`
  const [descriptor = -1] = readdirSync('/proc/self/fd').map(Number).filter(isAppendedTo(wal))
  expect(fstatSync(descriptor).ino).toBe(statSync(wal).ino)
  closeSync(descriptor)
  await expect(insert(2)).rejects.toThrow('EBADF')
  reopenAt(descriptor, wal)
  await insert(3)
  expect(idsIn(file.writer.database)).toEqual([1, 2, 3])
  await database.close()
})

/** Other work of this process may have closed lower descriptors, which the system assigns first. */
function reopenAt(descriptor: number, file: string): void {
  const opened = openSync(file, 'a')
  expect(opened).toBeLessThanOrEqual(descriptor)
  if (opened === descriptor) return
  reopenAt(descriptor, file)
  closeSync(opened)
}

/** SQLite itself never opens a file for appending. */
function isAppendedTo(file: string): (descriptor: number) => boolean {
  return (descriptor) => {
    const link = `/proc/self/fd/${descriptor}`
    if (!existsSync(link) || readlinkSync(link) !== file) return false
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & constants.O_APPEND) !== 0
  }
}
