/**
 * Runs the command line as an author would: in its own folder, against a real server. Commands started in the
 * background are separate processes. Commands that run to completion are separate processes only in nightly
 * runs. Otherwise, they run in the test's process, which is ten times as fast.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Surroundings } from '../packages/cli/src/cli.ts'
import { runCommand } from '../packages/cli/src/command.ts'
import { effort } from '../packages/client/test/effort.ts'
import { programOf } from '../packages/server/test/programs.ts'

/** The compile cache of scripts/launch.mjs, which makes commands start twice as fast. */
const COMPILED = { NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../.runtime/compile-cache') }

export type Done = { readonly status: number | null; readonly stdout: string; readonly stderr: string }
export type Env = Readonly<Record<string, string | undefined>>

export type Folder = {
  readonly path: string
  /** Writes a file and returns its name. */
  write(name: string, content: string | Buffer): string
  read(name: string): string
  executable(name: string): void
  /** Replaces this name with another name everywhere in the output. */
  replace(name: string, by: string): void
  /** Runs a command to completion. */
  run(words: readonly string[], env?: Env): Promise<Done>
  /** Starts a command that the test ends. */
  start(words: readonly string[], env?: Env): Started
  remove(): void
}

/** `out` and `err` grow as the command prints. */
export type Started = {
  readonly child: ChildProcess
  out: string
  err: string
  readonly ended: Promise<number | null>
}

/** `env` is added to the environment of commands, which otherwise excludes this machine's settings. */
export function commandFolder(env: () => Env): Folder {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-command-'))
  const environment = (more: Env): Env => {
    const own = { ...process.env, ...COMPILED, SCRIPTWARD_KEY: undefined, SCRIPTWARD_API_KEY: undefined }
    return { ...own, XDG_CONFIG_HOME: path.join(folder, '.config'), ...env(), ...more }
  }
  const start = (words: readonly string[], more: Env = {}): Started => {
    const child = spawn(process.execPath, [programOf('command-line'), ...words], {
      cwd: folder,
      env: environment(more),
    })
    const started: Started = {
      child,
      out: '',
      err: '',
      ended: once(child, 'close').then(([status]) => status),
    }
    child.stdout.on('data', (piece) => (started.out += String(piece)))
    child.stderr.on('data', (piece) => (started.err += String(piece)))
    return started
  }
  return {
    path: folder,
    write(name, content) {
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true })
      // Writes atomically, so that a watching command never reads half a file.
      writeFileSync(`${file}.new`, content)
      renameSync(`${file}.new`, file)
      return name
    },
    executable: (name) => chmodSync(path.join(folder, name), 0o755),
    replace(name, by) {
      rmSync(path.join(folder, name), { recursive: true })
      renameSync(path.join(folder, by), path.join(folder, name))
    },
    read: (name) => readFileSync(path.join(folder, name), 'utf8'),
    start,
    run: effort({
      day: (words, more = {}) => runHere(words, { cwd: folder, env: environment(more) }),
      night: async (words, more) => {
        const started = start(words, more)
        const status = await started.ended
        return { status, stdout: started.out, stderr: started.err }
      },
    }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Runs the command in this process. Paths on its command line are relative to the folder. */
async function runHere(words: readonly string[], around: { cwd: string; env: Env }): Promise<Done> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const streams = { stdin, stdout, stderr } as unknown as Pick<Surroundings, 'stdin' | 'stdout' | 'stderr'>
  const said = Promise.all([text(stdout), text(stderr)])
  const { signal } = new AbortController()
  const home = process.cwd()
  process.chdir(around.cwd)
  try {
    const status = await runCommand(words, { ...around, ...streams, signal, now: Date.now })
    stdout.end()
    stderr.end()
    const [out, err] = await said
    return { status, stdout: out, stderr: err }
  } finally {
    process.chdir(home)
  }
}

/** Runs a shell command line with `scriptward`, for pipes and files. */
export async function inShell(folder: Folder, line: string, env: Env): Promise<Done> {
  const scriptward = `"${process.execPath}" "${programOf('command-line')}"`
  const child = spawn('bash', ['-c', line.replaceAll('scriptward', scriptward)], {
    cwd: folder.path,
    env: { ...process.env, ...COMPILED, XDG_CONFIG_HOME: path.join(folder.path, '.config'), ...env },
  })
  const closed = once(child, 'close')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = (await closed) as [number | null]
  return { status, stdout, stderr }
}
