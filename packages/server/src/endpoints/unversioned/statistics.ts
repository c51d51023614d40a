/** Executions and executors of projects and scripts, in both families. Those of accounts are beside the accounts. */
import { Type } from 'typebox'
import { executionsByScript, executorStatistics, scriptExecutions } from '../../domain/statistics.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const projectExecutions = endpoint({
  name: 'projects.executions',
  summary: 'Executions of a project by script and day.',
  method: 'GET',
  path: '/projects/:project_id/executions',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, executions: shape.ExecutionsByScript }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await executionsByScript(deps, subject) }
  },
})

const projectExecutors = endpoint({
  name: 'projects.executors',
  summary: 'Executors that ran the scripts of a project.',
  method: 'GET',
  path: '/projects/:project_id/executors',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

const executions = endpoint({
  name: 'scripts.executions',
  summary: 'Executions of a script by day.',
  method: 'GET',
  path: '/scripts/:script_id/executions',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, executions: shape.DateMap }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await scriptExecutions(deps, subject) }
  },
})

/** Beyond the interface, which tells executors of projects and accounts alone; so the newer family has it. */
const executors = endpoint({
  name: 'v1.scripts.executors',
  summary: 'Executors that ran a script.',
  method: 'GET',
  path: '/v1/scripts/:script_id/executors',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: shape.ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, subject),
})

export const statistics: readonly Endpoint[] = [
  ...[projectExecutions, projectExecutors, executions].flatMap(inBothFamilies),
  executors,
]
