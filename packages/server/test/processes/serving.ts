/**
 * Starts several real processes of one installation, which share one PostgreSQL database and one Valkey
 * server.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import type { Deps } from '../../src/deps.ts'
import { openKeyring } from '../../src/platform/secrets/keyring.ts'
import { type Location, postgres, reopen, type TestDatabase } from '../databases.ts'
import { ADMIN_KEY, outside } from '../harness.ts'
import { programOf } from '../programs.ts'
import { ProtocolClient } from '../protocol/client.ts'
import { makeScene, type Scene, type SceneServer } from '../protocol/scene.ts'
import { startValkey, type ValkeyServer } from './valkey-server.ts'

const SOURCES = path.resolve(import.meta.dirname, '../../src/main.ts')
const LATER_VERSION = path.join(import.meta.dirname, 'later-version.ts')

export type Process = SceneServer & {
  readonly client: ProtocolClient
  /** Kills the process without warning. */
  kill(): Promise<void>
  /** Requests that the process stop gracefully. */
  stop(): Promise<void>
}

export type Service = {
  readonly valkey: ValkeyServer
  readonly db: TestDatabase
  /** Starts a process of this version, or of a simulated later one. */
  start(later?: 'wide' | 'narrow'): Promise<Process>
  scene(process: Process, ...rest: Rest): Promise<Scene>
  remove(): Promise<void>
}

type Rest = typeof makeScene extends (server: never, ...rest: infer R) => unknown ? R : never

/** Uses an empty database of the test run by default. */
export async function openService(
  settings: Readonly<Record<string, string>> = {},
  locate: () => Promise<Location> = postgres.locate,
): Promise<Service> {
  const [valkey, location] = [await startValkey(), await locate()]
  const db = await reopen(location)
  const children: ChildProcess[] = []
  const environment = {
    ...settingsFor(location),
    SCRIPTWARD_VALKEY_URL: valkey.url,
    SCRIPTWARD_CLIENT_RATES: '0',
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_JOBS: 'false',
    ...settings,
  }
  return {
    valkey,
    db,
    async start(later) {
      const program = later === undefined ? [programOf('service')] : ['--import', LATER_VERSION, SOURCES]
      const env = { ...environment, ...(later && { LATER: later }) }
      const child = spawn(process.execPath, [...program, 'serve'], { env })
      children.push(child)
      const url = await listening(child)
      return processOf(child, url, { db, secrets: await openKeyring(location, randomBytes, false) })
    },
    scene: (server, ...rest) => makeScene(server, ...rest),
    async remove() {
      await Promise.all(children.map((child) => end(child, 'SIGKILL')))
      await valkey.remove()
      await db.remove()
    },
  }
}

/** The environment of a process that serves this data on a free port. */
export function settingsFor({ dataDir, databaseUrl }: Location) {
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
    SCRIPTWARD_DATA_DIR: dataDir,
    ...(databaseUrl !== undefined && { SCRIPTWARD_DATABASE_URL: databaseUrl }),
  }
}

function processOf(child: ChildProcess, url: string, opened: Pick<Deps, 'db' | 'secrets'>): Process {
  return {
    ...outside(url),
    deps: { ...opened, now: Date.now, random: randomBytes },
    client: new ProtocolClient(url),
    kill: () => end(child, 'SIGKILL'),
    stop: () => end(child, 'SIGTERM'),
  }
}

export async function listening(child: ChildProcess): Promise<string> {
  let out = ''
  let err = ''
  child.stderr?.on('data', (chunk) => (err += String(chunk)))
  for await (const chunk of child.stdout ?? []) {
    out += String(chunk)
    const url = /listens on ([^\s"]+)/.exec(out)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`the service did not start: ${err}`)
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}
