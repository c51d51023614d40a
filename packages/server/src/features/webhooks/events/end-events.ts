/** Entries in `event-catalog.ts` about keys that expire or reach a limit. */
import { Type } from 'typebox'
import { plainText } from './chat-text.ts'
import { information } from './event-entry.ts'
import { timeText, userFields } from './event-fields.ts'
import { OfUser, ofUser } from './event-shapes.ts'

const LIMITS = ['max_executions', 'quota', 'max_instances', 'max_devices'] as const
export type Limit = (typeof LIMITS)[number]

export const endEvents = {
  'user.expiring': information({
    // Sent once per key and expiry date, when the remaining time drops below the project's expiring_lead.
    summary: 'A key is about to expire.',
    data: OfUser,
    title: 'Key about to expire',
    fields: userFields,
  }),
  'user.expired': information({
    // Sent when the key expires, even if its plan has a grace period.
    summary: 'A key has expired.',
    data: Type.Object({
      ...ofUser,
      runs_until: Type.Integer({
        description:
          "time the key stops working, in Unix milliseconds: its expiry, plus the plan's grace period, if any",
        examples: [1_798_761_600_000],
      }),
    }),
    title: 'Key expired',
    fields: (data) => [...userFields(data), ['Works until', timeText(data.runs_until)]],
  }),
  'user.limit_reached': information({
    // Sent at most once per day (UTC) for each key and limit.
    summary: 'A run was denied because the key reached one of its limits.',
    data: Type.Object({
      ...ofUser,
      limit: Type.Unsafe<Limit>({
        type: 'string',
        enum: [...LIMITS],
        description:
          "limit that was reached: max_executions or max_instances of the key or its plan, the plan's quota, or max_devices if the key was used on a new device while already bound to the maximum number of devices",
      }),
      most: Type.Integer({ description: 'value of the limit', examples: [100] }),
    }),
    title: 'Limit reached',
    fields: (data) => [
      ...userFields(data),
      ['Limit', plainText(data.limit)],
      ['At most', plainText(data.most)],
    ],
  }),
}
