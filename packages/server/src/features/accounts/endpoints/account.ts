/** The account of the caller, named by the API key in the path or, under `/v1`, by the token or the member `api_key`. */
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
    summary: 'Get the account with its totals.',
    description:
      'Totals of projects, scripts, users, executions and sessions, the plan with its end, and how many obfuscations were used. Totals are kept with every change, so this is as quick for a million users as for ten.',
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
    summary: 'Executions of the account by script and day.',
    description:
      'Granted executions of the last 30 days in UTC, by day, for every script of the account and in total. Made for a chart: every day is there, also one without executions.',
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
    summary: 'Executors that ran the scripts of the account.',
    description:
      'Which executors ran your scripts in the last 30 days, with their share in per cent, most used first. An executor is called as it names itself, so do not take a name for proof.',
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

/** In bytes, for a body that has at most an API key. */
const MAX_BODY_LENGTH = 2048

const resetKeyByMail = endpoint({
  name: 'customers.resetKey',
  summary:
    "Replace the API key at once; the new one goes to the account's mail address, or waits for its owner.",
  description:
    'For an API key that got into the wrong hands: the key in the path ends at once, and the new one is not in the answer. It is sent to the mail address of the account. An owner who signs in to the dashboard can take it there, too, which is the only way where the service sends no mail. Where it sends none and no owner can sign in, the call is refused and the key stays.',
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
  summary:
    'Replace the API key; the new one is in the answer and shown nowhere else. The former one ends at once, or after overlap_ms. Only owners and the key itself may do this.',
  description:
    'Give your programs time with `overlap_ms`: for up to a day both keys work. Without it the former key is refused from the next request on. Tokens and sign-ins are not touched. The key opens everything, so admins and tokens are refused.',
  example: { body: { overlap_ms: 3_600_000 } },
  method: 'POST',
  path: '/v1/account/reset',
  auth: 'account',
  scope: 'account:write',
  event: 'key_reset',
  fresh: true,
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
  summary:
    'Show the API key that a reset by the former one left waiting. It is shown once, and to owners only.',
  description:
    'After `POST /customers/:api_key/reset` the new key waits for up to 30 days, or until its mail was sent. `api_key_waits` of the account says whether one does. A replacement of the key removes it.',
  method: 'POST',
  path: '/v1/account/waiting-key',
  auth: 'customer',
  scope: 'account:write',
  fresh: true,
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
  summary: 'Change a setting of the account: whether paths may carry its API key.',
  description:
    'Paths are written into logs and histories, so an account whose programs all send a header should close the form with the key in the path. `path_key_used_at` of the account tells whether one still uses it.',
  example: { body: { allow_path_key: false } },
  method: 'POST',
  path: '/v1/account/edit',
  auth: 'customer',
  scope: 'account:write',
  body: shape.members({
    allow_path_key: shape.maybe(
      Type.Boolean({ description: 'false closes /customers/:api_key to this account', examples: [false] }),
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
