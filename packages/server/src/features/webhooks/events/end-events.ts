/** Entries of `event-catalogue.ts` about keys that end or meet a limit. */
import { Type } from 'typebox'
import { plainText } from './chat-text.ts'
import { information } from './event-entry.ts'
import { timeText, userFields } from './event-fields.ts'
import { OfUser, ofUser } from './event-shapes.ts'

const LIMITS = ['max_executions', 'quota', 'max_instances', 'max_devices'] as const
export type Limit = (typeof LIMITS)[number]

export const endEvents = {
  'user.expiring': information({
    // Once for a key and an end, when it comes nearer than the expiring_lead of the project.
    summary: 'A key is about to expire.',
    data: OfUser,
    title: 'Key about to expire',
    fields: userFields,
  }),
  'user.expired': information({
    // At the end itself, whatever the grace of its plan.
    summary: 'A key expired.',
    data: Type.Object({
      ...ofUser,
      runs_until: Type.Integer({
        description: 'milliseconds since 1970: the end, or later where the plan of the key has a grace',
        examples: [1_798_761_600_000],
      }),
    }),
    title: 'Key expired',
    fields: (data) => [...userFields(data), ['Runs until', timeText(data.runs_until)]],
  }),
  'user.limit_reached': information({
    // At most once a day (UTC) for a key and a limit.
    summary: 'A key was refused because it had met one of its limits.',
    data: Type.Object({
      ...ofUser,
      limit: Type.Unsafe<Limit>({
        type: 'string',
        enum: [...LIMITS],
        description:
          'max_executions and max_instances of the key or its plan; quota: that of the plan; max_devices: another device came to a key that may have several and has all of them',
      }),
      most: Type.Integer({ description: 'what the limit allows', examples: [100] }),
    }),
    title: 'Limit reached',
    fields: (data) => [
      ...userFields(data),
      ['Limit', plainText(data.limit)],
      ['At most', plainText(data.most)],
    ],
  }),
}
