/**
 * Compares the installed package with the clone in one run: CPU time until the server is ready, memory of the
 * idle server, and CPU time for `--version`. Reads `/proc`, so it requires Linux.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Row } from './row.ts'

const ROOT = path.dirname(import.meta.dirname)
const ROUNDS = 5
/** By this time, the garbage collector has released the memory used during startup. */
const IDLE_MS = 6000
const TICK_MS = 10
const PAGE_KB = 1024
const FLAGS = ['--max-semi-space-size=4']

type Installed = { readonly server: string; readonly command: string; readonly compiled: string }
type Figures = { readonly ready: number; readonly idle: number; readonly version: number }

export async function bench(): Promise<Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-packages-'))
  try {
    const [clone, packed] = [cloneOf(folder), install(folder)]
    const found: { readonly clone: Figures; readonly packed: Figures }[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      const pair = { clone: await measure(clone, folder), packed: await measure(packed, folder) }
      // The first round creates the database and fills the compile caches.
      if (round > 0) found.push(pair)
    }
    return rowsOf(found)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function cloneOf(folder: string): Installed {
  return {
    server: path.join(ROOT, 'packages', 'server', 'src', 'main.ts'),
    command: path.join(ROOT, 'scripts', 'launch.mjs'),
    compiled: path.join(folder, 'compiled-clone'),
  }
}

function install(folder: string): Installed {
  execFileSync(process.execPath, [path.join(ROOT, 'scripts', 'launch.mjs'), 'pack'], { stdio: 'ignore' })
  const [packed = ''] = globSync(path.join(ROOT, '.tsbuild', 'packages', 'scriptward-[0-9]*.tgz'))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', packed], {
    cwd: folder,
    stdio: 'ignore',
  })
  const home = path.join(folder, 'node_modules', 'scriptward')
  const server = path.join(home, 'dist', 'service.js')
  return {
    server,
    command: path.join(home, 'bin', 'scriptward.mjs'),
    compiled: path.join(folder, 'compiled-package'),
  }
}

async function measure({ server, command, compiled }: Installed, folder: string): Promise<Figures> {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: compiled,
    SCRIPTWARD_PORT: '0',
    SCRIPTWARD_DATA_DIR: path.join(folder, 'data'),
  }
  const version = cpuOf(() => execFileSync(process.execPath, [command, '--version'], { env }))
  const service = spawn(process.execPath, [...FLAGS, server, 'serve'], { cwd: folder, env })
  await listens(service)
  const ready = ticksOf(service) * TICK_MS
  await wait(IDLE_MS)
  const idle = memoryOf(service)
  service.kill()
  await once(service, 'exit')
  return { ready, idle, version }
}

/** Returns the CPU time, in milliseconds, of the children that `run` waits for. */
function cpuOf(run: () => void): number {
  const ended = () =>
    statOf(process.pid)
      .slice(13, 15)
      .reduce((sum, ticks) => sum + Number(ticks), 0)
  const before = ended()
  for (let times = 0; times < ROUNDS; times++) run()
  return ((ended() - before) * TICK_MS) / ROUNDS
}

async function listens({ stdout }: ChildProcess): Promise<void> {
  for await (const chunk of stdout ?? []) if (String(chunk).includes('listens on')) return
  throw new Error('the server ended before it listened')
}

const ticksOf = ({ pid }: ChildProcess) =>
  statOf(pid)
    .slice(11, 13)
    .reduce((sum, ticks) => sum + Number(ticks), 0)

/**
 * Returns the fields of `/proc/<pid>/stat` after the process name. The first is field 3 in proc_pid_stat(5).
 */
function statOf(pid: number | undefined): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

function memoryOf({ pid }: ChildProcess): number {
  const [, kb = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / PAGE_KB
}

function rowsOf(found: readonly { readonly clone: Figures; readonly packed: Figures }[]): Row[] {
  const row = (
    name: string,
    figure: keyof Figures,
    { unit, limit }: { unit: string; limit: string },
  ): Row => {
    const [clone, packed] = (['clone', 'packed'] as const).map((which) =>
      median(found.map((pair) => pair[which][figure])),
    )
    const note = `${packed?.toFixed(0)} and ${clone?.toFixed(0)} ${unit}`
    return { name, value: (packed ?? 0) / (clone ?? 0), unit: '×', limit, note }
  }
  return [
    row('package / clone: CPU time of startup', 'ready', { unit: 'ms', limit: '<= 0.4' }),
    row('package / clone: memory when idle', 'idle', { unit: 'MiB', limit: '<= 0.75' }),
    row('package / clone: CPU time of --version', 'version', { unit: 'ms', limit: '<= 0.25' }),
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
