/** The service as a process of its own, on a folder that is removed after each test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach } from 'vitest'

const MAIN = path.resolve(import.meta.dirname, '../src/main.ts')

export type Settings = Record<string, string>
export type Started = {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
}

let folder = ''
let children: ChildProcess[] = []

/** In each test of the file that calls this. */
export function inOwnFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'scriptward-process-'))
    children = []
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
}

/** Below the folder of the test; its data is in `data`. */
export function place(...names: readonly string[]): string {
  return path.join(folder, ...names)
}

export function run(
  word: string,
  settings: Settings = {},
  command = [process.execPath, MAIN, word],
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
  children.push(child)
  const texts = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (texts.out += String(chunk)))
  child.stderr.on('data', (chunk) => (texts.err += String(chunk)))
  return { child, out: () => texts.out, err: () => texts.err }
}

/** With a terminal for its input and for all of its output, which is what `out` answers. */
export function runOnTerminal(word: string, settings: Settings = {}): Started {
  return run(word, settings, ['script', '-qefc', `${process.execPath} ${MAIN} ${word}`, '/dev/null'])
}

export async function serve(settings?: Settings): Promise<Started & { readonly url: string }> {
  const started = run('serve', settings)
  while (!started.out().includes('listens on')) {
    await Promise.race([
      once(started.child.stdout as NodeJS.ReadableStream, 'data'),
      once(started.child, 'exit'),
    ])
    if (started.child.exitCode !== null) throw new Error(started.err())
  }
  return { ...started, url: /listens on (\S+)/.exec(started.out())?.[1] ?? '' }
}

export async function ended({ child }: Started): Promise<number | null> {
  if (child.exitCode === null) await once(child, 'close')
  return child.exitCode
}

export async function stop(started: Started): Promise<number | null> {
  started.child.kill('SIGTERM')
  return ended(started)
}
