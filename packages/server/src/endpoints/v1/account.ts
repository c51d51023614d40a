/** The caller's own account in the newer family, where the API key may come as a parameter too. */
import { Type } from 'typebox'
import { resetApiKey } from '../../domain/api-keys.ts'
import { describeCustomer } from '../../domain/customers.ts'
import { Refused } from '../../domain/refusals.ts'
import { executionsByScript, executorStatistics } from '../../domain/statistics.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import { ApiKeyMember, Customer, ExecutionsByScript, ExecutorsAnswer, Yes } from '../shapes.ts'

const get = endpoint({
  name: 'v1.account.get',
  summary: 'Get the account with its totals.',
  method: 'GET',
  path: '/v1/account',
  auth: 'account',
  params: Nothing,
  query: ApiKeyMember,
  body: Nothing,
  response: Type.Object({ success: Yes, customer: Customer }),
  failures: {},
  async handle({ subject }, deps) {
    return { customer: await describeCustomer(deps, subject) }
  },
})

const executions = endpoint({
  name: 'v1.account.executions',
  summary: 'Executions of the account by script and day.',
  method: 'GET',
  path: '/v1/account/executions',
  auth: 'account',
  params: Nothing,
  query: ApiKeyMember,
  body: Nothing,
  response: Type.Object({ success: Yes, executions: ExecutionsByScript }),
  failures: {},
  async handle({ subject }, deps) {
    return { executions: await executionsByScript(deps, { customer: subject }) }
  },
})

const executors = endpoint({
  name: 'v1.account.executors',
  summary: 'Executors that ran the scripts of the account.',
  method: 'GET',
  path: '/v1/account/executors',
  auth: 'account',
  params: Nothing,
  query: ApiKeyMember,
  body: Nothing,
  response: ExecutorsAnswer,
  failures: {},
  handle: ({ subject }, deps) => executorStatistics(deps, { customer: subject }),
})

const resetKey = endpoint({
  name: 'v1.account.resetKey',
  summary: 'Replace the API key at once; the new one is in the answer and shown nowhere else.',
  method: 'POST',
  path: '/v1/account/reset',
  auth: 'account',
  params: Nothing,
  query: ApiKeyMember,
  body: ApiKeyMember,
  response: Type.Object({ success: Yes, api_key: Type.String() }),
  failures: {},
  async handle({ subject }, deps) {
    const apiKey = await resetApiKey(deps, subject)
    return apiKey instanceof Refused ? apiKey : { api_key: apiKey }
  },
})

export const account: readonly Endpoint[] = [get, executions, executors, resetKey]
