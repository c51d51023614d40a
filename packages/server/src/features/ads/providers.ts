/**
 * How an account's checkpoints use ad providers: the available settings forms, the accepted links and
 * settings, and how settings are stored. The providers themselves are in `platform/ad-providers/`.
 */

import { Refused, refuse, refuseMember } from '../../api/refusals.ts'
import type { Config } from '../../config/config.ts'
import type { Deps } from '../../deps.ts'
import { complainOfLink } from '../../platform/ad-providers/links.ts'
import { adProviders } from '../../platform/ad-providers/list.ts'
import { adNetworks } from '../../platform/ad-providers/networks.ts'
import type { AdProvider, ProviderData, ProviderId, Setting } from '../../platform/ad-providers/provider.ts'
import { type Failure, readProviderData } from '../../platform/ad-providers/provider-data.ts'
import type { AdCheckpointRow } from './store/ad-checkpoints.ts'

type SettingView = Setting & { readonly secret: boolean }

/** The settings form of each provider, with the operator's label. */
export function describeAdProviders({ adProviders: operated }: Config) {
  const described = Object.values(adProviders).map(({ id, about, settings, secrets }) => {
    const { label, url } = operated[id]
    const info = url === undefined ? `${about} This network is disabled on this server.` : about
    const all = [{ id: 'about', name: label, type: 'info', info, required: false } as const, ...settings]
    return [id, all.map((setting) => ({ ...setting, secret: secrets.includes(setting.id) }))]
  })
  return Object.fromEntries(described) as Record<ProviderId, SettingView[]>
}

/** The ad networks behind the providers, so that authors can choose a network by name. */
export function describeAdNetworks({ adProviders: operated }: Config) {
  const described = Object.values(adProviders).map(({ id, createLink }) => {
    const { label: name, url, hosts } = operated[id]
    const preset = url === undefined || url === adNetworks[id].url
    return [
      id,
      {
        name,
        available: url !== undefined,
        preset,
        creates_links: createLink !== undefined,
        hosts: [...hosts],
      },
    ]
  })
  return Object.fromEntries(described) as Record<ProviderId, AdNetworkView>
}

type AdNetworkView = {
  readonly name: string
  readonly available: boolean
  readonly preset: boolean
  readonly creates_links: boolean
  readonly hosts: string[]
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

/** Returns the settings to store. Masked secrets keep their value from `stored`. */
export function readSettings(
  provider: ProviderId,
  settings: unknown,
  stored?: ProviderData,
): ProviderData | Refused<'invalid_provider_data'> {
  const read = readProviderData(adProviders[provider], settings, stored)
  return 'failed' in read ? refuse('invalid_provider_data', { failed: read.failed }) : read.data
}

/** Reports errors in the link and in the settings together, so that an author can fix them all in one go. */
export function readLinkAndSettings(
  config: Config,
  { provider, url, settings, stored }: LinkAndSettings,
): ProviderData | Refused<'invalid_provider_data' | 'invalid_request'> {
  const link = url === undefined ? undefined : refuseLink(config, provider, url)
  const data = readSettings(provider, settings, stored)
  if (link === undefined || !(data instanceof Refused)) return link ?? data
  const failed = [link, data].flatMap(({ members }) => members.failed as Failure[])
  return refuse('invalid_provider_data', { failed })
}

type LinkAndSettings = {
  readonly provider: ProviderId
  /** Undefined if the link was accepted before and hasn't changed. */
  readonly url: string | undefined
  readonly settings: unknown
  readonly stored?: ProviderData
}

/**
 * Encrypts settings and binds them to their checkpoint, so that nobody can swap them between database rows.
 */
export function sealProviderData({ secrets }: Deps, checkpointId: string, data: ProviderData) {
  return secrets.seal('providerData', checkpointId, JSON.stringify(data))
}

export function openProviderData({ secrets }: Deps, row: AdCheckpointRow): ProviderData {
  return JSON.parse(secrets.openText('providerData', row.id, row.provider_data))
}
