/** A key's labels that are sent to scripts and to software that checks keys. All functions are pure. */
import type { UserRow } from '../keys/store/users.ts'

/** Fields without a value are omitted. */
export type SentLabels = { readonly tags?: readonly string[]; readonly metadata?: unknown }

/** Returns all tags and only the `public` field of the metadata. */
export function sentLabels({ tags, metadata }: Pick<UserRow, 'tags' | 'metadata'>): SentLabels {
  const published = publishedOf(metadata)
  return {
    ...(tags === null ? {} : { tags: JSON.parse(tags) as string[] }),
    ...(published === null ? {} : { metadata: published }),
  }
}

function publishedOf(text: string | null): unknown {
  // Parses only metadata that may have a `public` field, because most metadata has none and this runs on each
  // heartbeat.
  if (!text?.includes('"public"')) return null
  return (JSON.parse(text) as { readonly public?: unknown }).public ?? null
}
