/**
 * A single step: sends the visitor to the provider and handles the return. Only the next checkpoint can be
 * completed, and only with the visit that was opened for it. `postbacks.ts` handles the provider's own
 * requests.
 */

import type { Queries } from '../../../database/engine/db.ts'
import type { Deps } from '../../../deps.ts'
import { complainOfLink } from '../../../platform/ad-providers/links.ts'
import type { AdProvider, Visit } from '../../../platform/ad-providers/provider.ts'
import { ProviderDown } from '../../../platform/ad-providers/provider-down.ts'
import { adsBase } from '../addresses.ts'
import { countRefusal, countStart } from '../counts.ts'
import { reportMisconfigured } from '../misconfigured.ts'
import type { Notice, Refusal } from '../notices.ts'
import { openProviderData, providerOf } from '../providers.ts'
import { findLatestAdAttempt, insertAdAttempt } from '../store/ad-attempts.ts'
import type { AdCheckpointRow } from '../store/ad-checkpoints.ts'
import { lockAdProgress, updateAdProgress } from '../store/ad-progress.ts'
import { newClickId, stateOf } from '../tokens.ts'
import { blockNow } from './blocks.ts'
import { currentCheckpoint, isOut, phaseOf, type Situation, settle } from './progress.ts'

/** The URL to redirect the visitor to, or the reason why there is none, or `moved` if no step remains. */
export type Departure = { readonly location: string } | { readonly notice: Notice } | 'moved'

export async function depart(deps: Deps, situation: Situation, wantsFallback: boolean): Promise<Departure> {
  const step = currentCheckpoint(situation)
  const { visitor, progress, now } = situation
  if (phaseOf(situation) !== 'walking' || !visitor || !progress || !step) return 'moved'
  const blocked = blockNow(deps, visitor)
  if (blocked) return { notice: blocked }
  const checkpoint = (wantsFallback && fallbackOf(deps, situation, step)) || step
  const clickId = reusable(situation, step, checkpoint) ?? newClickId(deps)
  const location = await askForLocation(deps, checkpoint, clickId, now)
  if (!location.startsWith('http'))
    return { notice: await refuseStep(deps, situation, checkpoint, location as Refusal) }
  const isGone = await deps.db.transaction((tx) => record(tx, situation, { step, checkpoint, clickId }))
  return isGone ? 'moved' : { location }
}

/** The checkpoint that may replace a step while the step's provider is down. */
export function fallbackOf(
  { providers }: Pick<Deps, 'providers'>,
  { checkpoints }: Pick<Situation, 'checkpoints'>,
  step: AdCheckpointRow,
): AdCheckpointRow | undefined {
  const other = checkpoints.find(({ id }) => id === step.fallback_checkpoint_id && id !== step.id)
  if (other === undefined || !providers.isDown(providerOf(step).id)) return undefined
  return providers.isDown(providerOf(other).id) ? undefined : other
}

/** Data about the visit for the provider. */
export function visitOf(
  deps: Deps,
  checkpoint: AdCheckpointRow,
  { clickId, startedAt }: { readonly clickId: string; readonly startedAt: number },
): Visit {
  return {
    link: checkpoint.url,
    data: openProviderData(deps, checkpoint),
    callback: `${adsBase(deps.config)}/verify/${checkpoint.callback_id}`,
    state: stateOf(deps, clickId),
    clickId,
    startedAt,
    now: deps.now(),
  }
}

/** The click ID to reuse, so that a second click on the same page continues the same visit. */
function reusable(
  { attempt, now }: Situation,
  step: AdCheckpointRow,
  checkpoint: AdCheckpointRow,
): string | undefined {
  const isSame = attempt?.step_id === step.id && attempt.checkpoint_id === checkpoint.id
  return attempt && isSame && isOut(attempt, now) ? attempt.click_id : undefined
}

/**
 * Returns a URL on the provider's site, or the reason why there is none. Checks the host again, because the
 * operator may have changed the allowed hosts.
 */
async function askForLocation(
  deps: Deps,
  checkpoint: AdCheckpointRow,
  clickId: string,
  now: number,
): Promise<string> {
  const provider: AdProvider = providerOf(checkpoint)
  const operated = deps.config.adProviders[provider.id]
  if (complainOfLink(operated, checkpoint.url) !== undefined) return misconfigured(deps, checkpoint)
  try {
    const visit = visitOf(deps, checkpoint, { clickId, startedAt: now })
    const leaving = await deps.providers.leave(provider.id, visit)
    if ('failed' in leaving) return misconfigured(deps, checkpoint)
    return complainOfLink(operated, leaving.location) === undefined ? leaving.location : 'provider_down'
  } catch (error) {
    if (error instanceof ProviderDown) return 'provider_down'
    throw error
  }
}

async function misconfigured(deps: Deps, checkpoint: AdCheckpointRow): Promise<Refusal> {
  await reportMisconfigured(deps, checkpoint)
  return 'provider_down'
}

async function refuseStep(
  deps: Deps,
  { progress }: Situation,
  checkpoint: AdCheckpointRow,
  reason: Refusal,
): Promise<Notice> {
  await deps.db.transaction(async (tx) => {
    if (progress) await updateAdProgress(tx, progress.id, { notice: reason })
    await countRefusal(tx, checkpoint.id, reason, deps.now())
  })
  return { reason }
}

type Outgoing = {
  readonly step: AdCheckpointRow
  readonly checkpoint: AdCheckpointRow
  readonly clickId: string
}

/** Returns whether this step is no longer the visitor's next one. */
async function record(tx: Queries, situation: Situation, out: Outgoing): Promise<boolean> {
  const progress = situation.progress && (await lockAdProgress(tx, situation.progress.id))
  if (progress?.state !== 'walking') return true
  const { plan, pos, isRestarted } = settle(progress, situation.checkpoints)
  if (plan[pos] !== out.step.id) return true
  const changes = isRestarted ? { plan: JSON.stringify(plan), pos, notice: null } : { pos, notice: null }
  await updateAdProgress(tx, progress.id, changes)
  const latest = await findLatestAdAttempt(tx, progress.id)
  if (latest?.click_id === out.clickId) return false
  await insertAdAttempt(tx, {
    progress_id: progress.id,
    step_id: out.step.id,
    checkpoint_id: out.checkpoint.id,
    click_id: out.clickId,
    state: 'out',
    address: situation.presence.address,
    started_at: situation.now,
  })
  await countStart(tx, out.checkpoint.id, situation.now)
  return false
}
