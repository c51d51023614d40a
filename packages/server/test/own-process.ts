/** Runs the server as a separate process. Its directory is deleted after each test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { programOf } from './programs.ts'

/** For tests that observe which modules the server loads. */
export const SOURCES = path.resolve(import.meta.dirname, '../src/main.ts')

export type Settings = Record<string, string>
export type Started = {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /**
   * Resolves with the exit code once the process has exited and all its output is available; null after a
   * signal.
   */
  readonly closed: Promise<number | null>
}

let folder = ''
let started: Started[] = []

/** Gives each test of the calling file its own directory. */
export function inOwnFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-process-'))
    started = []
  })
  afterEach(async () => {
    for (const { child } of started) child.kill('SIGKILL')
    await Promise.all(started.map(({ closed }) => closed))
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Returns a path in the test's directory. The server's data is in `data`. */
export function place(...names: readonly string[]): string {
  return path.join(folder, ...names)
}

export function run(
  word: string,
  settings: Settings = {},
  command = [process.execPath, programOf('service'), word],
): Started {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_DATA_DIR: place('data'),
    ...settings,
  }
  const [program = '', ...words] = command
  const child = spawn(program, words, { env })
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)))
  const made = { child, out: () => texts.out, err: () => texts.err, closed }
  started.push(made)
  return made
}

/** Attaches a terminal to the input and all outputs. `out` returns everything that was printed. */
export function runOnTerminal(word: string, settings: Settings = {}): Started {
  const command = `${process.execPath} ${programOf('service')} ${word}`
  return run(word, settings, ['script', '-qefc', command, '/dev/null'])
}

export async function serve(
  settings?: Settings,
  program = programOf('service'),
): Promise<Started & { readonly url: string }> {
  const started = run('serve', settings, [process.execPath, program, 'serve'])
  await listening(started)
  return { ...started, url: /listens on ([^\s"]+)/.exec(started.out())?.[1] ?? '' }
}

/** Resolves when the process prints its URL; rejects if it prints anything else. */
export async function listening({ child, out, err, closed }: Started): Promise<void> {
  let hasEnded = false
  void closed.then(() => (hasEnded = true))
  while (!out().includes('listens on')) {
    if (hasEnded) throw new Error(err())
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), closed])
  }
}

export const ended = ({ closed }: Started): Promise<number | null> => closed

export function stop({ child, closed }: Started): Promise<number | null> {
  child.kill('SIGTERM')
  return closed
}
