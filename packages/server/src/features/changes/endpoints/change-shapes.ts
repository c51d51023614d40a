/** What changes of many users are given and answer, dry runs too. */
import { type Static, Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { UserFilter } from '../../keys/endpoints/user-shapes.ts'

export const DryRun = shape.maybe(
  Type.Boolean({
    description: 'answer what it would do now, and change nothing: no user, no webhook, no audit entry',
    examples: [true],
  }),
)

export const ChangeId = Type.Optional(
  shape.nullable(
    Type.String({
      description: 'undoes it, see `POST /v1/changes/:change_id/undo`; null when nothing was changed',
      examples: ['chg_0VMc4VLkH7rAAAAAAAAAAA'],
    }),
  ),
)

export const EXAMPLE_CHANGE_ID = 'chg_0VMc4VLkH7rAAAAAAAAAAA'
/** What a change of many users answers that was no dry run. */
export const EXAMPLE_CHANGE = { success: true, count: 30, change_id: EXAMPLE_CHANGE_ID }

/** The answer of a removal. */
export const Removed = Type.Object({ success: shape.Yes, change_id: ChangeId })

/** Of a dry run of an addition. */
export const Places = {
  places_left: Type.Optional(
    shape.nullable(
      Type.Integer({
        minimum: 0,
        description: 'of a dry run: how many users there is room for; null when nothing limits them',
        examples: [5000],
      }),
    ),
  ),
  fits: Type.Optional(
    Type.Boolean({
      description:
        'of a dry run: false when it would be refused for want of places, since it takes all or none',
      examples: [true],
    }),
  ),
}

export const SampleEntry = shape.named('SampleEntry', {
  index: Type.Integer({ minimum: 0, description: 'place in the list; 0 is the first' }),
  user_key: shape.nullable(Type.String({ description: 'null when a new one would be made' })),
  chat_id: shape.nullable(Type.String()),
  note: shape.nullable(Type.String()),
  key_expires: shape.nullable(Type.Integer({ description: 'null for never' })),
})

const Sample = shape.named('ChangeSample', {
  user_key: Type.String({ examples: ['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e'] }),
  chat_id: shape.nullable(Type.String()),
  note: shape.nullable(Type.String()),
  changes: Type.Unsafe<Record<string, { before: unknown; after: unknown }>>({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'what would change; empty for users who would be removed',
    examples: [{ key_expires: { before: 1_790_000_000_000, after: 1_790_086_400_000 } }],
  }),
})

/** The answer of a change of many users. */
export const changed = {
  success: shape.Yes,
  count: Type.Integer({
    minimum: 0,
    description: 'users that it changed, or would in a dry run',
    examples: [30],
  }),
  change_id: ChangeId,
  samples: Type.Optional(Type.Array(Sample, { description: 'of a dry run: the first 10' })),
}

export const FilterQuery = shape.members({ ...shape.Page.properties, ...UserFilter })

/** The conditions of a query, without its paging. */
export function filterOf(query: Static<typeof FilterQuery>) {
  const { from: _from, limit: _limit, blacklist_reason: reason, ...members } = shape.given(query)
  if (reason === undefined) return members
  const isFlag = reason === 'true' || reason === 'false'
  return { ...members, blacklist_reason: isFlag ? reason === 'true' : reason }
}
