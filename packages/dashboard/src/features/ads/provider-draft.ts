/** Converts between the step form and the API. */
import { adsText as t } from '../../messages/en/ads.ts'
import { hundredthsIn, money } from './money.ts'
import { type Checkpoint, PROVIDER_IDS, type ProviderId, type Setting } from './queries.ts'

const MAX_NAME_LENGTH = 100
/** Toggles that are on by default. */
const ON: ReadonlySet<string> = new Set(['require_postback', 'override', 'delete_token'])

export type Draft = {
  name: string
  url: string
  provider: ProviderId
  fallback: string
  /** Revenue from a thousand visits. */
  thousand: string
  /** Only for links created through the network's API. */
  adTier: string
  tasks: string
  texts: Record<string, string>
  toggles: Record<string, boolean>
}

/** Field names include the provider, so that switching providers keeps what was typed. */
export const fieldOf = (provider: ProviderId, setting: string) => `${provider}-${setting}`

export function draftOf(checkpoint: Checkpoint | undefined): Draft {
  const stored = Object.entries(checkpoint?.provider_data ?? {})
  const ofType = (type: string) =>
    stored
      .filter(([, value]) => typeof value === type)
      .map(([name, value]) => [fieldOf(checkpoint?.provider ?? 'provider_a', name), value])
  return {
    name: checkpoint?.name ?? '',
    url: checkpoint?.url ?? '',
    // Empty until a network is chosen; until then, the form shows nothing else.
    provider: checkpoint?.provider as ProviderId,
    fallback: checkpoint?.fallback_checkpoint_id ?? '',
    thousand: checkpoint?.value_per_thousand ? money(checkpoint.value_per_thousand).replaceAll(',', '') : '',
    ...{ adTier: '2', tasks: '3' },
    texts: Object.fromEntries(ofType('string')),
    toggles: Object.fromEntries(ofType('boolean')),
  }
}

export const isOnUnlessSet = (setting: string) => ON.has(setting)

/** Empty strings mean the default; a masked secret is sent back unchanged and keeps its value. */
export function membersIn(draft: Draft, settings: readonly Setting[]) {
  const { name, url, provider, fallback, thousand, texts, toggles } = draft
  const data = settings
    .filter(({ type }) => type !== 'info')
    .map(({ id, type }) => {
      const field = fieldOf(provider, id)
      const value = type === 'toggle' ? (toggles[field] ?? isOnUnlessSet(id)) : (texts[field] ?? '').trim()
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

/** The server refuses required postbacks that are neither signed nor knowingly unsigned. */
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
