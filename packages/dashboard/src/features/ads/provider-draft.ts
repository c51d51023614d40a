/** Converts between the step form and the API. */
import { adsText as t } from '../../messages/en/ads.ts'
import { hundredthsIn, money } from './money.ts'
import { type Checkpoint, PROVIDER_IDS, type ProviderId, type Providers, type Setting } from './queries.ts'

const MAX_NAME_LENGTH = 100
export const CHECK_IP = 'check_ip'
/** Toggles that are on by default. */
const ON: ReadonlySet<string> = new Set(['require_postback', 'override', 'delete_token'])

export type Draft = {
  name: string
  url: string
  provider: ProviderId
  fallback: string
  /** Revenue per thousand visits. */
  thousand: string
  /** Applies only to links created through the network's API. */
  adTier: string
  tasks: string
  texts: Record<string, string>
  /** Values that must not be stored in the browser. */
  secrets: Record<string, string>
  toggles: Record<string, boolean>
}

/** Field names include the provider, so that switching providers keeps the input. */
export const fieldOf = (provider: ProviderId, setting: string) => `${provider}-${setting}`

/** Returns a value for every setting of every network, so that only user input differs from this draft. */
export function draftOf(checkpoint: Checkpoint | undefined, providers: Providers): Draft {
  const draft: Draft = {
    name: checkpoint?.name ?? '',
    url: checkpoint?.url ?? '',
    // Empty until a network is chosen. Until then, the form shows only the choice of networks.
    provider: checkpoint?.provider as ProviderId,
    fallback: checkpoint?.fallback_checkpoint_id ?? '',
    thousand: checkpoint?.value_per_thousand ? money(checkpoint.value_per_thousand).replaceAll(',', '') : '',
    ...{ adTier: '2', tasks: '3' },
    ...{ texts: {}, secrets: {}, toggles: {} },
  }
  for (const provider of PROVIDER_IDS) {
    const stored = checkpoint?.provider === provider ? checkpoint.provider_data : {}
    for (const setting of providers[provider]) putSetting(draft, provider, setting, stored[setting.id])
  }
  return draft
}

function putSetting(
  draft: Draft,
  provider: ProviderId,
  { id, type, secret }: Setting,
  stored: unknown,
): void {
  const field = fieldOf(provider, id)
  if (type === 'toggle') draft.toggles[field] = typeof stored === 'boolean' ? stored : ON.has(id)
  else if (type === 'text')
    draft[secret ? 'secrets' : 'texts'][field] =
      typeof stored === 'string' ? stored : id === CHECK_IP ? 'prefix' : ''
}

/** Empty strings mean the default; a masked secret is sent back unchanged and keeps its value. */
export function membersIn(draft: Draft, settings: readonly Setting[]) {
  const { name, url, provider, fallback, thousand, texts, secrets, toggles } = draft
  const data = settings
    .filter(({ type }) => type !== 'info')
    .map(({ id, type, secret }) => {
      const field = fieldOf(provider, id)
      const typed = (secret ? secrets : texts)[field] ?? ''
      const value = type === 'toggle' ? (toggles[field] ?? false) : typed.trim()
      return [id, value === '' ? null : value] as const
    })
  return {
    name: name.trim(),
    url: url.trim(),
    provider,
    fallback_checkpoint_id: fallback,
    value_per_thousand: hundredthsIn(thousand) ?? 0,
    provider_data: Object.fromEntries(data),
  }
}

/** Returns an error for every required setting that is empty, and for a missing postback secret. */
export function missingSettings(draft: Draft, settings: readonly Setting[]): Record<string, string> {
  const { provider_data } = membersIn(draft, settings)
  const missing = settings
    .filter(({ id, required, type }) => required && type === 'text' && provider_data[id] === null)
    .map(({ id }) => [`provider_data.${id}`, t.isRequired])
  return { ...Object.fromEntries(missing), ...missingSecret(provider_data) }
}

/**
 * The server rejects the `require_postback` setting without a secret, unless unsigned postbacks are allowed
 * explicitly.
 */
function missingSecret(data: Record<string, string | boolean | null>): Record<string, string> {
  const isSafe = data.require_postback !== true || data.unsigned_postbacks === true
  return isSafe || data.postback_secret !== null ? {} : { 'provider_data.postback_secret': t.secretMissing }
}

export function validate(draft: Draft, settings: readonly Setting[]): Record<string, string | undefined> {
  if (!PROVIDER_IDS.includes(draft.provider)) return { provider: t.networkMissing }
  const { name, url } = membersIn(draft, settings)
  const isName = name !== '' && [...name].length <= MAX_NAME_LENGTH
  return {
    name: isName ? undefined : t.nameMissing,
    url: url === '' ? t.linkMissing : undefined,
    value_per_thousand: hundredthsIn(draft.thousand) === undefined ? t.thousandWrong : undefined,
    ...missingSettings(draft, settings),
  }
}
