/** Query parameters that filter runs and denials. */
import { DENIALS, type DenialReason, MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import { ONE_LINE } from '../../../api/text-patterns.ts'

const Condition = { maxLength: 255, pattern: ONE_LINE }

export const executionFilter = {
  reason: Type.Optional(
    Type.Unsafe<DenialReason>({
      type: 'string',
      enum: Object.keys(DENIALS),
      description: 'check that failed',
      examples: ['fingerprint_mismatch'],
    }),
  ),
  script_id: shape.maybe(Type.String({ ...Condition, description: 'script ID' })),
  executor: shape.maybe(
    Type.String({ ...Condition, description: 'executor, as reported by the client', examples: ['Garden'] }),
  ),
  user_key: shape.maybe(
    Type.String({ ...Condition, maxLength: MAX_USER_KEY_LENGTH, description: "user's full license key" }),
  ),
  from: shape.maybe(shape.milliseconds('start of the period, in Unix milliseconds')),
  to: shape.maybe(shape.milliseconds('end of the period, in Unix milliseconds')),
  ...shape.onward,
}
