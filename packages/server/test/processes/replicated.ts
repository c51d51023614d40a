/**
 * Runs a real PostgreSQL server with a synchronous streaming standby behind one URL. Both servers can be
 * killed, restarted and promoted. They stop when the process that started them exits.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from '../patience.ts'
import { freePort } from '../ports.ts'
import { findOwner, findPrograms } from '../postgres.ts'
import { TcpSwitch } from './tcp-switch.ts'

export type Replicated = {
  /** Points to one of the two servers, initially the primary. */
  readonly url: string
  /** The main process of the server behind the URL. */
  pid(): number
  /** Stops and restarts the primary as an operator does. */
  restart(): Promise<void>
  /** Kills the primary and all its processes together, as a power failure would. */
  kill(): Promise<void>
  /** Points the URL at the standby, which accepts no writes until it is promoted. */
  leadToStandby(): void
  promote(): Promise<void>
  remove(): Promise<void>
}

type Place = { readonly folder: string; readonly programs: string; readonly env: NodeJS.ProcessEnv }
type Node = { readonly data: string; readonly port: number; child: ChildProcess }

const USER = 'scriptward'
const run = promisify(execFile)

/**
 * A process that exits with its server. It stops the server when its stdin ends, which also happens when the
 * run is killed.
 */
const SUPERVISE = `exec 3<&0
"$0" "$@" 3<&- & server=$!
(cat <&3; kill -INT $server) > /dev/null 2>&1 & watcher=$!
wait $server; kill $watcher`

/** Adds these settings to the default settings of both servers. */
export async function startReplicated(further: readonly string[] = []): Promise<Replicated> {
  const owner = findOwner()
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-replicated-'))
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const place: Place = { folder, programs: programs(), env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const settings = [...SETTINGS, ...further]
  const primary = await startPrimary(place, settings)
  const standby = await startStandby(place, primary, settings)
  await waitForStandby(primary)
  return handle(place, { primary, standby, settings, front: await TcpSwitch.open(primary.port) })
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  // A standby that lost its primary for a moment retries quickly, because nothing is written until it has
  // reconnected.
  'wal_retrieve_retry_interval=500ms',
]

type Cluster = {
  readonly primary: Node
  readonly standby: Node
  readonly settings: readonly string[]
  readonly front: TcpSwitch
}

function handle(place: Place, { primary, standby, settings, front }: Cluster): Replicated {
  let current = primary
  return {
    url: urlOf(front.port),
    pid: () => mainPid(current),
    async restart() {
      process.kill(mainPid(current), 'SIGINT')
      await gone(current)
      current.child = serve(place, current, settings)
      await untilReady(current)
    },
    async kill() {
      for (const pid of [mainPid(current), ...childrenOf(mainPid(current))]) process.kill(pid, 'SIGKILL')
      await gone(current)
    },
    leadToStandby() {
      current = standby
      front.leadTo(standby.port)
    },
    promote: () => program(place, 'pg_ctl', ['promote', '--wait', '--pgdata', standby.data]),
    async remove() {
      front.close()
      for (const { child } of [standby, primary]) child.stdin?.end()
      await Promise.all([gone(standby), gone(primary)])
      rmSync(place.folder, { recursive: true, force: true })
    },
  }
}

/** The entry in `PATH` may be a symbolic link to just one of the programs. */
function programs(): string {
  return path.dirname(realpathSync(path.join(findPrograms(), 'postgres')))
}

async function startPrimary(place: Place, settings: readonly string[]): Promise<Node> {
  const data = path.join(place.folder, 'primary')
  const wishes = [`--username=${USER}`, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
  await program(place, 'initdb', ['--pgdata', data, ...wishes])
  return start(place, data, settings)
}

async function startStandby(place: Place, { port }: Node, settings: readonly string[]): Promise<Node> {
  const data = path.join(place.folder, 'standby')
  const from = ['--host=127.0.0.1', `--port=${port}`, `--username=${USER}`]
  const wishes = ['--checkpoint=fast', '--write-recovery-conf', '--wal-method=stream', '--no-sync']
  await program(place, 'pg_basebackup', [...from, ...wishes, `--pgdata=${data}`])
  return start(place, data, settings)
}

async function start(place: Place, data: string, settings: readonly string[]): Promise<Node> {
  const made = { data, port: await freePort() }
  const node = { ...made, child: serve(place, made, settings) }
  await untilReady(node)
  return node
}

/**
 * From this point, every acknowledged commit is on both disks. The standby was copied before this was set, so
 * it doesn't wait for another server once it is promoted.
 */
async function waitForStandby(primary: Node): Promise<void> {
  await query(primary, "alter system set synchronous_standby_names = '*'")
  await query(primary, 'select pg_reload_conf()')
  const isSynchronous = async () => {
    const rows = await query(primary, "select 1 from pg_stat_replication where sync_state = 'sync'")
    return rows.length > 0
  }
  await until(isSynchronous, 'the standby did not connect')
}

function serve(
  { folder, programs, env }: Place,
  { data, port }: Omit<Node, 'child'>,
  settings: readonly string[],
) {
  const flags = [`port=${port}`, ...settings].flatMap((setting) => ['-c', setting])
  const command = [SUPERVISE, path.join(programs, 'postgres'), '-D', data, ...flags]
  return spawn('sh', ['-c', ...command], {
    cwd: folder,
    env,
    ...findOwner(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

async function program(
  { folder, programs, env }: Place,
  name: string,
  words: readonly string[],
): Promise<void> {
  await run(path.join(programs, name), words, { cwd: folder, env, ...findOwner() })
}

async function query({ port }: Node, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: urlOf(port), connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function untilReady(node: Node): Promise<void> {
  const answers = () =>
    query(node, 'select 1').then(
      () => true,
      () => false,
    )
  await until(async () => {
    if (node.child.exitCode !== null) throw new Error(`PostgreSQL in ${node.data} did not start`)
    return answers()
  }, `PostgreSQL in ${node.data} does not answer`)
}

async function gone({ child }: Node): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

function mainPid({ data }: Node): number {
  return Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Each PostgreSQL process has its own process group. */
function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.filter((pid) => parentOf(pid) === parent).map(Number)
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

function urlOf(port: number): string {
  return `postgres://${USER}@127.0.0.1:${port}/postgres`
}
