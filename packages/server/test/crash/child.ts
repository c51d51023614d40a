/**
 * Runs the server as a separate process that is killed without warning and restarted on the same database.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Location } from '../databases.ts'
import { programOf } from '../programs.ts'

export const ADMIN_KEY = 'key-of-the-first-admin'
const SABOTEUR = path.join(import.meta.dirname, 'saboteur.ts')

/** The database guarantee that `saboteur.ts` breaks, to show that violations are detected. */
export type Sabotage = 'answers before it commits' | 'commits every statement'

export type Service = {
  readonly url: string
  /** Kills the process and all its threads without warning, so that nothing can finish. */
  kill(): Promise<void>
  /** Stops the process as an operator would. */
  stop(): Promise<void>
}

export async function startService(location: Location, sabotage?: Sabotage): Promise<Service> {
  const command = sabotage === undefined ? [programOf('service'), 'serve'] : [SABOTEUR, sabotage]
  const child = spawn(process.execPath, command, {
    env: environment(location),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (chunk) => (words += String(chunk)))
  const url = await addressOf(child).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${error}\n${words}`)
  })
  return { url, kill: () => end(child, 'SIGKILL'), stop: () => end(child, 'SIGTERM') }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'close')
}

function environment({ dataDir, databaseUrl = '' }: Location): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_DATA_DIR: dataDir,
    SCRIPTWARD_DATABASE_URL: databaseUrl,
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
    SCRIPTWARD_API_RATES: '0',
    SCRIPTWARD_CLIENT_RATES: '0',
    SCRIPTWARD_JOBS: 'false',
    SCRIPTWARD_LOG_LEVEL: 'error',
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let text = ''
  const found = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += String(chunk)
      const url = /listens on ([^\s"]+)/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the service did not start')))
  return Promise.race([found, ended])
}
