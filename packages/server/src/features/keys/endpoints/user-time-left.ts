/** Pauses and extends a key. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { extendUser, pauseUser, resumeUser } from '../time-left.ts'

const pause = endpoint({
  name: 'v1.users.pause',
  summary: 'Pause a key: it does not run, and keeps the time that is left.',
  description:
    'For somebody who is away, or while a payment is looked into. What runs is ended, and new runs are denied with `key_paused`. The time of the pause is given back when the key is resumed. A key that has ended already is refused.',
  method: 'POST',
  path: '/v1/users/:user_key/pause',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  response: shape.Done,
  failures: { account_expired: 0, user_already_paused: 1, user_expired: 2 },
  handle: async ({ subject }, deps) => (await pauseUser(deps, subject)) ?? {},
})

const resume = endpoint({
  name: 'v1.users.resume',
  summary: 'Resume a paused key with the time that was left.',
  description:
    'The key runs again at once. Its end moves by as long as it was paused; a key without an end, or one that waits for its first use, stays as it was.',
  method: 'POST',
  path: '/v1/users/:user_key/resume',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  response: shape.Done,
  failures: { account_expired: 0, user_not_paused: 1 },
  handle: async ({ subject }, deps) => (await resumeUser(deps, subject)) ?? {},
})

const extend = endpoint({
  name: 'v1.users.extend',
  summary: 'Add time to a key.',
  description:
    'Adds `duration` milliseconds to what the key has left: an expired key gets them from now, a paused one when it is resumed, and a clock that waits for its first use once it begins. The time stays when the plan of the key gets another duration. A key that never ends is refused.',
  example: { body: { duration: 2_592_000_000 } },
  method: 'POST',
  path: '/v1/users/:user_key/extend',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  body: shape.members({
    duration: Type.Integer({
      minimum: 1,
      maximum: 3_155_760_000_000,
      description: 'milliseconds, at most a hundred years',
      examples: [2_592_000_000],
    }),
  }),
  response: shape.Done,
  failures: { account_expired: 0, user_never_expires: 1 },
  handle: async ({ subject, body }, deps) => (await extendUser(deps, subject, body.duration)) ?? {},
})

export const userPauses: readonly Endpoint[] = [pause, resume, extend]
