// Runs a loader's text as its users do: as a file run by a real interpreter, with the transports that a
// test allows.
import { fork, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { LuauOutcome, LuauRun } from './luau-host.ts'
import { RUNTIMES } from './run-lua.ts'

export interface Run {
  /** Interpreter and its flags, such as `luajit -joff`. */
  readonly command: string
  readonly text: string
  /** Lua code that runs before the loader, such as `script_key = "K"`. */
  readonly before?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Stops the interpreter when aborted, so that no run outlives its test. */
  readonly signal?: AbortSignal
}

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Environments in which only one of the two general transports is available. */
export const TRANSPORTS = {
  LuaSocket: { PATH: '/nowhere' },
  curl: { LUA_PATH: '/nowhere/?.lua', LUA_CPATH: '/nowhere/?.so' },
} as const

/** Stand-alone interpreters on this machine. Missing ones are named in the list of skipped tests. */
export const COMMANDS = RUNTIMES.filter(({ name }) => name !== 'luau').map(({ name, missing }) => ({
  name,
  missing,
}))

export async function runLoader({ command, text, before = '', args = [], ...run }: Run): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'scriptward-loader-'))
  try {
    writeFileSync(join(folder, 'loader.lua'), text)
    const [program = '', ...flags] = command.split(' ')
    const words = [...flags, '-e', before, join(folder, 'loader.lua'), ...args]
    const env = { PATH: process.env.PATH ?? '', HOME: folder, ...run.env }
    return await start(program, words, { ...run, env })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const HOST = new URL('./luau-host.ts', import.meta.url)

/** Runs a loader in Luau with the functions of an executor; see luau-host.ts. */
export function runLuau(
  run: Partial<LuauRun> & { readonly text: string },
  signal?: AbortSignal,
): Promise<LuauOutcome> {
  return new Promise((resolve, reject) => {
    const task: LuauRun = { before: '', files: {}, ...run }
    const child = fork(fileURLToPath(HOST), { execArgv: [], serialization: 'advanced' })
    signal?.addEventListener('abort', () => child.kill('SIGKILL'))
    child.on('message', (outcome) => {
      resolve(outcome as LuauOutcome)
      child.kill('SIGKILL')
    })
    child.on('error', reject)
    child.on('disconnect', () => reject(new Error('Luau ended without an answer')))
    child.send(task, () => {})
  })
}

function findProgram(name: string): string {
  const folders = (process.env.PATH ?? '').split(':')
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name
}

function start(
  program: string,
  words: readonly string[],
  { env, signal }: Pick<Run, 'env' | 'signal'>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(findProgram(program), words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    signal?.addEventListener('abort', () => child.kill())
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      stdout += part
    })
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      stderr += part
    })
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
}
