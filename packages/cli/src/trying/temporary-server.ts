/** Starts a server in a temporary folder, and removes both. */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Surroundings } from '../cli.ts'
import { Fault, UNAVAILABLE, usage } from '../faults.ts'

export type TemporaryServer = {
  readonly url: string
  /** API key of its operator. */
  readonly token: string
  /** Secret of the link that creates its first owner. */
  readonly setUpSecret: string
  /** Resolves when the server ends on its own. */
  readonly ended: Promise<void>
}

const SERVER = new URL('../../../server/src/main.ts', import.meta.url)
/** What a program needs to run at all. The user's other settings, such as those of a real server, don't reach this one. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TEMP',
  'SystemRoot',
  'NODE_COMPILE_CACHE',
  'NODE_EXTRA_CA_CERTS',
]
const LISTENS = /listens on (http:[^\s"]+)/
const SET_UP = /#\/set-up\/([\w-]+)/
const MAX_ERROR_CHARACTERS = 2000

/** The server and its folder are gone when this settles. */
export async function withTemporaryServer<T>(
  { env, signal }: Pick<Surroundings, 'env' | 'signal'>,
  use: (server: TemporaryServer) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder(env)
  const token = randomBytes(24).toString('base64url')
  const child = start(folder, token, env)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  try {
    const url = await addressOf(child, signal)
    const link = await readFile(path.join(folder, 'data', 'first-admin.txt'), 'utf8')
    return await use({ url, token, setUpSecret: SET_UP.exec(link)?.[1] ?? '', ended })
  } finally {
    child.kill()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}

async function temporaryFolder(env: Surroundings['env']): Promise<string> {
  const place = env.TMPDIR ?? tmpdir()
  try {
    return await mkdtemp(path.join(place, 'scriptward-try-'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const variable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR'
    throw usage(
      `Can't create a temporary folder in ${place} (${code}). Set ${variable} to a folder that you can write to.`,
    )
  }
}

function start(folder: string, token: string, env: Surroundings['env']): ChildProcess {
  const passed = PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  const own = {
    ...Object.fromEntries(passed),
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_DATA_DIR: path.join(folder, 'data'),
    SCRIPTWARD_ADMIN_KEY: token,
  }
  const words = [fileURLToPath(SERVER), 'serve']
  return spawn(process.execPath, words, { cwd: folder, env: own, stdio: ['ignore', 'pipe', 'pipe'] })
}

async function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let [said, problems] = ['', '']
  child.stdout?.on('data', (chunk) => {
    said += String(chunk)
    const url = LISTENS.exec(said)?.[1]
    if (url !== undefined) resolve(url)
  })
  child.stderr?.on('data', (chunk) => {
    problems = (problems + String(chunk)).slice(-MAX_ERROR_CHARACTERS)
  })
  child.once('error', reject)
  child.once('close', () => {
    const lines = ['The temporary server ended before it was ready:', ...problems.trimEnd().split('\n')]
    reject(signal.aborted ? signal.reason : new Fault(UNAVAILABLE, ...lines))
  })
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  // An earlier Ctrl-C has no event here.
  if (signal.aborted) reject(signal.reason)
  return promise
}
