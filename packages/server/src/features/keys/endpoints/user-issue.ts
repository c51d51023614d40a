import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { issueUser } from '../issue.ts'
import { issuing } from './label-shapes.ts'

const issue = endpoint({
  name: 'v1.users.issue',
  summary: 'Mark a key as issued',
  description:
    "Marks a generated key as handed out: its status is `issued` until it is first used, so that it isn't handed out twice. If `issued_by` is omitted, the current value is kept; if there is none, the caller's name is used. Keys that were already issued or used return an error; edit them instead.",
  example: { body: { issued_to: 'grace', issued_by: 'Shop on Main Street' } },
  method: 'POST',
  path: '/v1/users/:user_key/issue',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  body: shape.members(issuing),
  response: shape.Done,
  failures: { account_expired: 0, user_already_issued: 1, user_already_used: 2 },
  handle: async ({ subject, body }, deps) => (await issueUser(deps, subject, shape.given(body))) ?? {},
})

export const userIssue: readonly Endpoint[] = [issue]
