/**
 * Runs three server processes behind nginx, with Valkey and a PostgreSQL primary and standby. Tests can make
 * each component fail independently.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '../../packages/server/test/ports.ts'
import { type Replicated, startReplicated } from '../../packages/server/test/processes/replicated.ts'
import { startValkey, type ValkeyServer } from '../../packages/server/test/processes/valkey-server.ts'
import { processorNs, type Served, serve } from '../served.ts'
import { type FrontProxy, startProxy } from './proxy.ts'

export type Deployment = {
  /** URL of the proxy. */
  readonly url: string
  readonly dataDir: string
  readonly databases: Replicated
  readonly valkey: ValkeyServer
  readonly processes: Served[]
  readonly proxy: FrontProxy
  /** Restarts a killed process on its previous port. */
  startAgain(index: number): Promise<void>
  remove(): Promise<void>
}

const PROCESSES = 3

export async function startDeployment(): Promise<Deployment> {
  const folder = mkdtempSync(path.join(tmpdir(), 'scriptward-scale-'))
  const dataDir = path.join(folder, 'data')
  const [databases, valkey] = [await startReplicated(), await startValkey()]
  const places: { readonly host: string; readonly port: number }[] = []
  for (let i = 1; i <= PROCESSES; i += 1) places.push({ host: `127.0.0.1${i}`, port: await freePort() })
  const start = (index: number) =>
    serve(dataDir, {
      SCRIPTWARD_HOST: places[index]?.host ?? '',
      SCRIPTWARD_PORT: String(places[index]?.port),
      SCRIPTWARD_DATABASE_URL: databases.url,
      SCRIPTWARD_VALKEY_URL: valkey.url,
      // Trusts the proxy and the simulated clients behind it, because the clients set their users' IP
      // addresses.
      SCRIPTWARD_TRUST_PROXY: '127.0.0.0/8',
    })
  const processes: Served[] = []
  for (let i = 0; i < PROCESSES; i += 1) processes.push(await start(i))
  const proxy = await startProxy(
    folder,
    places.map(({ host, port }) => `${host}:${port}`),
  )
  return {
    ...{ url: proxy.url, dataDir, databases, valkey, processes, proxy },
    async startAgain(index) {
      processes[index] = await start(index)
    },
    async remove() {
      await proxy.stop()
      await Promise.all(processes.map((one) => one.stop()))
      await valkey.remove()
      await databases.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Returns the CPU time of these processes and their children in seconds, including children that have exited.
 */
export function processorSeconds(pids: readonly number[]): number {
  const running = [...pids, ...pids.flatMap(childrenOf)].reduce((sum, pid) => sum + timeOf(pid), 0)
  return pids.reduce((sum, pid) => sum + endedChildrenOf(pid), running)
}

/** Converts the kernel's ticks of 1/100 s to seconds. */
function endedChildrenOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / 100
}

/** Counts shared memory only once. */
export function memoryMiB(pids: readonly number[]): number {
  const all = [...pids, ...pids.flatMap(childrenOf)]
  return all.reduce((sum, pid) => sum + shareOf(pid), 0) / 1024
}

/** Returns the size in KiB, or 0 if the child has exited in the meantime. */
function shareOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}

/** The child may have exited in the meantime. */
function timeOf(pid: number): number {
  try {
    return processorNs(pid) / 1e9
  } catch {
    return 0
  }
}

function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.filter((pid) => parentOf(pid) === parent).map(Number)
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return 0
  }
}
