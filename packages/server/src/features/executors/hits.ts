/**
 * Counts the runs that a script's rules would deny, over 30 days. Clients can report any executor, so the
 * number of rows is limited.
 */
import { hash } from 'node:crypto'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { addHit, hasHitCustomers, listHitExecutors, listHits, putHitCustomer } from './store/hits.ts'

const DAY_MS = 86_400_000
export const HIT_DAYS = 30
const MAX_EXECUTORS = 50
const MAX_CUSTOMERS = 10_000
/** Name used to count executors without their own row. */
const OTHERS = 'other'
const CUSTOMER_LENGTH = 16

export type WatchedRun = {
  readonly script_id: string
  readonly executor: string
  /** A license key, or the ID of a guest's device. */
  readonly customer: string
  readonly now: number
}

/** Call this in the transaction that grants the run. */
export async function countHit(tx: Queries, { script_id, now, ...run }: WatchedRun): Promise<void> {
  const day = Math.floor(now / DAY_MS)
  const known = await listHitExecutors(tx, script_id)
  const isNamed = known.includes(run.executor) || known.length < MAX_EXECUTORS
  const executor = isNamed ? run.executor : OTHERS
  // The customer is hashed, so that no key outlives its user.
  const customer = hash('sha256', run.customer, 'base64url').slice(0, CUSTOMER_LENGTH)
  await addHit(tx, { script_id, executor, day, runs: 1 })
  const isFull = await hasHitCustomers(tx, { script_id, executor, customer }, MAX_CUSTOMERS)
  if (!isFull) await putHitCustomer(tx, { script_id, executor, customer, day })
}

export async function describeHits({ db, now }: Deps, script_id: string) {
  const { executors, customers } = await listHits(
    db.read,
    script_id,
    Math.floor(now() / DAY_MS) - HIT_DAYS + 1,
  )
  const runs = executors.reduce((sum, one) => sum + one.runs, 0)
  return { days: HIT_DAYS, runs, customers, executors }
}
