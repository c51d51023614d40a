/**
 * An author's Friday: a script, a version that breaks in two of six executors, its fix, and customers who run the script
 * with the protocol client. The server's clock moves only when a test moves it.
 */
import { ERRORS_LOADER_BUILD } from '@scriptward/client/live-messages'
import { expect } from 'vitest'
import { countHealth } from '../packages/server/src/features/health/count-health.ts'
import { reviewReleases } from '../packages/server/src/features/releases/review-releases.ts'
import { groupAll, protectedLines } from '../packages/server/test/errors.ts'
import type { Owner, TestServer } from '../packages/server/test/harness.ts'
import { createOwner, createScript } from '../packages/server/test/nouns.ts'
import { ProtocolClient } from '../packages/server/test/protocol/client.ts'
import { LIVE, type Running, run } from '../packages/server/test/protocol/running.ts'
import { rowOf } from '../packages/server/test/stored.ts'

export const HOUR_MS = 3_600_000
/** The age at which a run is counted. */
const COUNTED_AFTER_MS = 90_000
/** Number of runs that start concurrently. */
const AT_ONCE = 12

const EXECUTORS = ['Birch', 'Cedar', 'Elm', 'Larch', 'Maple', 'Willow']
/** Executors that lack a feature used by version 2. */
export const BROKEN = ['Elm', 'Larch']

const GOOD =
  'local shop = {}\nfunction shop.buy(item)\n\treturn item.price\nend\nprint(shop.buy({ price = 3 }))'
export const BAD = GOOD.replace('item.price', 'item.price.gold')
export const BAD_LINE = 3
export const FIXED = GOOD.replace('item.price', 'item.price or 0')

const options = { preset: 'light' }

export type Customer = { readonly key: string; readonly executor: string }
export type Started = Customer & { readonly run: Running; readonly version: number }

/** Creates an author whose script has version 1, and this number of customers. */
export async function createFriday(server: TestServer, amount: number): Promise<Friday> {
  const { owner, project } = await createOwner(server)
  const script = await createScript(owner, project, { name: 'walk', script: GOOD, options })
  const { body } = await owner.post(`/v1/projects/${project}/users/generate`, { amount })
  const customers = (body.user_keys as string[]).map((key, i) => ({
    key,
    executor: EXECUTORS[i % EXECUTORS.length] as string,
  }))
  return new Friday(server, { owner, project, script, customers })
}

type Made = Pick<Friday, 'owner' | 'project' | 'script' | 'customers'>

export class Friday {
  readonly owner: Owner
  readonly project: string
  readonly script: string
  readonly customers: readonly Customer[]
  readonly #server: TestServer
  readonly #client: ProtocolClient

  constructor(server: TestServer, { owner, project, script, customers }: Made) {
    this.owner = owner
    this.project = project
    this.script = script
    this.customers = customers
    this.#server = server
    this.#client = new ProtocolClient(server.url)
  }

  async startAll(which: readonly Customer[]): Promise<Started[]> {
    const started: Started[] = []
    for (let i = 0; i < which.length; i += AT_ONCE)
      started.push(...(await Promise.all(which.slice(i, i + AT_ONCE).map((each) => this.#start(each)))))
    return started
  }

  /**
   * Starts the script, lets version 2 crash in the broken executors, and waits until the runs are counted.
   * Returns the runs that crashed and the runs that did not.
   */
  async startAndCrash(which: readonly Customer[]) {
    const started = await this.startAll(which)
    const isCrashed = ({ version, executor }: Started) => version === 2 && BROKEN.includes(executor)
    const [crashed, well] = [started.filter(isCrashed), started.filter((each) => !isCrashed(each))]
    for (const each of crashed) await this.crash(each)
    await this.waitUntilCounted(well)
    return { crashed, well }
  }

  /** Sends the report that a loader sends to end a run whose script failed. */
  async crash({ run: ended }: Started): Promise<void> {
    const [line = 0] = await protectedLines(this.#server, this.script, { version: 2, line: BAD_LINE })
    const text = `walk:${line}: attempt to index a number value (field 'price')`
    const e = [{ kind: 'crash', text, at: [line], n: 1 }]
    expect((await ended.send(ended.endBody(undefined, undefined, { e }), 'end')).status).toBe(200)
  }

  /** Sends heartbeats until the runs are counted. */
  async waitUntilCounted(well: readonly Started[]): Promise<void> {
    this.#wait(COUNTED_AFTER_MS / 2)
    await this.expectRunning(well)
    await this.later(COUNTED_AFTER_MS / 2 + 1)
  }

  /** Expects the server to let these runs continue. */
  async expectRunning(runs: readonly Started[]): Promise<void> {
    const verdicts = await Promise.all(runs.map((each) => each.run.verdict()))
    expect(new Set(verdicts)).toEqual(new Set(['ok']))
  }

  async expectVersion(version: number): Promise<void> {
    const started = await this.startAll(this.customers.slice(0, EXECUTORS.length * 2))
    expect(new Set(started.map((each) => each.version))).toEqual(new Set([version]))
  }

  /** Moves the clock, and runs the server's jobs, which run every few seconds. */
  async later(ms: number): Promise<void> {
    this.#wait(ms)
    const { deps, clock } = this.#server
    const health = countHealth(deps, () => clock.now)
    const { signal } = new AbortController()
    while (await health.run(signal));
    await groupAll(this.#server)
    await reviewReleases(deps, () => clock.now).run(signal)
  }

  #wait(ms: number): void {
    this.#server.clock.now += ms
  }

  async #start({ key, executor }: Customer): Promise<Started> {
    const host = { executor, version: '1', platform: 'game' }
    const started = await run(this.#client, this.script, { ...LIVE, lb: ERRORS_LOADER_BUILD, key, host })
    const { script_version: version } = await rowOf(this.#server, 'instances', { exec: started.exec })
    return { key, executor, run: started, version }
  }
}
