/** Completes a step once all required confirmations have arrived. */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { countPass } from '../counts.ts'
import { openProviderData, providerOf } from '../providers.ts'
import { type AdAttemptRow, findLatestAdAttempt, updateAdAttempt } from '../store/ad-attempts.ts'
import type { AdCheckpointRow } from '../store/ad-checkpoints.ts'
import { type AdProgressRow, lockAdProgress, updateAdProgress } from '../store/ad-progress.ts'
import { isOut, isWaiting, listCheckpoints, READY_MS, settle } from './progress.ts'

type Passing = {
  readonly attempt: AdAttemptRow
  readonly checkpoint: AdCheckpointRow
  /** The side that has just confirmed the visit. */
  readonly by: 'visitor' | 'provider'
}

/**
 * If the provider sends a postback, both confirmations are required: the return identifies the browser, and
 * the postback confirms the visit.
 */
export async function passStep(deps: Deps, tx: Queries, passing: Passing): Promise<void> {
  const { checkpoint, by } = passing
  const now = deps.now()
  const progress = await lockAdProgress(tx, passing.attempt.progress_id)
  const attempt = progress && (await findLatestAdAttempt(tx, progress.id))
  if (progress?.state !== 'walking' || attempt?.seq !== passing.attempt.seq) return
  const needsBoth = providerOf(checkpoint).needsPostback(openProviderData(deps, checkpoint))
  if (by === 'provider') {
    if (isOut(attempt, now) || attempt.state === 'checking')
      await updateAdAttempt(tx, attempt.seq, { postback_at: attempt.postback_at ?? now })
    if (!isWaiting(attempt, now)) return
  } else if (attempt.state !== 'checking') return
  if (by === 'visitor' && needsBoth && attempt.postback_at === null) {
    await updateAdAttempt(tx, attempt.seq, { state: 'waiting', returned_at: now })
    await updateAdProgress(tx, progress.id, { notice: null })
    return
  }
  const checkpoints = await listCheckpoints(tx, progress.system_id)
  const at = settle(progress, checkpoints)
  // Checkpoints, even the current one, may have been removed since the visit began.
  const isNext = at.plan[at.pos] === attempt.step_id
  await updateAdAttempt(tx, attempt.seq, { state: isNext ? 'passed' : 'over' })
  if (!isNext) return
  const passed = { plan: JSON.stringify(at.plan), pos: at.pos + 1, verified: progress.verified + 1 }
  await moveOn(deps, tx, { id: progress.id, ...passed }, { ...passing, attempt, checkpoints })
}

async function moveOn(
  deps: Deps,
  tx: Queries,
  passed: Pick<AdProgressRow, 'id' | 'plan' | 'pos' | 'verified'>,
  { attempt, checkpoint, checkpoints }: Passing & { readonly checkpoints: readonly AdCheckpointRow[] },
): Promise<void> {
  const now = deps.now()
  await countPass(tx, checkpoint.id, { now, ms: now - attempt.started_at })
  const { id, plan: text, verified } = passed
  const { pos, plan } = settle(passed, checkpoints)
  const end = pos >= plan.length ? { state: 'ready' as const, expires_at: now + READY_MS } : {}
  await updateAdProgress(tx, id, { plan: text, pos, verified, notice: null, ...end })
}
