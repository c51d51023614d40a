/** Counts the daily outcomes of a user's executions, from the log. */
import { DAY_MS, STEPS } from '../../../api/periods.ts'
import type { Deps } from '../../../deps.ts'
import { listUserOutcomes } from '../store/execution-log.ts'

type User = { readonly project_id: string; readonly key: string }
type DayOutcomes = {
  at: number
  granted: number
  crashed: number
  vanished: number
  denied: Record<string, number>
}

/** SQLite counts this many rows in a few milliseconds. */
export const MAX_COUNTED = 20_000

/** Returns every one of the last 30 days, oldest first. */
export async function readUserOutcomes({ db, now }: Pick<Deps, 'db' | 'now'>, { project_id, key }: User) {
  const today = Math.floor(now() / DAY_MS)
  const first = today - STEPS.day.shown + 1
  const days = new Map<number, DayOutcomes>()
  for (let day = first; day <= today; day += 1)
    days.set(day, { at: day * DAY_MS, granted: 0, crashed: 0, vanished: 0, denied: {} })
  const range = { project_id, user_key: key, from: first * DAY_MS, limit: MAX_COUNTED }
  for (const { day, outcome, reason, vanished, rows, left_out } of await listUserOutcomes(db.read, range)) {
    const counted = days.get(day)
    if (counted === undefined) continue
    if (outcome !== 'denied') counted.granted += rows
    if (outcome === 'crashed') counted.crashed += rows
    if (vanished === 1) counted.vanished += rows
    if (outcome === 'denied' && reason !== null) counted.denied[reason] = rows + left_out
  }
  return { step: 'day' as const, outcomes: [...days.values()] }
}
