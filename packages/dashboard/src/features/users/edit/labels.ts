/** Validates a key's tags and metadata. */
import { text } from '../../../messages/text.ts'

type Metadata = Readonly<Record<string, unknown>>

/** API limits on tags and metadata. */
const MAX_TAGS = 32
const MAX_TAG_LENGTH = 40
const MAX_NAME_LENGTH = 255
const MAX_BYTES = 8192

export function tagsIn(typed: string): string[] {
  return [...new Set(typed.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}

export function metadataText(metadata: Metadata): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, null, 2)
}

/** Returns undefined unless the input is a JSON object. */
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

export function tagsError(typed: string): string | undefined {
  const tags = tagsIn(typed)
  const isRight = tags.length <= MAX_TAGS && tags.every((tag) => [...tag].length <= MAX_TAG_LENGTH)
  return isRight ? undefined : text.labels.tagsWrong
}

export function issuerError(typed: string): string | undefined {
  return [...typed.trim()].length > MAX_NAME_LENGTH ? text.labels.issuedWrong : undefined
}

export function metadataError(typed: string): string | undefined {
  return fits(metadataIn(typed)) ? undefined : text.labels.metadataWrong
}

function fits(metadata: Metadata | undefined): boolean {
  return metadata !== undefined && new TextEncoder().encode(JSON.stringify(metadata)).length <= MAX_BYTES
}
