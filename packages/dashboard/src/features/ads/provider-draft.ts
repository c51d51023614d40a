/** What the form of a step holds, and how that becomes what the service takes. */
import { text } from '../../messages/text.ts'
import type { Checkpoint, ProviderId, Setting } from './queries.ts'

const t = text.ads
const MAX_NAME_LENGTH = 100
/** Defaults of the service for toggles that are on unless somebody turns them off. */
const ON: ReadonlySet<string> = new Set(['require_postback', 'override', 'delete_token'])

export type Draft = {
  name: string
  url: string
  provider: ProviderId
  fallback: string
  texts: Record<string, string>
  toggles: Record<string, boolean>
}

/** Settings by the name of their provider, so that another choice of the provider loses nothing that was typed. */
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

/** A text that is empty has its default; a secret that was not touched is sent as it is shown, and stays. */
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
