/** The labels of a key that are sent to scripts and to software that checks keys. Pure. */
import type { UserRow } from '../keys/store/users.ts'

/** Members that are missing where there is nothing to tell. */
export type SentLabels = { readonly tags?: readonly string[]; readonly metadata?: unknown }

/** All tags, and of the metadata its member `public` alone. */
export function sentLabels({ tags, metadata }: Pick<UserRow, 'tags' | 'metadata'>): SentLabels {
  const published = publishedOf(metadata)
  return {
    ...(tags === null ? {} : { tags: JSON.parse(tags) as string[] }),
    ...(published === null ? {} : { metadata: published }),
  }
}

function publishedOf(text: string | null): unknown {
  // Most metadata has no such member, and is not parsed for each beat.
  if (!text?.includes('"public"')) return null
  return (JSON.parse(text) as { readonly public?: unknown }).public ?? null
}
