/**
 * Request fields for the actions of `users/bulk`. `features/changes/bulk-actions.ts` implements the actions.
 */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { ONE_LINE } from '../../../api/text-patterns.ts'
import { Tag } from '../../keys/endpoints/label-shapes.ts'
import { MAX_TAGS } from '../../keys/labels.ts'
import type { BulkActionName } from '../bulk-actions.ts'

/** `features/changes/bulk-actions.ts` checks which of these fields each action needs. */
export const ActionMembers = {
  action: Type.Unsafe<BulkActionName>({
    type: 'string',
    enum: [
      ...(['extend', 'pause', 'resume', 'blacklist', 'unblacklist'] as const),
      ...(['tag', 'untag', 'plan', 'reset', 'remove'] as const),
    ],
    description:
      'action to perform: extend (adds `duration` to keys), pause (ends runs and keeps the remaining time), resume, blacklist (until `expires`, with `reason`), unblacklist, tag or untag (with `tags`), plan (moves users to `plan_id`), reset (unbinds devices and ends runs) or remove',
    examples: ['extend'],
  }),
  duration: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      minimum: 1,
      description: 'for extend: milliseconds to add to keys that can expire',
      examples: [604_800_000],
    }),
  ),
  extend_expired: shape.maybe(
    Type.Boolean({
      description: 'for extend: whether to include expired keys. Default: false',
      examples: [false],
    }),
  ),
  expires: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description:
        'for blacklist: expiry, in Unix milliseconds. Omit it or send 0 to blacklist users permanently',
      examples: [0],
    }),
  ),
  tags: shape.maybe(
    Type.Array(Tag, {
      maxItems: MAX_TAGS,
      description: `for tag and untag: the tags. Users who would have more than ${MAX_TAGS} are skipped`,
      examples: [['vip']],
    }),
  ),
  plan_id: shape.maybe(
    Type.String({
      maxLength: 64,
      description:
        'for plan: plan ID, or an empty string to remove users from their plan. Running clocks keep their start time, and keys with their own clock keep that clock',
      examples: ['pln_0VMc4VLkQ8sTuVwXyZaBcD'],
    }),
  ),
  reason: shape.maybe(
    Type.String({
      maxLength: 255,
      pattern: ONE_LINE,
      description: 'for blacklist: the reason',
    }),
  ),
}
