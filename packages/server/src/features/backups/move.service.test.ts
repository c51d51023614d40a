/**
 * Moving a server from SQLite to PostgreSQL copies every row, clients keep running, and a failed move leaves
 * the target empty.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { Command } from 'commander'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effort } from '../../../../client/test/effort.ts'
import { runLoader } from '../../../../client/test/run-loader.ts'
import { hashesOf, onRows } from '../../../test/backup-commands.ts'
import { type Location, postgres, sqlite } from '../../../test/databases.ts'
import { startServer, type TestServer } from '../../../test/harness.ts'
import { createScript, createUser } from '../../../test/nouns.ts'
import { freePort } from '../../../test/ports.ts'
import { programOf } from '../../../test/programs.ts'
import { run } from '../../../test/protocol/running.ts'
import { makeScene } from '../../../test/protocol/scene.ts'
import { runRaw } from '../../../test/store/raw.ts'
import { addMove } from '../../cli/move.ts'
import { readConfig } from '../../config/config.ts'
import { fillPostgres } from '../../database/engine/postgres/fill.ts'
import { readSqlite } from '../../database/engine/sqlite/copy.ts'
import type { Columns } from '../../database/schema/columns.ts'
import { tables } from '../../database/schema/tables.ts'

const USERS = effort({ day: 4000, night: 10_000 })
const PROGRAM = 'local answer = 6 * 7\nprint("the answer is " .. answer)'

type Ended = { readonly code: number | null; readonly out: string; readonly err: string }
type Settings = Readonly<Record<string, string>>

/** Runs the command in a child process. `meanwhile` receives a function that stops the process. */
async function processed(
  words: readonly string[],
  settings: Settings,
  meanwhile: (stop: () => void) => Promise<void> = async () => {},
): Promise<Ended> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...settings }
  const child = spawn(process.execPath, [programOf('service'), 'move-to', ...words], { env })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => (out += String(part)))
  child.stderr.on('data', (part) => (err += String(part)))
  const ended = once(child, 'close')
  await meanwhile(() => child.kill('SIGINT'))
  const [code] = (await ended) as [number | null]
  return { code, out, err }
}

/** Returns the command's last message. Sends Ctrl-C when the output contains `stopAt`. */
async function refusal(words: readonly string[], settings: Settings, stopAt?: string): Promise<string> {
  const stopping = new AbortController()
  const program = new Command().exitOverride()
  addMove(program, {
    config: () => readConfig(settings),
    print: (text) => expect.unreachable(text),
    terminal: { write: (text) => text.startsWith(stopAt ?? '…') && stopping.abort() },
    untilStopped: () => stopping.signal,
  })
  const ended = program.parseAsync(['move-to', ...words], { from: 'user' })
  return ended.then(
    () => expect.unreachable('it was not refused'),
    (error: Error) => error.message,
  )
}

const tablesOf = (at: Location) =>
  runRaw(at, "select table_name from information_schema.tables where table_schema = 'public'")

/** The indexes, constraints and triggers, and whether each is active. */
const SCHEMA = `select pg_get_indexdef(indexrelid) as what, indisvalid as valid from pg_index
    where indrelid::regclass::text !~ '^pg_'
  union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid), convalidated
    from pg_constraint where conrelid <> 0
  union all select pg_get_triggerdef(oid), tgenabled = 'O' from pg_trigger where not tgisinternal
  order by what`

