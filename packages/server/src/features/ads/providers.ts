/**
 * Ad providers from the perspective of an account's checkpoints: the available forms, the accepted links and
 * settings, and how settings are stored. The providers themselves are in `platform/ad-providers/`.
 */

import { type Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { complainOfLink } from '../../platform/ad-providers/links.ts'
import { adProviders } from '../../platform/ad-providers/list.ts'
import type { AdProvider, ProviderData, ProviderId, Setting } from '../../platform/ad-providers/provider.ts'
import { readProviderData } from '../../platform/ad-providers/provider-data.ts'
import type { AdCheckpointRow } from './store/ad-checkpoints.ts'

/** The form of every provider, under the name that the operator gave it. */
export function describeAdProviders({ adProviders: operated }: Config) {
  const described = Object.values(adProviders).map(({ id, about, settings }) => {
    const { label, url } = operated[id]
    const info = url === undefined ? `${about} This provider is disabled on this server.` : about
    return [id, [{ id: 'about', name: label, type: 'info', info, required: false } as const, ...settings]]
  })
  return Object.fromEntries(described) as Record<ProviderId, Setting[]>
}

export function providerOf(row: AdCheckpointRow): AdProvider {
  const provider = adProviders[row.provider as ProviderId]
  if (provider === undefined) throw new Error(`the checkpoint ${row.id} has an unknown provider`)
  return provider
}

export function refuseLink(
  config: Config,
  provider: ProviderId,
  url: string,
): Refused<'invalid_request'> | undefined {
  const complaint = complainOfLink(config.adProviders[provider], url)
  return complaint === undefined ? undefined : refuseMember('url', complaint)
}

/** Returns the settings to store. Secrets that were sent masked are taken from `stored`. */
export function readSettings(
  provider: ProviderId,
  settings: unknown,
  stored?: ProviderData,
): ProviderData | Refused<'invalid_provider_data'> {
  const read = readProviderData(adProviders[provider], settings, stored)
  return 'failed' in read ? refuse('invalid_provider_data', { failed: read.failed }) : read.data
}

/** Encrypts settings bound to their checkpoint, so that rows cannot be swapped in the database. */
export function sealProviderData({ secrets }: Deps, checkpointId: string, data: ProviderData) {
  return secrets.seal('providerData', checkpointId, JSON.stringify(data))
}

export function openProviderData({ secrets }: Deps, row: AdCheckpointRow): ProviderData {
  return JSON.parse(secrets.openText('providerData', row.id, row.provider_data))
}
