/**
 * Migrations since the last release leave what its code uses, or say in `migrations/list.ts` that they do not; those that were
 * released are as they were. `docs/decisions/0060-old-code-on-a-newer-schema.md` says why.
 */
import {
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { type Migration, migrations } from '../packages/server/src/store/migrations/list.ts'
import { type Compiled, migrationComplaints } from './migration-rules.ts'
import { changedSince, lastRelease, releasedFile } from './released.ts'

const FOLDER = 'packages/server/src/store/migrations/'
const LIST = `${FOLDER}list.ts`

const ENGINES: readonly Dialect[] = [
  {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
]

const release = lastRelease()
const names = Object.keys(migrations)
const list = release && releasedFile(release, LIST)
const done = list === undefined ? names.slice(0, 1) : names.filter((name) => list.includes(`'${name}'`))
const compiled: Compiled[] = []
for (const [name, one] of Object.entries(migrations))
  compiled.push({ name, statements: await statementsOf(one), narrows: one.narrows })
const edited = release === undefined ? [] : changedSince(release, FOLDER).filter((file) => file !== LIST)
const complaints = [
  ...edited.map((file) => `${file}: was released in ${release?.tag}, so make another migration instead`),
  ...migrationComplaints(compiled, (name) => done.includes(name), release?.version),
]
for (const complaint of complaints) process.stderr.write(`${complaint}\n`)
if (complaints.length === 0)
  process.stdout.write(`${names.length} migrations leave what ${release?.tag ?? 'the first one'} uses\n`)
process.exitCode = complaints.length === 0 ? 0 : 1

/** For both engines, without a database. */
async function statementsOf({ up }: Migration): Promise<string[]> {
  const statements: string[] = []
  for (const dialect of ENGINES) {
    const db = new Kysely<unknown>({ dialect, log: ({ query }) => void statements.push(query.sql) })
    await up(db)
  }
  return statements
}
