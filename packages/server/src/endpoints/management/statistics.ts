/** Executions and executors of projects and scripts. Those of accounts are in `account.ts`. */
import { Type } from 'typebox'
import { executionsByScript, executorStatistics, scriptExecutions } from '../../domain/accounts/statistics.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const projectExecutions = inBothFamilies({
  name: 'projects.executions',
  summary: 'Executions of a project by script and day.',
  method: 'GET',
  path: '/projects/:project_id/executions',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, executions: shape.ExecutionsByScript }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await executionsByScript(deps, subject) }
  },
})

const projectExecutors = inBothFamilies({
  name: 'projects.executors',
  summary: 'Executors that ran the scripts of a project.',
  method: 'GET',
  path: '/projects/:project_id/executors',
  auth: 'project',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

const executions = inBothFamilies({
  name: 'scripts.executions',
  summary: 'Executions of a script by day.',
  method: 'GET',
  path: '/scripts/:script_id/executions',
  auth: 'script',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, executions: shape.DateMap }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await scriptExecutions(deps, subject) }
  },
})

/** Not part of the interface, so only `/v1` has it. */
const executors = endpoint({
  name: 'v1.scripts.executors',
  summary: 'Executors that ran a script.',
  method: 'GET',
  path: '/v1/scripts/:script_id/executors',
  auth: 'script',
  scope: 'statistics:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: shape.ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

export const statistics: readonly Endpoint[] = [
  ...[projectExecutions, projectExecutors, executions].flat(),
  executors,
]
