/** Request and response schemas of bulk changes, including dry runs. */
import { type Static, Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { UserFilter } from '../../keys/endpoints/user-shapes.ts'

export const DryRun = shape.maybe(
  Type.Boolean({
    description:
      'whether to return the expected result without changing users, sending webhook events or adding audit log entries',
    examples: [true],
  }),
)

export const ChangeId = Type.Optional(
  shape.nullable(
    Type.String({
      description:
        'ID of the change, for undoing it with `POST /v1/changes/:change_id/undo`. Null if nothing was changed',
      examples: ['chg_0VMc4VLkH7rAAAAAAAAAAA'],
    }),
  ),
)

export const EXAMPLE_CHANGE_ID = 'chg_0VMc4VLkH7rAAAAAAAAAAA'
/** Example response of a bulk change that is not a dry run. */
export const EXAMPLE_CHANGE = { success: true, count: 30, change_id: EXAMPLE_CHANGE_ID }

export const Removed = Type.Object({ success: shape.Yes, change_id: ChangeId })

/** Fields returned only by the dry run of an addition. */
export const Places = {
  places_left: Type.Optional(
    shape.nullable(
      Type.Integer({
        minimum: 0,
        description: 'in a dry run: number of users that can still be added. Null if there is no limit',
        examples: [5000],
      }),
    ),
  ),
  fits: Type.Optional(
    Type.Boolean({
      description:
        "in a dry run: whether all users would fit within the limit. If they don't, the request adds none",
      examples: [true],
    }),
  ),
}

export const SampleEntry = shape.named('SampleEntry', {
  index: Type.Integer({ minimum: 0, description: 'position in the list, starting at 0' }),
  user_key: shape.nullable(Type.String({ description: 'license key. Null if a new key would be generated' })),
  chat_id: shape.nullable(Type.String()),
  note: shape.nullable(Type.String()),
  key_expires: shape.nullable(
    Type.Integer({ description: 'key expiry. Null if the key never expires or waits for its first use' }),
  ),
  executions: Type.Integer({ minimum: 0, description: 'number of runs so far', examples: [12] }),
  blacklisted: Type.Boolean({ description: 'whether the key would be blacklisted' }),
  paused: Type.Boolean({ description: 'whether the key would be paused' }),
})

const named = {
  user_key: Type.String({ examples: ['kQ7mZ2xV9bT4nR8wLpY3sD6fHjC1gA5e'] }),
  chat_id: shape.nullable(Type.String()),
  note: shape.nullable(Type.String()),
}
export const AffectedUser = shape.named('AffectedUser', named)

export const ChangeSample = shape.named('ChangeSample', {
  ...named,
  changes: Type.Unsafe<Record<string, { before: unknown; after: unknown }>>({
    type: 'object',
    additionalProperties: { type: 'object', properties: { before: {}, after: {} } },
    description: 'fields that the change edits. Empty for users that are added or removed',
    examples: [{ key_expires: { before: 1_790_000_000_000, after: 1_790_086_400_000 } }],
  }),
})

/** Response of a bulk change. */
export const changed = {
  success: shape.Yes,
  count: Type.Integer({
    minimum: 0,
    description: 'number of users that were changed or, in a dry run, would be',
    examples: [30],
  }),
  change_id: ChangeId,
  samples: Type.Optional(Type.Array(ChangeSample, { description: 'in a dry run: the first 10 users' })),
}

export const FilterQuery = shape.members({ ...shape.Page.properties, ...UserFilter })

/** Extracts the filter from a query, without the paging fields. */
export function filterOf(query: Static<typeof FilterQuery>) {
  const { from: _from, limit: _limit, blacklist_reason: reason, ...members } = shape.given(query)
  if (reason === undefined) return members
  const isFlag = reason === 'true' || reason === 'false'
  return { ...members, blacklist_reason: isFlag ? reason === 'true' : reason }
}
