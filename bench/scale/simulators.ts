/**
 * Manages the processes that run `simulator.ts`. It starts them one after another and queries them in
 * parallel.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Instance } from '../sessions-server.ts'
import type { Orders } from './simulator.ts'
import { addCounts, type Report } from './tally.ts'

/** Each process can open about 20,000 files if the limit cannot be raised. */
const MAX_EACH = { beats: 100_000, sockets: 10_000 }
const ADDRESSES_EACH = 4

export type Kind = Orders['kind']
type Simulator = { readonly kind: Kind; readonly child: ChildProcess }

export class Simulators {
  readonly #all: Simulator[] = []
  #count = 0

  /** Resolves when all sessions are connected. Scripts with heartbeats start within half a minute. */
  async add(kind: Kind, url: string, instances: readonly Instance[]): Promise<void> {
    for (let at = 0; at < instances.length; at += MAX_EACH[kind]) {
      const some = instances.slice(at, at + MAX_EACH[kind])
      const child = fork(new URL('simulator.ts', import.meta.url), {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      })
      this.#all.push({ kind, child })
      child.send({ kind, url, instances: some, firstNumber: this.#count, localAddresses: this.#addresses() })
      this.#count += some.length
      await once(child, 'message')
    }
  }

  get pids(): number[] {
    return this.#all.map(({ child }) => child.pid ?? 0)
  }

  /** Returns the observations since the last report. */
  async report(kind: Kind): Promise<Report> {
    const some = this.#all.filter((one) => one.kind === kind)
    const reports = await Promise.all(some.map(({ child }) => ask(child)))
    const sum = (of: (report: Report) => number) => reports.reduce((all, one) => all + of(one), 0)
    return {
      heard: sum(({ heard }) => heard),
      well: sum(({ well }) => well),
      failing: sum(({ failing }) => failing),
      back: reports.flatMap(({ back }) => back),
      stopped: addCounts(reports.map(({ stopped }) => stopped)),
      errors: addCounts(reports.map(({ errors }) => errors)),
    }
  }

  end(): void {
    for (const { child } of this.#all) if (child.connected) child.disconnect()
  }

  #addresses(): string[] {
    const number = this.#all.length
    return Array.from({ length: ADDRESSES_EACH }, (_, i) => `127.0.${number}.${i + 1}`)
  }
}

async function ask(child: ChildProcess): Promise<Report> {
  const answer = once(child, 'message')
  child.send('report')
  const [report] = (await answer) as [Report]
  return report
}
