/**
 * Tests an ad system with a simulated visitor. For each checkpoint, the visitor must be sent to the provider,
 * the provider must accept the author's settings, and a visitor who skips the ads must be rejected. Nothing
 * is counted or stored. Only a human can view an ad, so authors should also complete the steps themselves.
 */
import type { Deps } from '../../deps.ts'
import { complainOfLink } from '../../platform/ad-providers/links.ts'
import type { ProviderData } from '../../platform/ad-providers/provider.ts'
import { ProviderDown } from '../../platform/ad-providers/provider-down.ts'
import type { AdSystemSubject } from '../projects/store/subjects.ts'
import { providerOf } from './providers.ts'
import type { AdCheckpointRow } from './store/ad-checkpoints.ts'
import { findVisitedAdSystem, type VisitedAdSystem } from './store/ad-systems.ts'
import { newClickId } from './tokens.ts'
import { findProspect } from './visits/earnings.ts'
import { isServed, listCheckpoints } from './visits/progress.ts'
import { visitOf } from './visits/steps.ts'

export const CHECKS = ['link', 'departure', 'bypass'] as const
export const RESULTS = ['passed', 'warning', 'failed', 'skipped'] as const
export const REASONS = [
  ...['provider_disabled', 'link_not_allowed', 'provider_down', 'settings_rejected'],
  ...['accepts_forged_tokens', 'no_postback', 'unsigned_postbacks', 'shared_destination', 'tokens_kept'],
  ...['no_steps', 'account_expired', 'account_full'],
] as const

type Result = (typeof RESULTS)[number]
type Check = {
  readonly check: (typeof CHECKS)[number]
  readonly result: Result
  readonly reason: string | null
}
type Outcome = Pick<Check, 'result' | 'reason'>

/** Maximum number of tested checkpoints, more than any visitor would complete. */
const MAX_TESTED = 20
const FORGED_BYTES = 32

const PASSED: Outcome = { result: 'passed', reason: null }
const SKIPPED: Outcome = { result: 'skipped', reason: null }
const failed = (reason: string): Outcome => ({ result: 'failed', reason })
const warning = (reason: string): Outcome => ({ result: 'warning', reason })

export async function testAdSystem(deps: Deps, { system }: AdSystemSubject) {
  const checkpoints = (await listCheckpoints(deps.db.read, system.id)).slice(0, MAX_TESTED)
  const steps = await Promise.all(checkpoints.map((one) => testCheckpoint(deps, one)))
  const key = await testKey(deps, await findVisitedAdSystem(deps.db.read, system.id), checkpoints.length)
  const outcomes = [...steps.flatMap(({ checks }) => checks), key]
  return { passed: outcomes.every(({ result }) => result !== 'failed'), steps, key }
}

async function testCheckpoint(deps: Deps, checkpoint: AdCheckpointRow) {
  const { id: checkpoint_id, name } = checkpoint
  const provider = providerOf(checkpoint).id
  const link = testLink(deps, checkpoint)
  const departure = link.result === 'failed' ? SKIPPED : await testDeparture(deps, checkpoint)
  const bypass = link.result === 'failed' ? SKIPPED : await testBypass(deps, checkpoint)
  const checks: Check[] = [
    { check: 'link', ...link },
    { check: 'departure', ...departure },
    { check: 'bypass', ...bypass },
  ]
  return { checkpoint_id, name, provider, checks }
}

function testLink({ config }: Deps, checkpoint: AdCheckpointRow): Outcome {
  const operated = config.adProviders[providerOf(checkpoint).id]
  if (operated.url === undefined) return failed('provider_disabled')
  return complainOfLink(operated, checkpoint.url) === undefined ? PASSED : failed('link_not_allowed')
}

/** Gets the URL that a visitor would be sent to. */
function testDeparture(deps: Deps, checkpoint: AdCheckpointRow): Promise<Outcome> {
  return unlessDown(async () => {
    const { id } = providerOf(checkpoint)
    const leaving = await deps.providers.leave(id, simulatedVisit(deps, checkpoint), 'author')
    if ('failed' in leaving) return failed('settings_rejected')
    const isAllowed = complainOfLink(deps.config.adProviders[id], leaving.location) === undefined
    return isAllowed ? PASSED : failed('link_not_allowed')
  })
}

/** Returns from the provider with a forged token, as a visitor who skipped the ads would. */
async function testBypass(deps: Deps, checkpoint: AdCheckpointRow): Promise<Outcome> {
  const provider = providerOf(checkpoint)
  const visit = simulatedVisit(deps, checkpoint)
  if (provider.forgeToken === undefined) return weaknessOf(visit.data)
  const token = provider.forgeToken(deps.random(FORGED_BYTES))
  return unlessDown(async () => {
    const { verdict } = await deps.providers.confirm(provider.id, visit, token, 'author')
    if (verdict === 'passed') return failed('accepts_forged_tokens')
    return verdict === 'misconfigured' ? failed('settings_rejected') : weaknessOf(visit.data)
  })
}

/** Finds settings that let visitors skip the ads even if the provider works. */
function weaknessOf(data: ProviderData): Outcome {
  if (data.require_postback === false) return warning('no_postback')
  if (data.unsigned_postbacks === true && typeof data.postback_secret !== 'string')
    return warning('unsigned_postbacks')
  if (data.override === false) return warning('shared_destination')
  return data.delete_token === false ? warning('tokens_kept') : PASSED
}

async function testKey({ db, now }: Deps, system: VisitedAdSystem | null, steps: number): Promise<Outcome> {
  if (steps === 0) return failed('no_steps')
  if (system === null || !isServed(system, now())) return failed('account_expired')
  const prospect = await findProspect(db.read, system, { own: [], alike: [] }, now())
  return prospect.kind === 'refused' ? failed('account_full') : PASSED
}

function simulatedVisit(deps: Deps, checkpoint: AdCheckpointRow) {
  return visitOf(deps, checkpoint, { clickId: newClickId(deps), startedAt: deps.now() })
}

async function unlessDown(test: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await test()
  } catch (error) {
    if (error instanceof ProviderDown) return failed('provider_down')
    throw error
  }
}
