/** Runs the server as a separate process and measures it from outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../packages/server/test/ports.ts'

const ROOT = path.join(import.meta.dirname, '..')
/** Node flags, the same as in scripts/launch.mjs. */
export const SERVICE_FLAGS = ['--max-semi-space-size=4']
export const SERVICE_ENV = {
  // Without the compile cache, the compiler adds about 20 MiB to an idle server.
  NODE_COMPILE_CACHE: path.join(ROOT, '.runtime', 'compile-cache'),
}
export const ADMIN_KEY = 'admin-of-the-benchmark'

export type Served = {
  readonly url: string
  readonly pid: number
  readonly readyMs: number
  stop(): Promise<void>
  /** Kills the process without warning. */
  kill(): Promise<void>
}

/** Starts the server on a free port on 127.0.0.1, unless the settings specify another address. */
export async function serve(
  dataDir: string,
  settings: Record<string, string> = {},
  program = path.join(ROOT, 'packages/server/src/main.ts'),
): Promise<Served> {
  const { SCRIPTWARD_HOST: host = '127.0.0.1', SCRIPTWARD_PORT: port = await freePort() } = settings
  const url = `http://${host}:${port}`
  const env = {
    ...SERVICE_ENV,
    ...process.env,
    SCRIPTWARD_PORT: String(port),
    SCRIPTWARD_DATA_DIR: dataDir,
    SCRIPTWARD_ADMIN_KEY: ADMIN_KEY,
    // Requests are still counted for rate limiting, but the limit is never reached.
    SCRIPTWARD_API_RATES: '1000000',
    SCRIPTWARD_MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    ...settings,
  }
  const start = performance.now()
  const command = [...SERVICE_FLAGS, program, 'serve']
  const child = spawn(process.execPath, command, { env, stdio: 'ignore' })
  await untilReady(url, child)
  const readyMs = performance.now() - start
  const [end, kill] = [() => stop(child), () => stop(child, 'SIGKILL')]
  return { url, pid: child.pid ?? 0, readyMs, stop: end, kill }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    await wait(10)
  }
  throw new Error(`the service ended with ${child.exitCode} instead of getting ready`)
}

export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  child.kill(signal)
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** `VmRSS` is the current size, and `VmHWM` is the peak. */
export function residentBytes(pid: number, measure: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const kib = new RegExp(`${measure}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

/** Returns the CPU time of all threads of a process, in nanoseconds. */
export function processorNs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const spent = threads.map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0])
  return spent.reduce((sum, ns) => sum + Number(ns), 0)
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** `part` ranges from 0 to 1. For example, 0.99 returns the 99th percentile. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
