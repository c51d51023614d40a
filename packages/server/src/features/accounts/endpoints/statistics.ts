/** Executions and executors of projects and scripts. Those of accounts are in `account.ts`. */
import { DENIALS, UNSENT_DENIALS } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { readAccountOutcomes, readProjectOutcomes } from '../../executions/outcomes.ts'
import { executionsByScript, executorStatistics, scriptExecutions } from '../statistics.ts'

const projectExecutions = inBothFamilies({
  name: 'projects.executions',
  summary: 'Executions of a project by script and day.',
  description:
    'Granted executions of the last 30 days in UTC by day, for every script and in total. Each is counted in the transaction that granted it, so none is missing.',
  method: 'GET',
  path: '/projects/:project_id/executions',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, executions: shape.ExecutionsByScript }),
  async handle({ subject }, deps) {
    return { executions: await executionsByScript(deps, subject) }
  },
})

const projectExecutors = inBothFamilies({
  name: 'projects.executors',
  summary: 'Executors that ran the scripts of a project.',
  description:
    'Which executors ran the scripts of this project in the last 30 days, with their share in per cent. An executor is called as it names itself.',
  method: 'GET',
  path: '/projects/:project_id/executors',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  response: shape.ExecutorsAnswer,
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

const executions = inBothFamilies({
  name: 'scripts.executions',
  summary: 'Executions of a script by day.',
  description:
    'Granted executions of the script for each of the last 30 days in UTC, oldest first, for a small chart beside its name.',
  method: 'GET',
  path: '/scripts/:script_id/executions',
  auth: 'script',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  response: Type.Object({ success: shape.Yes, executions: shape.DateMap }),
  async handle({ subject }, deps) {
    return { executions: await scriptExecutions(deps, subject) }
  },
})

/** Not part of the interface, so only `/v1` has it. */
const executors = endpoint({
  name: 'v1.scripts.executors',
  summary: 'Executors that ran a script.',
  description:
    'Which executors ran this script in the last 30 days, with their share in per cent, so that you know where to test.',
  method: 'GET',
  path: '/v1/scripts/:script_id/executors',
  auth: 'script',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  response: shape.ExecutorsAnswer,
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

const PeriodQuery = {
  from: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description:
        'the hour or day with this time is the first one, or the oldest that is stored; milliseconds since 1970',
      examples: [1_790_000_000_000],
    }),
  ),
  to: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description: 'the last one begins before it; now unless given',
      examples: [1_790_100_000_000],
    }),
  ),
  step: shape.maybe(
    Type.String({
      enum: ['hour', 'day'],
      description:
        'hours are stored for 48 hours, days in UTC for 400; unless given, `hour`. Without `from` the answer has 48 hours or 30 days',
      examples: ['hour'],
    }),
  ),
}
const UNSENT: readonly string[] = UNSENT_DENIALS
const SENT = Object.keys(DENIALS).filter((reason) => !UNSENT.includes(reason))

const OutcomesAnswer = shape.named('Outcomes', {
  success: shape.Yes,
  step: Type.String({ enum: ['hour', 'day'] }),
  outcomes: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'when it began', examples: [1_790_000_400_000] }),
      granted: Type.Integer({ description: 'executions that were granted', examples: [120] }),
      denied: Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer', minimum: 0 },
        description: `executions that were denied, by reason: ${SENT.join(', ')}`,
        examples: [{ key_expired: 4, rate_limited: 1 }],
      }),
    }),
    { description: 'every hour or day, oldest first, also those without executions' },
  ),
})
/** The schema admits no other. */
const stepOf = (step: string | null | undefined) => (step === 'day' ? 'day' : 'hour')

const projectOutcomes = endpoint({
  name: 'v1.projects.outcomes',
  summary:
    'Count how the executions of a project, or of one script of it, ended, by hour or by day: granted, or denied for which reason. Every one is counted, within some seconds.',
  description:
    'How many executions were granted and how many were denied for each reason, hour by hour or day by day, for a chart that shows when something went wrong. Every execution counts, also denials that are too many to be listed. The last 48 hours or 30 days unless `from` and `to` say otherwise, up to 400 days back.',
  example: { query: { step: 'hour' } },
  method: 'GET',
  path: '/v1/projects/:project_id/outcomes',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  query: shape.members({
    ...PeriodQuery,
    script_id: shape.maybe(Type.String({ maxLength: 64, description: 'the id of a script of the project' })),
  }),
  namesNoun: true,
  response: OutcomesAnswer,
  async handle({ subject, query }, deps) {
    const { step, ...others } = query
    return readProjectOutcomes(deps, subject, { ...shape.given(others), step: stepOf(step) })
  },
})

const outcomes = endpoint({
  name: 'v1.account.outcomes',
  summary:
    'Count how the executions of all projects ended, by hour or by day; for callers with some projects, of those.',
  description:
    'The same numbers for all projects that you may reach together. Counts are written every few seconds, so the newest hour may be a moment late.',
  example: { query: { step: 'day' } },
  method: 'GET',
  path: '/v1/outcomes',
  auth: 'customer',
  scope: 'statistics:read',
  narrows: true,
  compresses: 'answer',
  query: shape.members(PeriodQuery),
  response: OutcomesAnswer,
  async handle({ subject, caller, query }, deps) {
    const { step, ...others } = query
    return readAccountOutcomes(deps, subject.id, caller, { ...shape.given(others), step: stepOf(step) })
  },
})

export const statistics: readonly Endpoint[] = [
  ...[projectOutcomes, outcomes],
  ...[projectExecutions, projectExecutors, executions].flat(),
  executors,
]
