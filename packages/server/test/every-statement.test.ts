/**
 * Every function of the store, run on both engines, must answer alike and leave alike tables behind. The uses are in
 * `store/exercises.ts`; this file only finds the functions, so it needs no line for a new one.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Queries } from '../src/store/db.ts'
import { postgres, sqlite, type TestDatabase } from './databases.ts'
import { type Exercise, exercises } from './store/exercises.ts'
import { plant, tableNames } from './store/rows.ts'

const FOLDER = fileURLToPath(new URL('../src/store', import.meta.url))
/** Files of `store/` that hold the engines and not the statements of a table. */
const ENGINE_FILES: ReadonlySet<string> = new Set(
  'db dialect migrate open postgres postgres-pipeline postgres-pool postgres-transaction prepared queries snapshot-cache sqlite sqlite-bulk sqlite-bulk-thread sqlite-connection sqlite-open sqlite-reader sqlite-wal sqlite-writer statement-names tables trigrams keyset-range delete-oldest columns'.split(
    ' ',
  ),
)
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.basename(name, '.ts'))
  .filter((name) => !ENGINE_FILES.has(name))

class Undo extends Error {}

test.each(files)('every function of store/%s.ts has an exercise', async (file) => {
  const module: Record<string, unknown> = await import(pathToFileURL(path.join(FOLDER, `${file}.ts`)).href)
  const functions = Object.keys(module).filter((name) => typeof module[name] === 'function')
  expect(Object.keys(exercises[file] ?? {}).sort()).toEqual(functions.sort())
})

describe.each(Object.entries(exercises))('store/%s.ts', (_, ofFile) => {
  let onSqlite: TestDatabase
  let onPostgres: TestDatabase

  beforeAll(async () => {
    onSqlite = await sqlite.open()
    onPostgres = await postgres.open()
    for (const db of [onSqlite, onPostgres]) await db.transaction((tx) => plant(tx))
  })
  afterAll(async () => {
    await onSqlite.remove()
    await onPostgres.remove()
  })

  test.each(Object.entries(ofFile))('%s answers alike on both engines', async (name, exercise) => {
    const found = await outcome(onSqlite, exercise)
    expect(await outcome(onPostgres, exercise)).toEqual(found)
    const changed =
      /^(insert|update|delete)/.test(name) && JSON.stringify(found.tables) !== JSON.stringify(found.before)
    expect(changed || isSomething(found.answer)).toBe(true)
  })
})

/** Exercises that write what they look for, which only a transaction can. */
const WRITING: ReadonlySet<string> = new Set(
  'findAdKeyLock findLatestAdAttempt findLatestAdProgress findScanEnd findTestScript'.split(' '),
)

describe('what many ask PostgreSQL for in one turn', () => {
  let db: TestDatabase
  const finding = Object.values(exercises).flatMap((ofFile) =>
    Object.entries(ofFile).filter(([name]) => name.startsWith('find') && !WRITING.has(name)),
  )

  beforeAll(async () => {
    db = await postgres.open()
    await db.transaction((tx) => plant(tx))
  })
  afterAll(() => db.remove())

  test.each(finding)('is what each would get alone: %s', async (_, exercise) => {
    const alone = await exercise(db.read)
    const many = await Promise.all([1, 2, 3].map(() => exercise(db.readPoint)))
    expect(many).toEqual([alone, alone, alone])
  })
})

type Outcome = { answer: unknown; before: unknown; tables: unknown }

/** What an exercise answered and what the tables held before and after it. */
async function outcome(db: TestDatabase, exercise: Exercise): Promise<Outcome> {
  const done: Outcome[] = []
  const change = db.transaction(async (tx) => {
    const before = await tables(tx)
    const answer = comparable(await exercise(tx))
    done.push({ answer, before, tables: await tables(tx) })
    throw new Undo()
  })
  await change.catch((error) => {
    if (!(error instanceof Undo)) throw error
  })
  return done[0] as Outcome
}

async function tables(tx: Queries): Promise<unknown> {
  const held: Record<string, unknown> = {}
  for (const name of tableNames) {
    const found = await tx.selectFrom(name).selectAll().execute()
    held[name] = (comparable(found) as unknown[]).map((row) => JSON.stringify(row)).sort()
  }
  return held
}

/** A value without what rightly differs: the class of bytes and rows, and numbers that an undone insert used up. */
function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value ?? null
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === 'seq' ? 'seq' : comparable(member),
  ])
  return Object.fromEntries(members.sort())
}

function isSomething(answer: unknown): boolean {
  return Array.isArray(answer) ? answer.length > 0 : answer !== null && answer !== 0 && answer !== false
}
