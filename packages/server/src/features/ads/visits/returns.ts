/**
 * Handles a visitor's return from a provider. The return must come from the same browser, for the next step,
 * with the current visit and an unused token. Only then is the provider queried. A failed return leaves the
 * progress unchanged.
 */

import type { Deps } from '../../../deps.ts'
import type { Verdict } from '../../../platform/ad-providers/provider.ts'
import { ProviderDown } from '../../../platform/ad-providers/provider-down.ts'
import { countRefusal } from '../counts.ts'
import { reportMisconfigured } from '../misconfigured.ts'
import type { Refusal } from '../notices.ts'
import { openProviderData, providerOf } from '../providers.ts'
import { type AdAttemptRow, findLatestAdAttempt, updateAdAttempt } from '../store/ad-attempts.ts'
import { type AdCheckpointRow, findAdCheckpointByCallback } from '../store/ad-checkpoints.ts'
import { lockAdProgress, updateAdProgress } from '../store/ad-progress.ts'
import { findVisitedAdSystem, type VisitedAdSystem } from '../store/ad-systems.ts'
import { deleteAdUsedToken, insertAdUsedToken } from '../store/ad-used-tokens.ts'
import { lockAdVisitor } from '../store/ad-visitors.ts'
import { isSameText, stateOf, usedToken } from '../tokens.ts'
import { blockNow, countFailure } from './blocks.ts'
import { passStep } from './complete-step.ts'
import { ATTEMPT_MS, currentCheckpoint, phaseOf, readSituation, type Situation } from './progress.ts'
import { visitOf } from './steps.ts'
import { fitsAddress, type Presence } from './visitors.ts'

type Query = Readonly<Record<string, string>>

/** `back` redirects to the system's page, which shows the result. */
export type Return = { readonly back: VisitedAdSystem } | 'not_found' | 'no_cookie' | 'other_browser'

export async function comeBack(
  deps: Deps,
  callbackId: string,
  presence: Presence,
  query: Query,
): Promise<Return> {
  const checkpoint = await findAdCheckpointByCallback(deps.db.readPoint, callbackId)
  const system = checkpoint && (await findVisitedAdSystem(deps.db.readPoint, checkpoint.system_id))
  if (!checkpoint || !system) return 'not_found'
  if (presence.cookie === undefined) return 'no_cookie'
  const situation = await readSituation(deps, system, presence)
  if (situation.isElsewhere) return 'other_browser'
  if (situation.visitor === undefined) return 'no_cookie'
  const { attempt } = situation
  const isTwice =
    attempt?.checkpoint_id === checkpoint.id && (attempt.state === 'passed' || attempt.state === 'checking')
  if (phaseOf(situation) === 'walking' && !isTwice) await check(deps, situation, checkpoint, query)
  return { back: system }
}

async function check(
  deps: Deps,
  situation: Situation,
  checkpoint: AdCheckpointRow,
  query: Query,
): Promise<void> {
  const { attempt, visitor, now } = situation
  if (visitor && blockNow(deps, visitor)) return
  const early = refuseEarly(deps, situation, checkpoint, query)
  if (early) return refuse(deps, situation, checkpoint, early)
  if (!attempt) return
  const provider = providerOf(checkpoint)
  const token = provider.tokenIn(query, openProviderData(deps, checkpoint))
  if (token === undefined) return refuse(deps, situation, checkpoint, 'not_verified')
  const used = token === null ? undefined : usedToken(provider.id, token)
  const claimed = await deps.db.transaction((tx) => claim(tx, attempt, used, now))
  if (claimed === 'taken') return
  if (claimed === 'used') return refuse(deps, situation, checkpoint, 'not_verified')
  await ask(deps, situation, checkpoint, { attempt, token: token ?? '', used })
}

/** Checks that need no request to the provider, cheapest first. */
function refuseEarly(
  deps: Deps,
  situation: Situation,
  checkpoint: AdCheckpointRow,
  query: Query,
): Refusal | undefined {
  const { attempt, now } = situation
  const step = currentCheckpoint(situation)
  if (!attempt || attempt.step_id !== step?.id || attempt.checkpoint_id !== checkpoint.id) return 'wrong_step'
  if (attempt.state === 'stale') return 'step_changed'
  if (attempt.state !== 'out') return 'wrong_step'
  const provider = providerOf(checkpoint)
  if (provider.hasState(openProviderData(deps, checkpoint))) {
    if (!isSameText(query.s ?? '', stateOf(deps, attempt.click_id))) return 'wrong_step'
  }
  if (now - attempt.started_at >= ATTEMPT_MS) return 'attempt_expired'
  return now - attempt.started_at < provider.minimumMs ? 'too_fast' : undefined
}

