/** The response of endpoints that return hourly or daily outcomes. */
import { DENIALS, UNSENT_DENIALS } from '@scriptward/client/messages'
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'

const UNSENT: readonly string[] = UNSENT_DENIALS
const SENT = Object.keys(DENIALS).filter((reason) => !UNSENT.includes(reason))

export const OutcomesAnswer = shape.named('Outcomes', {
  success: shape.Yes,
  step: Type.String({ enum: ['hour', 'day'] }),
  outcomes: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'start of the hour or day', examples: [1_790_000_400_000] }),
      granted: Type.Integer({ description: 'number of granted executions', examples: [120] }),
      crashed: Type.Integer({
        description: 'number of granted executions that reported an uncaught error',
        examples: [2],
      }),
      vanished: Type.Integer({
        description:
          "number of granted executions that didn't report back within 60 seconds, counted after 90 seconds. They are not crashes",
        examples: [5],
      }),
      denied: Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
        description: `number of denied executions by reason: ${SENT.join(', ')}`,
        examples: [{ key_expired: 4, rate_limited: 1 }],
      }),
    }),
    { description: 'hours or days, oldest first, including those without executions' },
  ),
})
