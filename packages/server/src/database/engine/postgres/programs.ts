/** Runs the PostgreSQL client programs that dump and restore an entire database. */
import { spawn } from 'node:child_process'
import pg from 'pg'
import type { Ask, ListTables } from '../contents.ts'
import { throttledWrite } from '../throttled-write.ts'
import { CONNECT_TIMEOUT_MS } from './pool.ts'
import { withProgramAddress } from './program-address.ts'

type Program = 'pg_dump' | 'pg_restore'

const INSTALL = 'install the PostgreSQL client programs (on Debian `apt-get install postgresql-client`)'
const MAX_WORDS = 4000
/**
 * Contains only the standard install locations. The server's own environment contains secrets and is not
 * passed on.
 */
const PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'

/** Opens one connection to the database for the duration of `run`. */
export async function onPostgres<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {})
  await client.connect()
  try {
    return await run(client)
  } finally {
    await client.end().catch(() => {})
  }
}

export const queryWith =
  (client: pg.Client): Ask =>
  async (sql) =>
    (await client.query(sql)).rows

/** Lists the tables that the server would use: those in the first schema of the search path. */
export const postgresTables: ListTables = async (ask) => {
  const rows = await ask(
    "select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
  )
  return rows.map(({ name }) => String(name))
}

/**
 * Dumps one snapshot of the database to `file`, and resolves to the result of `describe` for exactly that
 * snapshot. Blocks only schema changes.
 */
export async function dumpPostgres<T>(
  { url, file, signal }: { readonly url: string; readonly file: string; readonly signal: AbortSignal },
  describe: (ask: Ask) => Promise<T>,
): Promise<T> {
  return onPostgres(url, async (client) => {
    await client.query('begin isolation level repeatable read, read only')
    const { rows } = await client.query('select pg_export_snapshot() as id')
    const described = await describe(queryWith(client))
    const words = ['--format=custom', '--compress=0', '--no-comments', `--snapshot=${rows[0].id}`]
    const into = (content: AsyncIterable<Uint8Array>) => throttledWrite(content, file, signal)
    await runProgram('pg_dump', { url, words, signal, into })
    return described
  })
}

/** Restores a dump into an empty database atomically. */
export async function restorePostgres(
  url: string,
  { file, signal }: { readonly file: string; readonly signal: AbortSignal },
): Promise<void> {
  await runProgram('pg_restore', { url, words: ['--single-transaction', '--exit-on-error', file], signal })
}

/** Returns undefined if the programs are installed and at least as new as the server. */
export async function programsFault(url: string): Promise<string | undefined> {
  const words = await output('pg_dump', ['--version']).catch(() => undefined)
  if (words === undefined) return `backups require pg_dump, which is not installed: ${INSTALL}`
  const own = Number.parseInt(/(\d+)(\.|devel|beta|rc|\b)/.exec(words)?.[1] ?? '', 10)
  const server = await onPostgres(url, async (client) => {
    const { rows } = await client.query('show server_version_num')
    return Math.floor(Number(rows[0].server_version_num) / 10_000)
  })
  if (own >= server) return undefined
  return `pg_dump ${own} is too old to back up PostgreSQL ${server}: ${INSTALL}-${server}`
}

type Run = Pick<Options, 'signal' | 'into'> & { readonly url: string; readonly words: readonly string[] }

async function runProgram(program: Program, { url, words, ...options }: Run): Promise<void> {
  await withProgramAddress(url, async ({ address, password }) => {
    const flags = ['--no-owner', '--no-privileges', '--no-password', `--dbname=${address}`]
    await output(program, [...flags, ...words], { ...options, password })
  })
}

type Options = {
  readonly signal?: AbortSignal
  readonly password?: string | undefined
  /** Consumes the program's standard output. */
  readonly into?: (content: AsyncIterable<Uint8Array>) => Promise<void>
}

/**
 * Resolves to the last part of the program's output unless `into` consumes it. Rejects with the last part of
 * its error output.
 */
async function output(program: Program, words: readonly string[], options: Options = {}): Promise<string> {
  const { signal, password, into } = options
  const env = { PATH, LC_ALL: 'C', ...(password === undefined ? {} : { PGPASSWORD: password }) }
  const child = spawn(program, words, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] })
  let [printed, complaint] = ['', '']
  const read = async (content: AsyncIterable<Uint8Array>) => {
    for await (const part of content) printed = `${printed}${part}`.slice(-MAX_WORDS)
  }
  let failure: unknown
  const taken = (into ?? read)(child.stdout).catch((error: unknown) => {
    failure = error
    child.kill()
  })
  child.stderr.on('data', (part) => {
    complaint = `${complaint}${part}`.slice(-MAX_WORDS)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ENOENT' ? new Error(`${program} is not installed: ${INSTALL}`) : error),
    )
    child.on('close', resolve)
  })
  const code = await ended.finally(() => taken)
  // On a full disk, the program exits too, but this error explains why.
  if (failure !== undefined) throw failure
  if (code !== 0) throw new Error(`${program}: ${complaint.trim()}`)
  return printed
}

/** Drops everything that a restore created in a previously empty database. */
export async function dropTables(client: pg.Client): Promise<void> {
  for (const table of await postgresTables(queryWith(client)))
    await client.query(`drop table if exists ${pg.escapeIdentifier(table)} cascade`)
  const { rows } = await client.query(
    "select oid::regprocedure::text as name from pg_proc where pronamespace = current_schema()::regnamespace and prorettype = 'trigger'::regtype and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')",
  )
  for (const { name } of rows) await client.query(`drop function if exists ${name} cascade`)
}
