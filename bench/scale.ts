/**
 * Runs the endurance test for several server processes. Simulated scripts, two-thirds with heartbeats and
 * one-third with sockets, connect through nginx to three server processes, which use Valkey and a PostgreSQL
 * primary with a standby. Each component fails in turn while writers record acknowledged changes and clients
 * try valid and invalid keys. `SCALE=600` reduces the number of scripts, and `SCALE_CALM_MS=40000` shortens
 * the phases.
 */

import type { Row } from './row.ts'
import { Clients } from './scale/clients.ts'
import { type Deployment, startDeployment } from './scale/deployment.ts'
import { FAULTS } from './scale/faults.ts'
import { Ledger } from './scale/ledger.ts'
import { memoryOf, type Phase, runPhase, type Scene } from './scale/phase.ts'
import { addRunning, makeHome, openStore } from './scale/population.ts'
import { rowsOf, tableOf } from './scale/report.ts'
import { Simulators } from './scale/simulators.ts'

const SCRIPTS = Number(process.env.SCALE ?? 60_000)
const SOCKETS = Math.round(SCRIPTS / 3)
const WRITERS = 8
const CLIENT_LOOPS = 4

export async function bench(): Promise<Row[]> {
  const service = await startDeployment()
  const simulators = new Simulators()
  const store = await openStore(service.dataDir, service.databases.url)
  try {
    const home = await makeHome(service.url, store)
    const ledger = new Ledger(service.url, home.projectId)
    const clients = new Clients(service.url, home, () => ledger.anyBanned())
    const scene: Scene = { service, store, simulators, ledger, clients }
    const instances = await addRunning(store, home, SCRIPTS)
    say(`${SCRIPTS} scripts are made`)
    await simulators.add('sockets', service.url, instances.slice(0, SOCKETS))
    await simulators.add('beats', service.url, instances.slice(SOCKETS))
    say(`${SOCKETS} of them hold a session`)
    ledger.start(WRITERS)
    await clients.start(store, CLIENT_LOOPS)
    return await prove(scene)
  } finally {
    simulators.end()
    await store.db.close()
    await service.remove()
  }
}

async function prove(scene: Scene): Promise<Row[]> {
  // In this phase, every script sends its first heartbeat, and hot code is compiled.
  await runPhase(scene, 'start', async () => {})
  const phases: Phase[] = []
  for (const { name, cause } of [CALM, ...FAULTS]) {
    phases.push(await runPhase(scene, name, () => cause(scene.service)))
    say(`${name}: done`)
  }
  const { ledger, clients, service } = scene
  const memory = memoryOf(service)
  await Promise.all([ledger.stop(), clients.stop()])
  const held = await countHeld(scene)
  console.log(tableOf(phases))
  return [
    ...phases.flatMap(rowsOf),
    { name: 'acknowledged changes, total', value: ledger.count, unit: 'changes' },
    ...loadRows(phases[0] as Phase, memory),
    { name: 'scripts no longer running at the end', value: SCRIPTS - held, unit: 'scripts', limit: '<= 0' },
  ]
}

const CALM = { name: 'calm', cause: async (_: Deployment) => {} }

/**
 * Counts the live instances in the database. Instances with sockets count only if they also have a session.
 */
async function countHeld({ store, simulators }: Scene): Promise<number> {
  const { db } = store
  const [beats, sockets] = [await simulators.report('beats'), await simulators.report('sockets')]
  const { sessions } = await db.read
    .selectFrom('sessions')
    .select((e) => e.fn.countAll<number>().as('sessions'))
    .where('detached', '=', 0)
    .executeTakeFirstOrThrow()
  const { alive } = await db.read
    .selectFrom('instances')
    .select((e) => e.fn.countAll<number>().as('alive'))
    .where('kick', 'is', null)
    .where('expires_at', '>', Date.now())
    .where('game_user_id', '=', '1')
    .executeTakeFirstOrThrow()
  return Math.min(beats.well + sockets.well, beats.well + sessions, alive)
}

function loadRows({ load }: Phase, memory: Readonly<Record<string, number>>): Row[] {
  const shares = Object.entries(load).map(([part, share]) => ({
    ...{ name: `calm: ${part}, of one CPU`, value: share * 100, unit: '%' },
  }))
  const sizes = Object.entries(memory).map(([part, size]) => ({
    ...{ name: `memory of ${part} at the end`, value: size, unit: 'MiB' },
  }))
  return [...shares, ...sizes].map((row) => ({ ...row, name: `${SCRIPTS} scripts, ${row.name}` }))
}

function say(words: string): void {
  console.log(`  ${new Date().toISOString().slice(11, 19)} ${words}`)
}
