/**
 * Starts a real PostgreSQL server for a test run, as a non-root user and in its own directory. Removes it
 * afterward, even if the run is killed. Vitest calls `setup`; `databases.ts` creates databases on it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { until } from './patience.ts'
import { freePort } from './ports.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

const DEBIAN_FOLDER = '/usr/lib/postgresql'

/** Stops the server as soon as stdin ends, which also happens when the test run is killed. */
const SUPERVISE = `"$0" "$@" & server=$!
cat > /dev/null
kill -INT $server; wait $server; cd /; rm -rf "$FOLDER"`

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Turns off disk syncs. No test simulates a power failure, and two thousand syncs would take up most of the
  // test time.
  const { url, stop } = await startPostgres(['fsync=off'])
  project.provide('postgresUrl', url)
  return stop
}

export type Server = { readonly url: string; readonly stop: () => Promise<void> }

/** Adds these settings to the default settings. */
export async function startPostgres(further: readonly string[] = []): Promise<Server> {
  const programs = findPrograms()
  const owner = findOwner()
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-postgres-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', FOLDER: folder }, ...owner }
  const cluster = path.join(folder, 'cluster')
  const wishes = ['--username=scriptward', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  execFileSync(path.join(programs, 'initdb'), ['--pgdata', cluster, ...wishes], { ...options, stdio: 'pipe' })
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    ...further,
  ]
  const flags = settings.flatMap((setting) => ['-c', setting])
  const command = [SUPERVISE, path.join(programs, 'postgres'), '-D', cluster, ...flags]
  const child = spawn('sh', ['-c', ...command], { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
  const url = `postgres://scriptward@127.0.0.1:${port}/postgres`
  await untilReady(child, url)
  return { url, stop: () => stop(child) }
}

/** The directory that contains `initdb`, `postgres` and the other programs. */
export function findPrograms(): string {
  const versions = readdirOf(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a))
  const debian = versions.map((version) => path.join(DEBIAN_FOLDER, version, 'bin'))
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), ...debian]
  const found = folders.find((folder) =>
    ['initdb', 'postgres'].every((name) => isProgram(path.join(folder, name))),
  )
  if (!found) throw new Error('no PostgreSQL for the tests: install it with `apt-get install postgresql`')
  return found
}

function readdirOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The user to run PostgreSQL as. PostgreSQL refuses to run as root. */
export function findOwner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const entry = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (!entry) throw new Error('no user to run PostgreSQL as: neither postgres nor nobody is in /etc/passwd')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let words = ''
  child.stderr?.on('data', (chunk) => {
    words = `${words}${chunk}`.slice(-4000)
  })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${words}`)
    return answers(url)
  }, 'PostgreSQL does not answer')
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdin?.end()
  if (child.exitCode === null) await once(child, 'exit')
}
