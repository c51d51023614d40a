/** Executions and executors of projects and scripts. Account statistics are in `account.ts`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { OutcomesAnswer } from '../../executions/endpoints/outcomes-answer.ts'
import { readAccountOutcomes, readProjectOutcomes } from '../../executions/outcomes.ts'
import { executionsByScript, executorStatistics, scriptExecutions } from '../statistics.ts'

const projectExecutions = inBothFamilies({
  name: 'projects.executions',
  summary: "Retrieve a project's executions",
  description:
    'Returns the granted executions of the last 30 days (UTC) by day, in total and for every script. Counts are exact: each execution is counted in the transaction that grants it.',
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
  summary: "Retrieve a project's executors",
  description:
    "Returns the executors that ran the project's scripts in the last 30 days, with percentages. Executor names are reported by clients.",
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
  summary: "Retrieve a script's executions",
  description:
    'Returns the granted executions of the script for each of the last 30 days (UTC), oldest first.',
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

/** Only under `/v1`: the unversioned API has no such endpoint. */
const executors = endpoint({
  name: 'v1.scripts.executors',
  summary: "Retrieve a script's executors",
  description:
    'Returns the executors that ran the script in the last 30 days, with percentages, so that you know which executors to test it with. Executor names are reported by clients.',
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
        'start of the period, in Unix milliseconds. The first entry is the hour or day that contains it, or the oldest one stored',
      examples: [1_790_000_000_000],
    }),
  ),
  to: shape.maybe(
    Type.Integer({
      ...shape.Milliseconds,
      description: 'end of the period, exclusive, in Unix milliseconds. Default: now',
      examples: [1_790_100_000_000],
    }),
  ),
  step: shape.maybe(
    Type.String({
      enum: ['hour', 'day'],
      description:
        'interval covered by each entry. Hourly counts are kept for 48 hours and daily counts (UTC) for 400 days. Default: `hour`. Without `from`, the response covers 48 hours or 30 days',
      examples: ['hour'],
    }),
  ),
}
/** The schema already rejects any other value. */
const stepOf = (step: string | null | undefined) => (step === 'day' ? 'day' : 'hour')

const projectOutcomes = endpoint({
  name: 'v1.projects.outcomes',
  summary: "Retrieve a project's execution outcomes",
  description:
    'Returns how many executions of a project or one of its scripts were granted, and how many were denied for each reason, by hour or day, including denials too frequent to be listed individually. By default, the response covers the last 48 hours or 30 days; with `from` and `to`, up to 400 days. Counts can lag by a few seconds.',
  example: { query: { step: 'hour' } },
  method: 'GET',
  path: '/v1/projects/:project_id/outcomes',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  query: shape.members({
    ...PeriodQuery,
    script_id: shape.maybe(Type.String({ maxLength: 64, description: 'ID of a script in the project' })),
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
  summary: 'Retrieve execution outcomes of all projects',
  description:
    'Returns the combined outcomes of all projects the caller has access to. Counts are written every few seconds, so the current hour can lag slightly.',
  example: { query: { step: 'day' } },
  method: 'GET',
  path: '/v1/outcomes',
  auth: 'customer',
  scope: 'statistics:read',
  filtersByProject: true,
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
