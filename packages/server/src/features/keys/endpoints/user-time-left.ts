/** Endpoints that pause, resume and extend a key. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { extendUser, pauseUser, resumeUser } from '../time-left.ts'

const pause = endpoint({
  name: 'v1.users.pause',
  summary: 'Pause a key',
  description:
    'Pauses a key, for example during a payment dispute: current runs are ended, and new runs are denied with `key_paused`. The remaining time is kept until the key is resumed. Expired keys cannot be paused.',
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
  summary: 'Resume a key',
  description:
    'Lets a paused key run again immediately. If the key has a running clock or an expiry, its expiry is postponed by the duration of the pause.',
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
  summary: 'Extend a key',
  description:
    "Adds `duration` milliseconds to the remaining time of a key. Expired keys are extended from now. For paused keys, the time is added when they resume, and for keys that have not been used yet, when their clock starts. The added time is kept if the plan's duration changes. Keys that never expire cannot be extended.",
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
      description: 'time to add, in milliseconds, up to a hundred years',
      examples: [2_592_000_000],
    }),
  }),
  response: shape.Done,
  failures: { account_expired: 0, user_never_expires: 1 },
  handle: async ({ subject, body }, deps) => (await extendUser(deps, subject, body.duration)) ?? {},
})

export const userPauses: readonly Endpoint[] = [pause, resume, extend]
