/**
 * Data that an author stores about a key: tags, metadata, and when, by whom and to whom the key was issued.
 * All functions are pure.
 */

import { Refused, refuseMember } from '../../api/refusals.ts'
import type { UserRow } from './store/users.ts'

export type Metadata = Readonly<Record<string, unknown>>
/** Empty strings, lists and objects, and a time of 0, clear the stored value. */
export type LabelsDraft = {
  readonly tags?: readonly string[]
  readonly metadata?: Metadata
  readonly private_note?: string
  readonly issued_to?: string
  readonly issued_by?: string
  readonly issued_at?: number
}
export type LabelColumns = Pick<
  UserRow,
  'tags' | 'metadata' | 'metadata_labels' | 'private_note' | 'issued_to' | 'issued_by' | 'issued_at'
>

export const MAX_TAGS = 32
/** Maximum length of a tag in characters. */
export const MAX_TAG_LENGTH = 40
export const MAX_ISSUED_LENGTH = 255
export const MAX_PRIVATE_NOTE_LENGTH = 2000
/** Maximum size as JSON, in bytes. */
export const MAX_METADATA_BYTES = 8192
/** Maximum number of top-level fields. */
export const MAX_METADATA_MEMBERS = 64
export const MAX_METADATA_LEVELS = 16
/** Maximum length in characters. Longer names and values cannot be used in filters. */
const MAX_NAME_LENGTH = 40
const MAX_VALUE_LENGTH = 255

export const NO_LABELS: LabelColumns = {
  tags: null,
  metadata: null,
  metadata_labels: null,
  private_note: null,
  issued_to: null,
  issued_by: null,
  issued_at: null,
}

/** The time and the issuer of a new key. */
export type Issuing = { readonly now: number; readonly by: string | null }
type Unfit = Refused<'invalid_request'>

/** A new key with `issued_to` or `issued_at` counts as issued. A key with only `issued_by` doesn't. */
export function newLabels(draft: LabelsDraft, { now, by }: Issuing): LabelColumns | Unfit {
  const edited = editedLabels(draft)
  if (edited instanceof Refused) return edited
  const columns = { ...NO_LABELS, ...edited }
  if (columns.issued_to === null && columns.issued_at === null) return columns
  return { ...columns, issued_at: columns.issued_at ?? now, issued_by: columns.issued_by ?? by }
}

/** Converts the fields in the request to columns. */
export function editedLabels(edit: LabelsDraft): Partial<LabelColumns> | Unfit {
  const { tags, metadata, private_note, issued_to, issued_by, issued_at } = edit
  const unfit = metadata && complainOfMetadata(metadata)
  if (unfit) return refuseMember('metadata', unfit)
  return {
    ...(tags === undefined ? {} : { tags: storedTags(tags) }),
    ...(metadata === undefined ? {} : storedMetadata(metadata)),
    ...(private_note === undefined ? {} : { private_note: private_note.trim() || null }),
    ...(issued_to === undefined ? {} : { issued_to: issued_to.trim() || null }),
    ...(issued_by === undefined ? {} : { issued_by: issued_by.trim() || null }),
    ...(issued_at === undefined ? {} : { issued_at: issued_at || null }),
  }
}

/** Trims and deduplicates tags, and keeps their order. */
export function tagsOf(given: readonly string[]): string[] {
  return [...new Set(given.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
}

export function storedTags(given: readonly string[]): string | null {
  const tags = tagsOf(given)
  return tags.length === 0 ? null : JSON.stringify(tags)
}

/** Returns what is wrong with unvalidated tags, or undefined if they can be stored. */
export function complainOfTags(given: unknown): string | undefined {
  if (!Array.isArray(given) || given.some((tag) => typeof tag !== 'string'))
    return 'must be an array of strings'
  const tags = tagsOf(given as string[])
  if (tags.length > MAX_TAGS) return `must be at most ${MAX_TAGS}`
  if (tags.some((tag) => [...tag].length > MAX_TAG_LENGTH))
    return `must have at most ${MAX_TAG_LENGTH} characters each`
  const isUnfit = tags.some((tag) => /\p{Cc}/u.test(tag) || !tag.isWellFormed())
  return isUnfit ? 'must not contain control characters or unpaired surrogates' : undefined
}

export function readTags(text: string | null): string[] {
  return text === null ? [] : (JSON.parse(text) as string[])
}

export function readMetadata(text: string | null): Record<string, unknown> {
  return text === null ? {} : (JSON.parse(text) as Record<string, unknown>)
}

export function storedMetadata(metadata: Metadata): Pick<LabelColumns, 'metadata' | 'metadata_labels'> {
  const labels = Object.entries(metadata).flatMap(([name, value]) => labelOf(name, value) ?? [])
  return {
    metadata: Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
    metadata_labels: labels.length === 0 ? null : JSON.stringify(labels),
  }
}

/**
 * Returns what is wrong with the metadata, phrased to follow the field name, or undefined if it can be
 * stored.
 */
export function complainOfMetadata(metadata: Metadata): string | undefined {
  // Runs the cheapest check first.
  if (Object.keys(metadata).length > MAX_METADATA_MEMBERS)
    return `must have at most ${MAX_METADATA_MEMBERS} fields`
  if (levelsOf(metadata) > MAX_METADATA_LEVELS) return `must have at most ${MAX_METADATA_LEVELS} levels`
  const isTooLong = Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES
  return isTooLong ? `must have at most ${MAX_METADATA_BYTES} bytes as JSON` : undefined
}

/**
 * Returns `name=value` for a string, number or boolean that can be used in filters, and undefined otherwise.
 */
function labelOf(name: string, value: unknown): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  const text = String(value)
  const fits = name.length <= MAX_NAME_LENGTH && name !== '' && text.length <= MAX_VALUE_LENGTH
  const label = `${name}=${text}`
  return fits && !name.includes('=') && !/\p{Cc}/u.test(label) && label.isWellFormed() ? label : undefined
}

/** Stops counting at the limit, which bounds the recursion. */
function levelsOf(value: unknown, most = MAX_METADATA_LEVELS): number {
  if (typeof value !== 'object' || value === null) return 0
  if (most === 0) return 1
  return 1 + Object.values(value).reduce((deepest, one) => Math.max(deepest, levelsOf(one, most - 1)), 0)
}
