/** Schemas for tags, metadata and the issue of keys. */
import { Type } from 'typebox'
import { Milliseconds, maybe, nullable } from '../../../api/shapes.ts'
import {
  MAX_ISSUED_LENGTH,
  MAX_METADATA_BYTES,
  MAX_METADATA_LEVELS,
  MAX_METADATA_MEMBERS,
  MAX_PRIVATE_NOTE_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../labels.ts'

const CONTROLS = '\\u0000-\\u001f\\u007f-\\u009f'
export const Tag = Type.String({
  minLength: 1,
  maxLength: MAX_TAG_LENGTH,
  pattern: `^[^${CONTROLS}]*$`,
  examples: ['vip'],
})
const Line = Type.String({ maxLength: MAX_ISSUED_LENGTH, pattern: `^[^${CONTROLS}]*$` })

const Tags = Type.Array(Tag, {
  maxItems: MAX_TAGS,
  description: `tags, at most ${MAX_TAGS} of ${MAX_TAG_LENGTH} characters each, without duplicates. Surrounding spaces are removed. Scripts can read them as ward.tags`,
  examples: [['vip', 'autumn']],
})
const Metadata = {
  type: 'object',
  additionalProperties: {},
  description: `data for your own software: at most ${MAX_METADATA_BYTES} bytes as JSON, ${MAX_METADATA_MEMBERS} fields and ${MAX_METADATA_LEVELS} levels. Scripts only receive its public field, as ward.metadata`,
  examples: [{ order: '1001', public: { guild: 'red' } }],
}
const PrivateNote = Type.String({
  maxLength: MAX_PRIVATE_NOTE_LENGTH,
  pattern: '^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$',
  description: `note for you and your team, at most ${MAX_PRIVATE_NOTE_LENGTH} characters, which may contain line breaks. Never sent to scripts, customers, webhooks or callers who can only issue users`,
  examples: ['refunded once, asks for a discount'],
})
const IssuedTo = Type.String({ ...Line, description: 'recipient of the key', examples: ['grace'] })
const IssuedBy = Type.String({
  ...Line,
  description: 'issuer of the key, or of the batch it belongs to',
  examples: ['Shop on Main Street'],
})
const IssuedAt = Type.Integer({
  ...Milliseconds,
  description: 'time the key was issued; 0 for not issued',
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
  tag: maybe(Type.String({ ...Tag, description: 'tag of the user', minLength: 0 })),
  issued_by: maybe(IssuedBy),
  metadata: maybe(
    Type.String({
      maxLength: 300,
      pattern: `^([^=${CONTROLS}]{1,40}=[^${CONTROLS}]{0,255})?$`,
      description:
        'name=value: a top-level metadata field with this string, number or boolean. Other types and longer values are not matched',
      examples: ['order=1001'],
    }),
  ),
}
