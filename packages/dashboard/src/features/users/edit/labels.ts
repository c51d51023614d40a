/** Tags and metadata of a user as they are typed. */
import type { V1UsersEditData } from '@scriptward/sdk'
import { text } from '../../../messages/text.ts'

type Body = NonNullable<V1UsersEditData['body']>
type Typed = { readonly metadata: string }
type Metadata = Readonly<Record<string, unknown>>

/** As the service takes them. */
const MAX_TAGS = 32
const MAX_TAG_LENGTH = 40
const MAX_NAME_LENGTH = 255
const MAX_BYTES = 8192

export function tagsIn(typed: string): string[] {
  return [...new Set(typed.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

export function areTags(tags: readonly string[]): boolean {
  return tags.length <= MAX_TAGS && tags.every((tag) => [...tag].length <= MAX_TAG_LENGTH)
}

export function metadataText(metadata: Metadata): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2)
}

/** Undefined when what is typed is no object. */
export function metadataIn(typed: string): Metadata | undefined {
  if (typed.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(typed)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Metadata) : undefined
  } catch {
    return undefined
  }
}

/** Of the members that would be sent. */
export function faultsOfLabels(typed: Typed, body: Body): Readonly<Record<string, string | undefined>> {
  const t = text.labels
  const name = (given: string | null | undefined) =>
    [...(given ?? '')].length > MAX_NAME_LENGTH ? t.issuedWrong : undefined
  return {
    tags: areTags(body.tags ?? []) ? undefined : t.tagsWrong,
    issued_to: name(body.issued_to),
    issued_by: name(body.issued_by),
    metadata: body.metadata === undefined || fits(metadataIn(typed.metadata)) ? undefined : t.metadataWrong,
  }
}

function fits(metadata: Metadata | undefined): boolean {
  return metadata !== undefined && new TextEncoder().encode(JSON.stringify(metadata)).length <= MAX_BYTES
}
