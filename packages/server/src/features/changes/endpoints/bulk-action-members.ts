/** The members of the actions of `users/bulk`; what they do is in `features/changes/bulk-actions.ts`. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { Tag } from '../../keys/endpoints/label-shapes.ts'
import { MAX_TAGS } from '../../keys/labels.ts'
import type { BulkActionName } from '../bulk-actions.ts'

/** The action and the members of all of them; what an action needs is checked in `features/changes/bulk-actions.ts`. */
export const ActionMembers = {
  action: Type.Unsafe<BulkActionName>({
    type: 'string',
    enum: [
      ...(['extend', 'pause', 'resume', 'blacklist', 'unblacklist'] as const),
      ...(['tag', 'untag', 'plan', 'reset', 'remove'] as const),
    ],
    description:
      'extend: keys end later by `duration`; blacklist, until `expires`, with `reason`; unblacklist; pause, which ends what runs and keeps the time that is left, and resume; tag and untag, by `tags`; plan: they follow `plan_id`; reset: unbinds devices and ends what runs; remove',
    examples: ['extend'],
  }),
  duration: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      minimum: 1,
      description: 'of extend: milliseconds to add to keys that can expire',
      examples: [604_800_000],
    }),
  ),
  extend_expired: shape.maybe(
    Type.Boolean({ description: 'of extend: also keys that expired; false unless given', examples: [false] }),
  ),
  expires: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description: 'of blacklist: when it ends, in milliseconds since 1970; 0 or none for never',
      examples: [0],
    }),
  ),
  tags: shape.maybe(
    Type.Array(Tag, {
      maxItems: MAX_TAGS,
      description: `of tag and untag; users who would have more than ${MAX_TAGS} are left out`,
      examples: [['vip']],
    }),
  ),
  plan_id: shape.maybe(
    Type.String({
      maxLength: 64,
      description:
        'of plan: the one to follow, or the empty text for none. A clock that runs keeps its beginning, and one of a key alone goes on',
      examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
    }),
  ),
  reason: shape.maybe(
    Type.String({
      maxLength: 255,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
      description: 'of blacklist',
    }),
  ),
}
