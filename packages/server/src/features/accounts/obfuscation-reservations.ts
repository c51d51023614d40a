/**
 * Counts obfuscations against the monthly allowance. Each upload reserves one before the build, so that
 * concurrent uploads can't exceed the allowance. The transaction that stores the build makes the reservation
 * permanent.
 */
import { Refused, refuse } from '../../api/refusals.ts'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { isReached, lockAccount } from './quotas.ts'
import { type CustomerRow, updateCustomer } from './store/customers.ts'
import {
  deleteObfuscationReservation,
  insertObfuscationReservation,
  listOldObfuscationReservations,
} from './store/obfuscation-reservations.ts'

/** A reserved obfuscation, with the details needed to release it. */
export type Reservation = { readonly id: string; readonly month: number; readonly fromBonus: boolean }

/** No upload takes this long, so an older reservation belongs to a process that crashed. */
export const ABANDONED_MS = 15 * 60_000
const ID_BYTES = 12

/** Takes one obfuscation before the build starts, from the monthly allowance first, then from the bonus. */
export async function reserveObfuscation(
  deps: Deps,
  customerId: string,
): Promise<Reservation | Refused<'max_obfuscations_reached' | 'unauthorized'>> {
  const now = deps.now()
  const month = monthOf(now)
  return deps.unauditedDb.transaction(async (tx) => {
    const account = await lockAccount(tx, customerId)
    if (account instanceof Refused) return account
    const { customer, tier } = account
    const used = usedInMonth(customer, month)
    const fromBonus = await isReached(tier.obfuscations, async () => used)
    if (fromBonus && customer.bonus_obfuscations_left <= 0) return refuse('max_obfuscations_reached')
    await updateCustomer(tx, customerId, {
      obfuscations_used: used + 1,
      obfuscations_month: month,
      bonus_obfuscations_left: customer.bonus_obfuscations_left - (fromBonus ? 1 : 0),
    })
    const id = deps.random(ID_BYTES).toString('base64url')
    const row = {
      id,
      customer_id: customerId,
      month,
      from_bonus: fromBonus ? 1 : 0,
      reserved_at: now,
    } as const
    await insertObfuscationReservation(tx, row)
    return { id, month, fromBonus }
  })
}

/**
 * Reserves an obfuscation for a build, and releases it unless the build succeeds. The build must call
 * `keepObfuscation` in the transaction that stores its result.
 */
export async function withObfuscation<T>(
  deps: Deps,
  customerId: string,
  build: (reserved: Reservation) => Promise<T>,
): Promise<T | Refused<'max_obfuscations_reached' | 'unauthorized'>> {
  const reserved = await reserveObfuscation(deps, customerId)
  if (reserved instanceof Refused) return reserved
  let isKept = false
  try {
    const built = await build(reserved)
    isKept = !(built instanceof Refused)
    return built
  } finally {
    if (!isKept) await releaseObfuscation(deps, customerId, reserved)
  }
}

/**
 * Makes the reservation permanent, in the transaction that stores the build. Works even if the reservation
 * has already been released as abandoned.
 */
export async function keepObfuscation(
  tx: Queries,
  customerId: string,
  reserved: Reservation,
): Promise<undefined | Refused<'unauthorized'>> {
  if (await deleteObfuscationReservation(tx, customerId, reserved.id)) return undefined
  const account = await lockAccount(tx, customerId)
  if (account instanceof Refused) return account
  await count(tx, account.customer, reserved, 1)
  return undefined
}

/**
 * Charges for a build that exceeded the time or memory limit, unless the account has free attempts left for
 * the day.
 */
export async function chargeExhausted(
  { unauditedDb, limits, now }: Deps,
  customerId: string,
  reserved: Reservation,
): Promise<void> {
  if ((await limits.attempts.takeAttempt('exhaustedBuild', customerId, now())) === 0) return
  await unauditedDb.transaction((tx) => keepObfuscation(tx, customerId, reserved))
}

/** Releases a reservation. Does nothing after `keepObfuscation`. The counts of past months stay unchanged. */
export async function releaseObfuscation(
  deps: Pick<Deps, 'unauditedDb'>,
  customerId: string,
  reserved: Reservation,
): Promise<void> {
  await deps.unauditedDb.transaction((tx) => release(tx, customerId, reserved))
}

/** Releases the reservations of crashed processes, and returns their number. */
export async function releaseAbandonedObfuscations(tx: Queries, now: number, limit: number): Promise<number> {
  const rows = await listOldObfuscationReservations(tx, now - ABANDONED_MS, limit)
  for (const { customer_id, id, month, from_bonus } of rows)
    await release(tx, customer_id, { id, month, fromBonus: from_bonus === 1 })
  return rows.length
}

/**
 * Locks the account first, as all other code does, to prevent deadlocks. If two calls release the same
 * reservation, the second call finds none.
 */
async function release(tx: Queries, customerId: string, reserved: Reservation): Promise<void> {
  const account = await lockAccount(tx, customerId)
  if (account instanceof Refused) return
  if (await deleteObfuscationReservation(tx, customerId, reserved.id))
    await count(tx, account.customer, reserved, -1)
}

async function count(
  tx: Queries,
  customer: CustomerRow,
  { month, fromBonus }: Reservation,
  by: 1 | -1,
): Promise<void> {
  const sameMonth = customer.obfuscations_month === month
  await updateCustomer(tx, customer.id, {
    obfuscations_used: customer.obfuscations_used + (sameMonth ? by : 0),
    bonus_obfuscations_left: customer.bonus_obfuscations_left - (fromBonus ? by : 0),
  })
}

export function obfuscationsUsed(customer: CustomerRow, now: number): number {
  return usedInMonth(customer, monthOf(now))
}

/** Number of calendar months in UTC, counted continuously across years. */
function monthOf(now: number): number {
  const date = new Date(now)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function usedInMonth(customer: CustomerRow, month: number): number {
  return customer.obfuscations_month === month ? customer.obfuscations_used : 0
}
