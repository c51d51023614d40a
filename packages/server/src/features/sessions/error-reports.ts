/**
 * Stores a run's error reports (client protocol, Errors). Reports that must not be stored are dropped
 * silently, because the message that contained them is valid.
 */
import { type ErrorReport, MAX_ERROR_REPORTS } from '@scriptward/client/live-messages'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { Session } from '../../protocol/sessions/session.ts'
import { recordErrors } from '../errors/intake.ts'
import { claimScript } from '../scripts/store/runnable-scripts.ts'
import { stopReason } from './instances.ts'
import { limitAsking } from './leases.ts'
import { addReports, findInstanceState, type InstanceState } from './store/live-instances.ts'

/**
 * Must be called in the transaction of the message, and only for a run that may continue. `outcomes` counts
 * crashes, which must be discarded if the transaction fails.
 */
export async function storeReports(
  tx: Queries,
  deps: Pick<Deps, 'now' | 'outcomes'>,
  instance: InstanceState,
  reports: readonly ErrorReport[],
): Promise<void> {
  const { exec, script_id, error_reports: before } = instance
  const accepted = reports.slice(0, Math.max(0, MAX_ERROR_REPORTS - before))
  if (instance.report_errors !== 1 || accepted.length === 0) return
  // Stores nothing if another message that arrived at the same time was counted first, or if the script was
  // removed.
  if (!(await claimScript(tx, script_id))) return
  if (!(await addReports(tx, { exec, before, count: accepted.length }))) return
  await recordErrors(tx, deps, instance, accepted.map(legible))
}

/** Stores reports that arrived over a session. Never rejects. */
export async function storeSessionReports(
  deps: Deps,
  { exec }: Session,
  reports: readonly ErrorReport[],
): Promise<void> {
  try {
    if (await limitAsking(deps, 'errorBeats', exec)) return
    const instance = await findInstanceState(deps.db.readPoint, exec)
    if (!instance || (await stopReason(deps, instance, { isHeld: true }))) return
    await deps.outcomes.countDone(deps.db, (tx, outcomes) =>
      storeReports(tx, { now: deps.now, outcomes }, instance, reports),
    )
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    deps.log.warn({ error: words }, "a run's error reports were not stored")
  }
}

/**
 * The loader sends no control characters, but another client could, and PostgreSQL cannot store all of them.
 */
function legible({ text, tags, ...rest }: ErrorReport): ErrorReport {
  const legibleTags = tags && Object.fromEntries(Object.entries(tags).map((tag) => tag.map(plain)))
  return { ...rest, text: plain(text), ...(legibleTags ? { tags: legibleTags } : {}) }
}

function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, '?').toWellFormed()
}
