/**
 * Run counts to add to the stored counts in one step: per executor and for all executors, per day and for all
 * days.
 */
import type { Queries } from '../../database/engine/db.ts'
import {
  ALL_DAYS,
  ALL_EXECUTORS,
  addHealth,
  type CustomerOf,
  type HealthRow,
  insertCustomers,
  listCountedExecutors,
  OTHER_EXECUTORS,
  updateCrashedCustomers,
  type VersionOf,
} from './store/version-health.ts'

const DAY_MS = 86_400_000
/**
 * Maximum number of executors counted by name per version. Clients can report any name, so all other
 * executors are counted together.
 */
export const MAX_EXECUTORS = 50

type Run = VersionOf & { readonly executor: string; readonly at: number }
type Count = 'runs' | 'crashed' | 'vanished' | 'denied' | 'customers' | 'crashed_customers'
type Customer = VersionOf & {
  readonly executor: string
  readonly customer: string
  readonly hasCrashed: boolean
}

const NOTHING = { runs: 0, crashed: 0, vanished: 0, denied: 0, customers: 0, crashed_customers: 0 }

export class HealthCounts {
  readonly #added: (Run & { readonly count: Count })[] = []
  readonly #customers: Customer[] = []

  add(run: Run, count: 'runs' | 'crashed' | 'vanished' | 'denied'): void {
    this.#added.push({ ...run, count })
  }

  addRun(run: Run, customer: string, hasVanished: boolean): void {
    this.add(run, 'runs')
    if (hasVanished) this.add(run, 'vanished')
    this.#customers.push({ ...run, customer, hasCrashed: false })
  }

  addCrash(run: Run, customer: string): void {
    this.add(run, 'crashed')
    this.#customers.push({ ...run, customer, hasCrashed: true })
  }

  async write(tx: Queries): Promise<void> {
    const names = await nameExecutors(tx, this.#added)
    const rows = new Map<string, HealthRow>()
    const add = ({ script_id, version }: VersionOf, executor: string, day: number, count: Count) => {
      const key = [script_id, version, executor, day].join('\n')
      const row = rows.get(key) ?? { ...NOTHING, script_id, version, executor, day }
      rows.set(key, { ...row, [count]: row[count] + 1 })
    }
    for (const run of this.#added)
      for (const executor of [ALL_EXECUTORS, names.of(run)])
        for (const day of [ALL_DAYS, Math.floor(run.at / DAY_MS)]) add(run, executor, day, run.count)
    const customers = this.#customers.flatMap((one) => [
      { ...one, executor: ALL_EXECUTORS },
      { ...one, executor: names.of(one) },
    ])
    for (const one of await insertCustomers(tx, customers)) add(one, one.executor, ALL_DAYS, 'customers')
    const crashed = customers.filter(({ hasCrashed }) => hasCrashed)
    for (const one of await updateCrashedCustomers(tx, crashed))
      add(one, one.executor, ALL_DAYS, 'crashed_customers')
    await addHealth(tx, [...rows.values()])
  }
}

type Named = Omit<CustomerOf, 'customer'>

/** Finds the name to count each executor under. */
async function nameExecutors(tx: Queries, runs: readonly Named[]): Promise<{ of(run: Named): string }> {
  const known = new Map<string, Set<string>>()
  const keyOf = ({ script_id, version }: VersionOf) => `${script_id} ${version}`
  for (const run of runs) {
    const names = known.get(keyOf(run)) ?? (await listCountedExecutors(tx, run))
    known.set(keyOf(run), names)
    if (names.size < MAX_EXECUTORS) names.add(run.executor)
  }
  return { of: (run) => (known.get(keyOf(run))?.has(run.executor) ? run.executor : OTHER_EXECUTORS) }
}