/**
 * Claims the visit and the token before the provider is queried, so that only one of several concurrent
 * returns continues.
 */
async function claim(
  tx: Parameters<typeof updateAdAttempt>[0],
  attempt: AdAttemptRow,
  used: string | undefined,
  now: number,
): Promise<'claimed' | 'taken' | 'used'> {
  await lockAdProgress(tx, attempt.progress_id)
  const latest = await findLatestAdAttempt(tx, attempt.progress_id)
  if (latest?.seq !== attempt.seq || latest.state !== 'out') return 'taken'
  if (used !== undefined && !(await insertAdUsedToken(tx, { hash: used, used_at: now }))) return 'used'
  await updateAdAttempt(tx, attempt.seq, { state: 'checking' })
  return 'claimed'
}

type ClaimedVisit = {
  readonly attempt: AdAttemptRow
  readonly token: string
  readonly used: string | undefined
}

async function ask(
  deps: Deps,
  situation: Situation,
  checkpoint: AdCheckpointRow,
  claimed: ClaimedVisit,
): Promise<void> {
  const { attempt, token } = claimed
  const visit = visitOf(deps, checkpoint, { clickId: attempt.click_id, startedAt: attempt.started_at })
  try {
    const verdict = await deps.providers.confirm(providerOf(checkpoint).id, visit, token)
    const refused = refuseVerdict(verdict, visit.data.check_ip, situation)
    if (verdict.verdict === 'misconfigured') await reportMisconfigured(deps, checkpoint)
    if (verdict.verdict === 'misconfigured') return await giveBack(deps, situation, checkpoint, claimed)
    if (refused) return await refuse(deps, situation, checkpoint, refused)
    await deps.db.transaction((tx) => passStep(deps, tx, { attempt, checkpoint, by: 'visitor' }))
  } catch (error) {
    if (!(error instanceof ProviderDown)) throw error
    await giveBack(deps, situation, checkpoint, claimed)
  }
}

function refuseVerdict(
  verdict: Verdict,
  mode: unknown,
  { attempt, presence }: Situation,
): Refusal | undefined {
  if (verdict.verdict !== 'passed') return 'not_verified'
  const { address } = verdict
  const isHis =
    fitsAddress(mode, address, presence.address) || fitsAddress(mode, address, attempt?.address ?? '')
  return isHis ? undefined : 'other_address'
}

/**
 * Releases the visit and the token if the provider could not be reached. The visitor can then reload the page
 * to retry.
 */
async function giveBack(
  deps: Deps,
  { progress }: Situation,
  checkpoint: AdCheckpointRow,
  { attempt, used }: ClaimedVisit,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!progress || !(await lockAdProgress(tx, progress.id))) return
    const latest = await findLatestAdAttempt(tx, progress.id)
    if (latest?.seq === attempt.seq && latest.state === 'checking')
      await updateAdAttempt(tx, attempt.seq, { state: 'out' })
    if (used !== undefined) await deleteAdUsedToken(tx, used)
    await updateAdProgress(tx, progress.id, { notice: 'provider_down' })
    await countRefusal(tx, checkpoint.id, 'provider_down', deps.now())
  })
}

/** Errors that keep the visit open, because the return belonged to another step. */
const HARMLESS: ReadonlySet<Refusal> = new Set<Refusal>(['wrong_step'])
/** Errors that are not the visitor's fault. */
const BLAMELESS: ReadonlySet<Refusal> = new Set<Refusal>(['attempt_expired', 'step_changed'])

async function refuse(
  deps: Deps,
  { progress, visitor, attempt }: Situation,
  checkpoint: AdCheckpointRow,
  reason: Refusal,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (!progress || !visitor || !(await lockAdProgress(tx, progress.id))) return
    await updateAdProgress(tx, progress.id, { notice: reason })
    if (attempt && !HARMLESS.has(reason)) await updateAdAttempt(tx, attempt.seq, { state: 'over' })
    await countRefusal(tx, checkpoint.id, reason, deps.now())
    const row = BLAMELESS.has(reason) ? undefined : await lockAdVisitor(tx, visitor.id_hash)
    if (row) await countFailure(deps, tx, row, reason === 'too_fast')
  })
}
