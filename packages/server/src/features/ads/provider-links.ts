/**
 * Creates the next checkpoint's link through the provider's API, so that the author doesn't have to create
 * one and paste it.
 */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { adProviders } from '../../platform/ad-providers/list.ts'
import type { LinkResult, ProviderId } from '../../platform/ad-providers/provider.ts'
import { ProviderDown } from '../../platform/ad-providers/provider-down.ts'
import type { AdSystemSubject } from '../projects/store/subjects.ts'
import { prepareAdCheckpoint } from './checkpoints.ts'
import { readSettings, refuseLink } from './providers.ts'

type Order = {
  readonly provider: ProviderId
  readonly provider_data: unknown
  readonly ad_tier?: number
  readonly tasks?: number
}

/** A higher tier shows visitors more ads, so the default is the middle one. */
const AD_TIER = 2
const TASKS = 3

/** Reserves the checkpoint's URLs first, because the link needs them as its destination. */
export async function createProviderLink(deps: Deps, subject: AdSystemSubject, order: Order) {
  const { provider, provider_data, ad_tier: adTier = AD_TIER, tasks = TASKS } = order
  if (adProviders[provider].createLink === undefined) return refuse('provider_has_no_links')
  const data = readSettings(provider, provider_data)
  if (data instanceof Refused) return data
  const prepared = await prepareAdCheckpoint(unaudited(deps), subject)
  if (prepared instanceof Refused) return prepared
  const { name: title } = subject.system
  const link = { title, destination: prepared.callback_url, data, adTier, tasks }
  const made = await unlessDown(() => deps.providers.createLink(provider, link))
  if (made === 'down') return refuse('provider_unavailable')
  if (made === undefined) return refuse('provider_has_no_links')
  if ('failed' in made) return refuse('provider_rejected')
  // A checkpoint would reject a link on another host.
  if (refuseLink(deps.config, provider, made.url)) return refuse('provider_unavailable')
  // The checkpoint is already prepared. This second call only records the link in the audit log.
  const recorded = await prepareAdCheckpoint(deps, subject)
  return recorded instanceof Refused ? recorded : { ...recorded, url: made.url }
}

/** If the provider doesn't create a link, no audit entry may remain. */
function unaudited(deps: Deps): Deps {
  return { ...deps, db: deps.unauditedDb, annotateAudit: () => {} }
}

async function unlessDown(
  ask: () => Promise<LinkResult | undefined>,
): Promise<LinkResult | undefined | 'down'> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ProviderDown) return 'down'
    throw error
  }
}
