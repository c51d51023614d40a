/** Starts a server in a temporary folder. Afterward, stops the server and removes the folder. */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Surroundings } from '../cli.ts'
import { Fault, UNAVAILABLE, usage } from '../faults.ts'

export type TemporaryServer = {
  readonly url: string
  /** API key of the server's operator. */
  readonly token: string
  /** Secret of the link that creates the server's first owner. */
  readonly setUpSecret: string
  /** Resolves when the server exits on its own. */
  readonly ended: Promise<void>
}

const SERVER = new URL('../../../server/src/main.ts', import.meta.url)
const KEEPER = new URL('./keeper.ts', import.meta.url)
/**
 * Variables that a program needs to run at all. Other settings of the user, such as those of a real server,
 * must not affect the temporary server.
 */
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

/** When this settles, the server and its folder have been removed. */
export async function withTemporaryServer<T>(
  { env, signal }: Pick<Surroundings, 'env' | 'signal'>,
  use: (server: TemporaryServer) => Promise<T>,
): Promise<T> {
  await refuseUnwritable(env)
  const token = randomBytes(24).toString('base64url')
  const child = start(token, env)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const made = folderOf(child)
  try {
    const url = await addressOf(child, signal)
    const link = await readFile(path.join(await made, 'data', 'first-admin.txt'), 'utf8')
    return await use({ url, token, setUpSecret: SET_UP.exec(link)?.[1] ?? '', ended })
  } finally {
    child.kill()
    await ended
    // A server that was killed couldn't remove its folder.
    const folder = await made
    if (folder) await rm(folder, { recursive: true, force: true })
  }
}

/** The server creates the folder itself. Checking the location first allows a clear error message. */
async function refuseUnwritable(env: Surroundings['env']): Promise<void> {
  const place = env.TMPDIR ?? tmpdir()
  try {
    await rmdir(await mkdtemp(path.join(place, 'scriptward-try-')))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const variable = process.platform === 'win32' ? 'TEMP' : 'TMPDIR'
    throw usage(
      `Can't create a temporary folder in ${place} (${code}). Set ${variable} to a folder that you can write to.`,
    )
  }
}

function start(token: string, env: Surroundings['env']): ChildProcess {
  const passed = PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  const own = { ...Object.fromEntries(passed), SCRIPTWARD_PORT: '0', SCRIPTWARD_ADMIN_KEY: token }
  const words = ['--import', KEEPER.href, fileURLToPath(SERVER), 'serve']
  return spawn(process.execPath, words, { env: own, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
}

/**
 * Resolves to the folder that the server created, or to an empty string if the server ended before creating a
 * folder.
 */
function folderOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('message', (folder) => resolve(String(folder)))
    child.once('close', () => resolve(''))
  })
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
  // A signal that is already aborted doesn't emit the event again.
  if (signal.aborted) reject(signal.reason)
  return promise
}
