/** The branding settings' form state and unsaved changes. */
import type { V1BrandingEditData, V1BrandingGetResponse } from '@scriptward/sdk'

export type Branding = V1BrandingGetResponse['branding']
export type Changes = NonNullable<V1BrandingEditData['body']>

export type Draft = {
  name: string
  accent: string
  /** Null keeps the saved logo, and an empty string removes it. Any other value is the new logo in base64. */
  logo: string | null
  links: { title: string; url: string }[]
  all_scripts: boolean
  scripts: string[]
}

export function draftOf({ name, accent, links, all_scripts, scripts }: Branding): Draft {
  return { name: name ?? '', accent: accent ?? '', logo: null, links, all_scripts, scripts }
}

export function changesIn(draft: Draft, saved: Branding): Changes {
  const before = draftOf(saved)
  const now = { ...draft, name: draft.name.trim(), accent: draft.accent.trim(), links: linksIn(draft) }
  const changed = (name: keyof Draft) => JSON.stringify(now[name]) !== JSON.stringify(before[name])
  return Object.fromEntries(Object.entries(now).filter(([name]) => changed(name as keyof Draft)))
}

/** Ignores empty rows. */
function linksIn({ links }: Draft): Draft['links'] {
  return links
    .map(({ title, url }) => ({ title: title.trim(), url: url.trim() }))
    .filter(({ title, url }) => title !== '' || url !== '')
}