describe('moving to PostgreSQL', () => {
  let port: number
  let server: TestServer
  let scene: Awaited<ReturnType<typeof makeScene>>
  let client: Awaited<ReturnType<typeof run>>
  let made: { readonly scriptId: string; readonly key: string }
  let target: Location
  const settings = () => ({ SCRIPTWARD_DATA_DIR: server.location.dataDir })
  const address = () => target.databaseUrl ?? ''

  beforeAll(async () => {
    port = await freePort()
    server = await startServer(sqlite, { config: { port } })
    target = await postgres.locate()
    scene = await makeScene(server)
    const { owner, projectId } = scene
    const scriptId = await createScript(owner, projectId, { script: PROGRAM })
    made = { scriptId, key: await createUser(owner, projectId) }
    await owner.post(`/v1/projects/${projectId}/users/generate`, { amount: USERS, note: 'ü "quoted" \\ 🌱' })
    // The table's highest number no longer belongs to a row, but must not be assigned again.
    await owner.post(`/users/${await createUser(owner, projectId)}/remove`)
    client = await run(scene.client, scene.scriptId, { key: await scene.addUser() })
    expect(await client.beat()).toMatchObject({ ok: true })
  })
  afterAll(async () => {
    await server?.location.remove()
    await target?.remove()
  })

  it('is rejected while a server uses the folder', async () => {
    const refused = await processed([address()], settings())
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain(
      `scriptward: SCRIPTWARD_DATA_DIR: another server process is using ${server.location.dataDir}: stop it`,
    )
    await server.stop()
  })

  it('is rejected without a database, with two, and with one that PostgreSQL does not have', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const url = new URL(address())
    const [nothing, elsewhere] = ['postgres://ada:s3cret@127.0.0.1:1/ward', 'postgres://a@127.0.0.1/b']
    const cases: readonly (readonly [string[], Settings, string])[] = [
      [[], {}, 'no target database: set SCRIPTWARD_DATABASE_URL to an empty PostgreSQL database, or run'],
      [['scriptward.db'], {}, 'the URL must start with postgres://'],
      [['postgres://ada:s3#cret@h/d'], {}, 'percent-encode special characters in the password'],
      [[elsewhere], { SCRIPTWARD_DATABASE_URL: address() }, 'name different databases'],
      [
        [nothing],
        {},
        'nothing is listening on 127.0.0.1:1: start PostgreSQL there, or correct host and port',
      ],
      [[`postgres://ada:s3cret@127.0.0.1:${port}/ward`], {}, `no response from 127.0.0.1:${port}`],
      [
        [`postgres://scriptward:s3cret@${url.host}/none`],
        {},
        '"none" does not exist: create it with createdb',
      ],
      [
        [`postgres://ada:s3cret@${url.host}${url.pathname}`],
        {},
        'role "ada" does not exist: correct the user',
      ],
      [[address()], { SCRIPTWARD_DATA_DIR: '/none' }, 'no SQLite database in /none'],
    ]
    for (const [words, changes, text] of cases) {
      const refused = await refusal(words, { ...settings(), ...changes })
      expect(refused).toContain(text)
      expect(refused).not.toContain('cret')
    }
    expect(existsSync('/none')).toBe(false)
    silent.close()
  })

  it('is rejected with an older schema, a newer one, and the keyring of another database', async () => {
    const other = await sqlite.locate()
    cpSync(server.location.dataDir, other.dataDir, { recursive: true })
    const refused = async (words: string) =>
      expect(await refusal([address()], { SCRIPTWARD_DATA_DIR: other.dataDir })).toContain(words)
    const [last] = (await runRaw(other, 'select max(name) as name from kysely_migration')) as {
      name: string
    }[]
    await runRaw(other, `update kysely_migration set name = '9999-later' where name = '${last?.name}'`)
    await refused('was changed by a newer version of Scriptward (9999-later): move it with that version')
    await runRaw(other, "delete from kysely_migration where name = '9999-later'")
    await refused(`this version needs ${last?.name}: start this version once with ${other.dataDir}, stop it`)
    await runRaw(other, `insert into kysely_migration values ('${last?.name}', '2030')`)
    const keyring = path.join(other.dataDir, 'keyring.json')
    const foreign = await startServer(sqlite)
    writeFileSync(keyring, readFileSync(path.join(foreign.location.dataDir, 'keyring.json')))
    await foreign.close()
    await refused('the keyring does not belong to this database')
    await other.remove()
  })

  it.each(['copying rows\n', 'creating indexes\n', 'verifying rows\n'])(
    'leaves nothing behind when it is stopped at "%s"',
    async (step) => {
      expect(await refusal([address()], settings(), step)).toBe('stopped: nothing was changed')
      expect(await tablesOf(target)).toEqual([])
    },
  )

  it('stops on Ctrl-C in the middle of a statement', async () => {
    const other = new pg.Client({ connectionString: address() })
    await other.connect()
    await other.query('begin; create table kysely_migration ()')
    const isWaiting = async () =>
      (
        await runRaw(
          target,
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      ).length > 0
    const stopped = await processed([address()], settings(), async (stop) => {
      await expect.poll(isWaiting).toBe(true)
      stop()
    })
    expect(stopped).toEqual({ code: 130, out: '', err: 'scriptward: stopped: nothing was changed\n' })
    await other.end()
    expect(await tablesOf(target)).toEqual([])
  })

  it('copies every row and prints the next steps', async () => {
    const moved = await processed([address()], settings())
    expect(moved).toMatchObject({ code: 0, err: 'copying rows\ncreating indexes\nverifying rows\n' })
    expect(moved.out).toMatch(
      /^Moved \d+ rows in \d+ tables, including \d{4,5} users\. All rows were read back/,
    )
    expect(moved.out).toContain('set SCRIPTWARD_DATABASE_URL to the URL of the database')
    expect(moved.out).toContain(path.join(server.location.dataDir, 'keyring.json'))
    expect(moved.out).not.toContain(new URL(address()).host)
    expect(await hashesOf(target)).toEqual(await hashesOf(server.location))
    const users = await onRows(target, async (read) => {
      let count = 0
      for await (const rows of read('users'))
        count += rows.filter(({ note }) => note === 'ü "quoted" \\ 🌱').length
      return count
    })
    expect(users).toBe(USERS)
  })

  it('creates the same schema as a fresh start', async () => {
    const fresh = await postgres.open()
    expect(await runRaw(target, SCHEMA)).toEqual(await runRaw(fresh.location, SCHEMA))
    await fresh.remove()
  })

  it('is rejected when the database already contains tables, and changes none of them', async () => {
    const before = await hashesOf(target)
    const refused = await refusal([], { ...settings(), SCRIPTWARD_DATABASE_URL: address() })
    expect(refused).toContain('already contains tables: create an empty one with createdb, and use its URL')
    expect(await hashesOf(target)).toEqual(before)
  })

  it('goes unnoticed: a client continues, a protected script runs, and full-text search works', async () => {
    const location = { ...target, dataDir: server.location.dataDir }
    const moved = await startServer(postgres, { location, config: { port } })
    try {
      expect(await client.beat()).toMatchObject({ ok: true })
      const loader = await (await fetch(`${moved.url}/client/v1/loader/${made.scriptId}`)).text()
      const before = `script_key = "${made.key}" function gethwid() return "DEVICE" end`
      const ran = await runLoader({ command: 'lua5.1', text: loader, before })
      expect(ran).toMatchObject({ status: 0, stdout: 'the answer is 42\n' })
      const owner = moved.client(scene.owner.apiKey)
      const lastOf = async (at: Location, sql: string) =>
        ((await runRaw(at, sql)) as { last: number | string }[])[0]?.last
      const last = await lastOf(
        server.location,
        "select seq as last from sqlite_sequence where name = 'users'",
      )
      const key = await createUser(owner, scene.projectId, { note: 'needle in the hay' })
      expect(Number(await lastOf(target, 'select max(seq) as last from users'))).toBe(Number(last) + 1)
      const found = await owner.get(`/v1/projects/${scene.projectId}/users/filter?search=needle`)
      expect(JSON.stringify(found.body)).toContain(key)
    } finally {
      await moved.stop()
    }
  })
})

it('copies a row of every table, with every kind of value', async () => {
  const [from, to] = [await sqlite.open(), await postgres.locate()]
  // All columns of the same type get the same value, so every foreign key has a match.
  const values = { text: "'ü \\ \"'", number: '1', bytes: "x'00ff5c'" }
  for (const [table, columns] of Object.entries<Columns>(tables)) {
    const row = Object.values(columns).map(({ kind }) => values[kind])
    const names = Object.keys(columns).map((name) => `"${name}"`)
    await runRaw(from.location, `insert or ignore into ${table} (${names.join()}) values (${row.join()})`)
  }
  const filled = await readSqlite(path.join(from.location.dataDir, 'scriptward.db'), (read) =>
    fillPostgres({
      ...{ url: to.databaseUrl ?? '', read, rows: 0, lastNumbers: new Map() },
      ...{ signal: new AbortController().signal, report: () => {} },
    }),
  )
  for (const [table, { count }] of Object.entries(filled))
    expect({ table, count }).not.toEqual({ table, count: 0 })
  expect(filled).toEqual(await hashesOf(from.location))
  expect(filled).toEqual(await hashesOf(to))
  await from.remove()
  await to.remove()
})
