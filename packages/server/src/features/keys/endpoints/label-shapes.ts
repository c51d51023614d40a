/** Schemas for tags, metadata, and the issuance of a key. */
import { Type } from 'typebox'
import { Milliseconds, maybe, nullable } from '../../../api/shapes.ts'
import { CONTROLS, LINES, ONE_LINE } from '../../../api/text-patterns.ts'
import {
  MAX_ISSUED_LENGTH,
  MAX_METADATA_BYTES,
  MAX_METADATA_LEVELS,
  MAX_METADATA_MEMBERS,
  MAX_PRIVATE_NOTE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../labels.ts'

export const Tag = Type.String({
  minLength: 1,
  maxLength: MAX_TAG_LENGTH,
  pattern: ONE_LINE,
  examples: ['vip'],
})
const Line = Type.String({ maxLength: MAX_ISSUED_LENGTH, pattern: ONE_LINE })

const Tags = Type.Array(Tag, {
  maxItems: MAX_TAGS,
  description: `up to ${MAX_TAGS} tags of at most ${MAX_TAG_LENGTH} characters each. Duplicates and surrounding spaces are removed. Scripts can read the tags as ward.tags`,
  examples: [['vip', 'autumn']],
})
const Metadata = {
  type: 'object',
  additionalProperties: {},
  description: `custom data for your own software: up to ${MAX_METADATA_BYTES} bytes of JSON with up to ${MAX_METADATA_MEMBERS} fields and ${MAX_METADATA_LEVELS} levels. Scripts receive only its \`public\` field, as ward.metadata`,
  examples: [{ order: '1001', public: { guild: 'red' } }],
}
const PrivateNote = Type.String({
  maxLength: MAX_PRIVATE_NOTE_LENGTH,
  pattern: LINES,
  description: `private note of at most ${MAX_PRIVATE_NOTE_LENGTH} characters, which may contain line breaks. Never sent to scripts, customers, webhooks or callers who can only issue keys`,
  examples: ['refunded once, asks for a discount'],
})
const IssuedTo = Type.String({ ...Line, description: 'recipient of the key', examples: ['grace'] })
const IssuedBy = Type.String({
  ...Line,
  description: 'issuer of the key or of its batch',
  examples: ['Shop on Main Street'],
})
const IssuedAt = Type.Integer({
  ...Milliseconds,
  description: 'time the key was issued. 0 marks it as not issued',
  examples: [1_790_000_000_000],
})

export const issuing = { issued_to: maybe(IssuedTo), issued_by: maybe(IssuedBy) }
/** Fields for new users and edits. */
export const labels = {
  tags: maybe(Tags),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown> | null>({ ...Metadata, type: ['object', 'null'] }),
  ),
  private_note: maybe(PrivateNote),
  ...issuing,
  issued_at: maybe(IssuedAt),
}
/** Fields of a user under `/v1`. */
export const shownLabels = {
  tags: Tags,
  metadata: Type.Unsafe<Record<string, unknown>>(Metadata),
  private_note: nullable(PrivateNote),
  issued_to: nullable(IssuedTo),
  issued_by: nullable(IssuedBy),
  issued_at: nullable(
    Type.Integer({ description: 'time the key was issued', examples: [1_790_000_000_000] }),
  ),
}
export const labelFilter = {
  tag: maybe(Type.String({ ...Tag, description: 'tag that users must have', minLength: 0 })),
  issued_by: maybe(IssuedBy),
  metadata: maybe(
    Type.String({
      maxLength: 300,
      pattern: `^([^=${CONTROLS}]{1,40}=[^${CONTROLS}]{0,255})?$`,
      description:
        'metadata to match, as name=value: a top-level field with this string, number or boolean value. Other types and longer values never match',
      examples: ['order=1001'],
    }),
  ),
}
