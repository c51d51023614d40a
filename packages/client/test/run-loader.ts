// Runs a loader as users do: as a file in a real interpreter, with the transports that a test allows.
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

/** Environments that provide only one of the two transports for generic hosts. */
export const TRANSPORTS = {
  LuaSocket: { PATH: '/nowhere' },
  curl: { LUA_PATH: '/nowhere/?.lua', LUA_CPATH: '/nowhere/?.so' },
} as const

/** Stand-alone interpreters on this machine. Tests for missing ones are listed as skipped. */
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

/** Runs a loader in Luau with an executor's functions; see luau-host.ts. */
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
