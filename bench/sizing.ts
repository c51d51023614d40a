/**
 * What running scripts cost one process of the service, on each engine: with beats, with sockets, and when they start.
 * Each figure is what its part added to the load before. `SIZING=600` measures fewer scripts.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Replicated, startReplicated } from '../packages/server/test/processes/replicated.ts'
import type { Row } from './row.ts'
import { Clients } from './scale/clients.ts'
import { memoryMiB, processorSeconds } from './scale/deployment.ts'
import { addRunning, type Home, makeHome, openStore, type Store } from './scale/population.ts'
import { Simulators } from './scale/simulators.ts'
import { type Served, serve } from './served.ts'

const SCRIPTS = Number(process.env.SIZING ?? 10_000)
const PER = 10_000
/** Three pings of every socket, two beats of every script and more. */
const WINDOW_MS = 75_000
/** Every script beats once in it, and what is compiled is compiled. */
const WARM_MS = 40_000
const CLIENT_LOOPS = 8

type Place = {
  readonly served: Served
  readonly store: Store
  readonly home: Home
  readonly database?: Replicated
}
/** Of the service, and of its database where that is a server. */
type Usage = { readonly service: number; readonly database: number }
type Load = { readonly processor: Usage; readonly memory: Usage }

export async function bench(): Promise<Row[]> {
  const sqlite = await measureOn('SQLite')
  const databases = await startReplicated()
  try {
    return [...sqlite, ...(await measureOn('PostgreSQL', databases))]
  } finally {
    await databases.remove()
  }
}

async function measureOn(engine: string, database?: Replicated): Promise<Row[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'scriptward-sizing-'))
  const settings = { SCRIPTWARD_TRUST_PROXY: '127.0.0.0/8' }
  const served = await serve(
    dataDir,
    database ? { ...settings, SCRIPTWARD_DATABASE_URL: database.url } : settings,
  )
  const store = await openStore(dataDir, database?.url)
  try {
    const home = await makeHome(served.url, store)
    const rows = await measure({ served, store, home, ...(database && { database }) })
    return rows.map((row) => ({ ...row, name: `${engine}: ${row.name}` }))
  } finally {
    await store.db.close()
    await served.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function measure(place: Place): Promise<Row[]> {
  const { served, store, home } = place
  const simulators = new Simulators()
  try {
    const instances = await addRunning(store, home, 2 * SCRIPTS)
    await wait(WARM_MS / 4)
    const idle = await loadOf(place)
    await simulators.add('sockets', served.url, instances.slice(0, SCRIPTS))
    await wait(WARM_MS)
    const sockets = await loadOf(place)
    await simulators.add('beats', served.url, instances.slice(SCRIPTS))
    await wait(WARM_MS)
    const both = await loadOf(place)
    const failing = await countFailing(simulators)
    return [
      ...rowsOf('sockets', idle, sockets),
      ...rowsOf('beats', sockets, both),
      ...(await measureStarts(place, both)),
      { name: 'scripts that failed meanwhile', value: failing, unit: 'scripts', limit: '<= 0' },
    ]
  } finally {
    simulators.end()
  }
}

async function countFailing(simulators: Simulators): Promise<number> {
  const [beats, sockets] = [await simulators.report('beats'), await simulators.report('sockets')]
  return 2 * SCRIPTS - beats.well - sockets.well
}

function rowsOf(what: string, before: Load, after: Load): Row[] {
  const scaled = (part: keyof Usage, of: keyof Load) => ((after[of][part] - before[of][part]) / SCRIPTS) * PER
  const name = `10,000 ${what}`
  return (['service', 'database'] as const)
    .filter((part) => after.memory[part] > 0)
    .flatMap((part) => [
      { name: `${name}, processor of the ${part}`, value: scaled(part, 'processor') * 100, unit: '%' },
      { name: `${name}, memory of the ${part}`, value: scaled(part, 'memory'), unit: 'MiB' },
    ])
}

/** Grants and denials alike, each with the boot record before it. */
async function measureStarts(place: Place, before: Load): Promise<Row[]> {
  const clients = new Clients(place.served.url, place.home, () => undefined)
  await clients.start(place.store, CLIENT_LOOPS)
  await wait(WARM_MS / 4)
  clients.take()
  const start = performance.now()
  const { processor } = await loadOf(place)
  const seconds = (performance.now() - start) / 1000
  const perSecond = clients.take().executions.done / seconds
  await clients.stop()
  return (['service', 'database'] as const)
    .filter((part) => before.memory[part] > 0)
    .map((part) => ({
      ...{ name: `one start of a script, processor of the ${part}`, unit: 'ms' },
      value: ((processor[part] - before.processor[part]) / perSecond) * 1000,
      note: `${perSecond.toFixed(0)} a second`,
    }))
}

/** Processors that were used for a while, and memory at its end. */
async function loadOf(place: Place): Promise<Load> {
  const [start, before] = [performance.now(), usage(place, processorSeconds)]
  await wait(WINDOW_MS)
  const after = usage(place, processorSeconds)
  const seconds = (performance.now() - start) / 1000
  return {
    processor: {
      service: (after.service - before.service) / seconds,
      database: (after.database - before.database) / seconds,
    },
    memory: usage(place, memoryMiB),
  }
}

function usage({ served, database }: Place, of: (pids: readonly number[]) => number): Usage {
  return { service: of([served.pid]), database: database ? of([database.pid()]) : 0 }
}
