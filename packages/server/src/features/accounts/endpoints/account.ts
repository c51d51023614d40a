/**
 * Endpoints for the caller's account, which is identified by the API key in the path or, under `/v1`, by the
 * token or the `api_key` field.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { replaceAccountKey, replaceAccountKeyUnseen, takeAccountKey } from '../../access/account-key.ts'
import { describeAccount, describeCustomer, editAccount } from '../customers.ts'
import { executionsByScript, executorStatistics } from '../statistics.ts'

const AccountAnswer = Type.Object({ success: shape.Yes, customer: shape.Account })

const get = inBothFamilies(
  {
    name: 'customers.get',
    summary: 'Retrieve the account',
    description:
      "Returns the account's service tier and its expiry, the number of obfuscations used, and the totals of projects, scripts, users, executions and sessions. The response time does not depend on the number of users.",
    method: 'GET',
    path: '/customers/:api_key',
    auth: 'customerByPathKey',
    scope: 'account:read',
    params: shape.ApiKeyParams,
    response: Type.Object({ success: shape.Yes, customer: shape.Customer }),
    async handle({ subject }, deps) {
      return { customer: await describeCustomer(deps, subject) }
    },
  },
  {
    v1: {
      name: 'v1.account.get',
      path: '/v1/account',
      auth: 'account',
      params: Nothing,
      query: shape.ApiKeyMember,
      response: AccountAnswer,
      async handle({ subject }, deps) {
        return { customer: await describeAccount(deps, subject) }
      },
    },
  },
)

const executions = inBothFamilies(
  {
    name: 'customers.executions',
    summary: 'Retrieve execution statistics',
    description:
      'Returns the granted executions of the last 30 days (UTC) by day, in total and for every script in the account. Days without executions are included.',
    method: 'GET',
    path: '/customers/:api_key/executions',
    auth: 'customerByPathKey',
    scope: 'statistics:read',
    compresses: 'answer',
    params: shape.ApiKeyParams,
    response: Type.Object({ success: shape.Yes, executions: shape.ExecutionsByScript }),
    async handle({ subject }, deps) {
      return { executions: await executionsByScript(deps, { customer: subject }) }
    },
  },
  {
    v1: {
      name: 'v1.account.executions',
      path: '/v1/account/executions',
      auth: 'account',
      params: Nothing,
      query: shape.ApiKeyMember,
      async handle({ subject }, deps) {
        return { executions: await executionsByScript(deps, { customer: subject }) }
      },
    },
  },
)

const executors = inBothFamilies(
  {
    name: 'customers.executors',
    summary: 'Retrieve executor statistics',
    description:
      'Returns the executors that ran your scripts in the last 30 days, with percentages, most used first. Executor names are reported by clients and can be forged.',
    method: 'GET',
    path: '/customers/:api_key/executors',
    auth: 'customerByPathKey',
    scope: 'statistics:read',
    compresses: 'answer',
    params: shape.ApiKeyParams,
    response: shape.ExecutorsAnswer,
    handle: ({ subject }, deps) => executorStatistics(deps, { customer: subject }),
  },
  {
    v1: {
      name: 'v1.account.executors',
      path: '/v1/account/executors',
      auth: 'account',
      params: Nothing,
      query: shape.ApiKeyMember,
      handle: ({ subject }, deps) => executorStatistics(deps, { customer: subject }),
    },
  },
)

/** Maximum body size in bytes. The body contains at most an API key. */
const MAX_BODY_LENGTH = 2048

const resetKeyByMail = endpoint({
  name: 'customers.resetKey',
  summary: 'Reset the API key',
  description:
    "Replaces a compromised API key. The key in the path stops working immediately. The new key is not in the response: it is sent to the account's email address, and an owner can also collect it in the dashboard. If the server cannot send email and the account has no owner who can sign in, the request fails and the key is not replaced.",
  method: 'POST',
  path: '/customers/:api_key/reset',
  auth: 'customerByPathKey',
  scope: 'account:write',
  event: 'key_reset',
  params: shape.ApiKeyParams,
  bodyLimit: MAX_BODY_LENGTH,
  response: shape.Done,
  failures: { mail_not_configured: 0 },
  async handle({ subject, caller }, deps) {
    return (await replaceAccountKeyUnseen(deps, { customer: subject, caller })) ?? {}
  },
})

const resetKey = endpoint({
  name: 'v1.account.resetKey',
  summary: 'Reset the API key',
  description:
    'Replaces the API key and returns the new one, which is not shown again. The previous key stops working immediately, or after `overlap_ms` (up to 24 hours), so that you can update your programs. Tokens and dashboard sessions are not affected. Only owners and the API key itself can do this.',
  example: { body: { overlap_ms: 3_600_000 } },
  method: 'POST',
  path: '/v1/account/reset',
  auth: 'account',
  scope: 'account:write',
  event: 'key_reset',
  requiresRecentAuth: true,
  query: shape.ApiKeyMember,
  body: shape.members({ ...shape.ApiKeyMember.properties, overlap_ms: shape.maybe(shape.Overlap) }),
  bodyLimit: MAX_BODY_LENGTH,
  response: Type.Object({ success: shape.Yes, api_key: Type.String() }),
  async handle({ subject, caller, body }, deps) {
    const apiKey = await replaceAccountKey(deps, { customer: subject, caller }, body.overlap_ms ?? 0)
    return apiKey instanceof Refused ? apiKey : { api_key: apiKey }
  },
})

const takeKey = endpoint({
  name: 'v1.account.takeKey',
  summary: 'Collect a new API key',
  description:
    "Returns the API key created by `POST /customers/:api_key/reset`. Only owners can collect it, and only once. The key is kept until it is emailed, for up to 30 days. The account's `api_key_waits` field indicates whether a key is available. If the API key is replaced again, an uncollected key is discarded.",
  method: 'POST',
  path: '/v1/account/waiting-key',
  auth: 'customer',
  scope: 'account:write',
  requiresRecentAuth: true,
  bodyLimit: MAX_BODY_LENGTH,
  response: Type.Object({ success: shape.Yes, api_key: Type.String() }),
  failures: { no_api_key_waits: 0 },
  async handle({ subject, caller }, deps) {
    const apiKey = await takeAccountKey(deps, { customer: subject, caller })
    return apiKey instanceof Refused ? apiKey : { api_key: apiKey }
  },
})

const edit = endpoint({
  name: 'v1.account.edit',
  summary: 'Update the account',
  description:
    "Changes whether the account accepts its API key in the path. Paths end up in logs and browser histories, so turn this off once all of your programs send the key in a header. The account's `path_key_used_at` field shows when the key was last used in a path.",
  example: { body: { allow_path_key: false } },
  method: 'POST',
  path: '/v1/account/edit',
  auth: 'customer',
  scope: 'account:write',
  body: shape.members({
    allow_path_key: shape.maybe(
      Type.Boolean({
        description: 'whether the account accepts its API key in the path (/customers/:api_key)',
        examples: [false],
      }),
    ),
  }),
  response: AccountAnswer,
  failures: { cannot_edit_nothing: 0 },
  async handle({ subject, body }, deps) {
    const row = await editAccount(deps, subject.id, shape.given(body))
    return row instanceof Refused ? row : { customer: await describeAccount(deps, row) }
  },
})

export const account: readonly Endpoint[] = [
  ...[get, executions, executors].flat(),
  ...[resetKeyByMail, resetKey, takeKey, edit],
]
