/** Schemas for releases in the API. */
import { Type } from 'typebox'
import * as shape from '../../api/shapes.ts'
import type { ReleaseGuard, ReleaseState, RolledBackBy } from '../../database/schema/release-tables.ts'

const GUARDS: readonly ReleaseGuard[] = ['roll_back', 'hold', 'off']
const STATES: readonly ReleaseState[] = ['running', 'paused', 'completed', 'rolled_back', 'replaced']
const AT = 1_790_000_000_000
const DAY_MS = 86_400_000

export const ChannelName = Type.String({
  pattern: '^[a-z0-9][a-z0-9_-]{0,31}$',
  description: 'channel name: up to 32 lowercase letters, digits, hyphens and underscores',
  examples: ['beta'],
})
const Percent = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'percentage of customers who get the version',
  examples: [10],
})
const GUARD =
  'what happens if the version is worse than the previous one: `roll_back` gives everyone the previous version, `hold` pauses the release, `off` does nothing'
const guard = (description: string) =>
  Type.Unsafe<ReleaseGuard>({ type: 'string', enum: [...GUARDS], description, examples: ['roll_back'] })
export const ramp = {
  percent: shape.maybe({
    ...Percent,
    description:
      'percentage of customers who get the version first. Without `over`, the percentage stays until you change it',
  }),
  over: shape.maybe(
    Type.Integer({
      minimum: 60_000,
      maximum: 30 * DAY_MS,
      description: 'time until the release reaches 100%, in milliseconds',
      examples: [21_600_000],
    }),
  ),
  guard: Type.Optional(guard(`${GUARD}. Default: roll_back`)),
}
export const ReleaseOrder = Type.Object(
  {
    channel: shape.maybe({ ...ChannelName, description: 'channel. Default: stable', examples: ['stable'] }),
    ...ramp,
  },
  {
    additionalProperties: false,
    description: 'who gets the version, and when. By default 5, 25 and 100% within six hours',
    examples: [{ percent: 10 }],
  },
)

const Health = (of: string) =>
  Type.Object(
    {
      customers: Type.Integer({ description: 'number of customers who ran the version', examples: [240] }),
      failed: Type.Integer({
        description:
          'number of those customers whose first run crashed, or was denied because of the version',
        examples: [3],
      }),
      healthy: shape.nullable(
        Type.Number({
          minimum: 0,
          maximum: 1,
          description: "share of customers whose first run didn't fail",
          examples: [0.9875],
        }),
      ),
    },
    { description: `customers of ${of} since the release started` },
  )
const Share = (description: string, example: number) =>
  Type.Number({ minimum: 0, maximum: 1, description, examples: [example] })
const Finding = Type.Object(
  {
    verdict: Type.String({
      enum: ['suspicious', 'worse'],
      description:
        '`suspicious` holds the release at its current share; `worse` is certain enough to roll the release back',
    }),
    failed: Share("share of the version's customers whose first run failed", 0.2),
    failed_before: Share('the same share for the previous version, on the same executors', 0.01),
    chance: Share("probability that a version that isn't worse would look this bad", 0.0004),
    executors: Type.Array(
      Type.Object({
        executor: Type.String({ examples: ['Garden'] }),
        customers: Type.Integer({ examples: [48] }),
        failed: Type.Integer({ examples: [40] }),
      }),
      { description: 'affected executors, most affected first' },
    ),
  },
  { description: "the guard's finding. Null if the version seems no worse than the previous one" },
)
const fields = {
  id: Type.String({ examples: ['rel_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  channel: Type.String({ examples: ['stable'] }),
  version: Type.Integer({ description: 'released version', examples: [4] }),
  version_before: Type.Integer({ description: 'version that everyone else gets', examples: [3] }),
  percent: Percent,
  steps: Type.Array(Type.Integer(), { description: 'remaining percentages', examples: [[25, 100]] }),
  next_at: shape.nullable(
    Type.Integer({
      description:
        'time of the next percentage or, at 100%, of completion. Null if neither happens automatically',
      examples: [AT],
    }),
  ),
  guard: guard(GUARD),
  state: Type.Unsafe<ReleaseState>({
    type: 'string',
    enum: [...STATES],
    description: 'state. A release is `replaced` by another release or an activation on its channel',
    examples: ['running'],
  }),
  held: Type.Boolean({ description: 'whether the guard keeps the release from growing' }),
  rolled_back_by: Type.Unsafe<RolledBackBy | null>({
    type: ['string', 'null'],
    enum: ['guard', 'team', null],
    description: 'who rolled it back: the guard, or someone on your team. Null unless it was rolled back',
  }),
  started_at: Type.Integer({ examples: [AT] }),
  ended_at: shape.nullable(
    Type.Integer({ description: 'time it ended. Null while it is open', examples: [AT] }),
  ),
  health: Health('the version'),
  health_before: Health('the previous version'),
  finding: shape.nullable(Finding),
}
export const Release = shape.named('Release', fields)
export const ProjectRelease = shape.named('ProjectRelease', {
  ...fields,
  script_id: Type.String({ description: 'ID of the script', examples: ['scr_0VMc4VLkQ8sTuVwXyZaBcD'] }),
  script_name: Type.String({ examples: ['Garden'] }),
})
