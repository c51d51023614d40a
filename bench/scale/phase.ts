/**
 * Runs one phase of the endurance test, and collects what all clients observed and which guarantees were
 * violated.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { CLIENT_GRACE_MS, RESUME_MS } from '../../packages/client/src/live-messages.ts'
import type { Clients } from './clients.ts'
import { type Deployment, memoryMiB, processorSeconds } from './deployment.ts'
import type { Ledger } from './ledger.ts'
import type { Store } from './population.ts'
import type { Simulators } from './simulators.ts'
import { type Counts, type Report, totalOf } from './tally.ts'
import type { Seen } from './watch.ts'

export type Scene = {
  readonly service: Deployment
  readonly store: Store
  readonly simulators: Simulators
  readonly ledger: Ledger
  readonly clients: Clients
}

export type Phase = {
  readonly name: string
  readonly seconds: number
  readonly beats: Report
  readonly sockets: Report
  readonly changes: Seen
  readonly reads: Seen
  readonly executions: Seen
  /** Denials of valid keys, by reason. */
  readonly denied: Counts
  /** Number of acknowledged changes and executions missing from the database, over all phases so far. */
  readonly lost: number
  readonly staleReads: number
  readonly wrong: readonly string[]
  /** Number of scripts that stopped or were disconnected for longer than their grace period. */
  readonly late: number
  /** CPU usage by component, excluding processes that were killed. */
  readonly load: Readonly<Record<string, number>>
}

/** This is long enough for two heartbeats and their retries. */
const CALM_MS = Number(process.env.SCALE_CALM_MS ?? 75_000)
const MAX_MS = 180_000

/** Runs `cause`, waits for the calm period, and then waits until every script has recovered. */
export async function runPhase(scene: Scene, name: string, cause: () => Promise<void>): Promise<Phase> {
  const [start, used] = [performance.now(), usage(scene)]
  await cause()
  await wait(CALM_MS)
  let [beats, sockets] = await reports(scene)
  while (beats.failing + sockets.failing > 0 && performance.now() - start < MAX_MS) {
    await wait(1000)
    const [more, others] = await reports(scene)
    ;[beats, sockets] = [join(beats, more), join(sockets, others)]
  }
  const seconds = (performance.now() - start) / 1000
  const { ledger, clients, store } = scene
  return {
    ...{ name, seconds, beats, sockets, ...ledger.take(), ...clients.take() },
    lost: (await ledger.countLost(store.db)) + (await clients.countLost(store.db)),
    staleReads: ledger.staleReads,
    wrong: [...clients.wrong],
    late: lateOf(beats, CLIENT_GRACE_MS) + lateOf(sockets, RESUME_MS),
    load: loadOf(used, usage(scene), seconds),
  }
}

async function reports({ simulators }: Scene): Promise<[Report, Report]> {
  return [await simulators.report('beats'), await simulators.report('sockets')]
}

function join(one: Report, later: Report): Report {
  const add = (a: Counts, b: Counts) => {
    const names = new Set([...Object.keys(a), ...Object.keys(b)])
    return Object.fromEntries([...names].map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]))
  }
  return {
    heard: one.heard + later.heard,
    well: later.well,
    failing: later.failing,
    back: [...one.back, ...later.back],
    stopped: add(one.stopped, later.stopped),
    errors: add(one.errors, later.errors),
  }
}

function lateOf({ back, failing, stopped }: Report, graceMs: number): number {
  return failing + totalOf(stopped) + back.filter(({ silentMs }) => silentMs > graceMs).length
}

type Usage = Readonly<Record<string, number>>

function usage({ service, simulators }: Scene): Usage {
  const { processes, databases, proxy } = service
  return {
    server: processorSeconds(processes.map(({ pid }) => pid)),
    PostgreSQL: isThere(() => processorSeconds([databases.pid()])),
    nginx: processorSeconds([proxy.pid]),
    'simulated clients': processorSeconds(simulators.pids),
  }
}

function loadOf(before: Usage, after: Usage, seconds: number): Usage {
  return Object.fromEntries(
    Object.entries(after).map(([part, value]) => [part, Math.max(0, value - (before[part] ?? 0)) / seconds]),
  )
}

export function memoryOf({ processes, databases }: Deployment): Readonly<Record<string, number>> {
  return {
    server: memoryMiB(processes.map(({ pid }) => pid)),
    PostgreSQL: memoryMiB([databases.pid()]),
  }
}

function isThere(of: () => number): number {
  try {
    return of()
  } catch {
    return 0
  }
}
