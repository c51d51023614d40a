/** Converts between the step form and the API. */
import { text } from '../../messages/text.ts'
import type { Checkpoint, ProviderId, Setting } from './queries.ts'

const t = text.ads
const MAX_NAME_LENGTH = 100
/** Toggles that are on by default. */
const ON: ReadonlySet<string> = new Set(['require_postback', 'override', 'delete_token'])

export type Draft = {
  name: string
  url: string
  provider: ProviderId
  fallback: string
  texts: Record<string, string>
  toggles: Record<string, boolean>
}

/** Field names include the provider, so that switching providers keeps what was typed. */
export const fieldOf = (provider: ProviderId, setting: string) => `${provider}-${setting}`

export function draftOf(checkpoint: Checkpoint | undefined): Draft {
  const provider = checkpoint?.provider ?? 'provider_a'
  const stored = Object.entries(checkpoint?.provider_data ?? {})
  const ofType = (type: string) =>
    stored
      .filter(([, value]) => typeof value === type)
      .map(([name, value]) => [fieldOf(provider, name), value])
  return {
    name: checkpoint?.name ?? '',
    url: checkpoint?.url ?? '',
    provider,
    fallback: checkpoint?.fallback_checkpoint_id ?? '',
    texts: Object.fromEntries(ofType('string')),
    toggles: Object.fromEntries(ofType('boolean')),
  }
}

export const isOnUnlessSet = (setting: string) => ON.has(setting)

/** Empty strings mean the default; a masked secret is sent back unchanged and keeps its value. */
export function membersIn(draft: Draft, settings: readonly Setting[]) {
  const { name, url, provider, fallback, texts, toggles } = draft
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
    provider_data: Object.fromEntries(data),
  }
}

export function validate(draft: Draft, settings: readonly Setting[]): Record<string, string | undefined> {
  const { name, url, provider_data } = membersIn(draft, settings)
  const isName = name !== '' && [...name].length <= MAX_NAME_LENGTH
  const missing = settings
    .filter(({ id, required, type }) => required && type === 'text' && provider_data[id] === null)
    .map(({ id }) => [`provider_data.${id}`, t.isRequired])
  return {
    name: isName ? undefined : t.nameMissing,
    url: url === '' ? t.linkMissing : undefined,
    ...Object.fromEntries(missing),
  }
}
