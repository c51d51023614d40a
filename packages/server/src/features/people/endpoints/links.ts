/** Endpoints for setup links, and for links that restore lost access. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { objectToRemoval } from '../owners.ts'
import { requestReset, resetPassword } from '../sign-in/reset.ts'
import { lookAtLink, setUpOwner } from '../sign-in/set-up.ts'
import { AUTH_BODY_LIMIT, Link, Password } from './shapes.ts'
import { readWhence, SignedInAnswer, SteppedAnswer, signedIn, stepped } from './signed-in.ts'

const look = endpoint({
  name: 'v1.auth.setUp.look',
  summary: 'Retrieve a link',
  description:
    'Returns what a link is for (setting up an account, resetting a password or restoring ownership) and the email addresses it applies to, so that a page can show them. The link stays valid.',
  example: { answer: { success: true, purpose: 'set_up', email: null, account: 'owner@shop.example.com' } },
  method: 'POST',
  path: '/v1/auth/set-up/look',
  auth: 'none',
  scope: null,
  changes: false,
  body: shape.members({ link: Link }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: Type.Object({
    success: shape.Yes,
    purpose: Type.Enum(['set_up', 'reset', 'owner_objection']),
    email: shape.nullable(
      Type.String({
        description: 'email address of the person whose password is reset or who regains ownership',
      }),
    ),
    account: shape.nullable(
      Type.String({ description: 'email address of the account that is set up or that removed an owner' }),
    ),
  }),
  failures: { link_gone: 0 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? lookAtLink(deps, body.link),
})

const setUp = endpoint({
  name: 'v1.auth.setUp',
  summary: 'Set up an account',
  description:
    'Creates the first user of an account and makes them its owner. Requires the setup link that the server printed on its first start, or one created by an operator. Sets the session cookies. If the account already has members, the request fails.',
  example: {
    body: {
      link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c',
      email: 'ada@shop.example.com',
      name: 'Ada',
      password: 'correct horse battery staple',
    },
  },
  method: 'POST',
  path: '/v1/auth/set-up',
  auth: 'none',
  scope: null,
  body: shape.members({ link: Link, email: shape.Email, name: shape.Name, password: Password }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: SignedInAnswer,
  failures: { link_gone: 0, account_has_people: 1, email_already_taken: 2 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    const cookie = await setUpOwner(deps, body, readWhence(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const request = endpoint({
  name: 'v1.auth.reset.request',
  summary: 'Request a password reset',
  description:
    'Emails a link for choosing a new password, if a user account with this address exists and the server can send email. The response and its timing are the same either way. The link can be used once, within 30 minutes.',
  example: { body: { email: 'ada@shop.example.com' } },
  method: 'POST',
  path: '/v1/auth/reset/request',
  auth: 'none',
  scope: null,
  changes: false,
  body: shape.members({ email: shape.Email }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    await requestReset(deps, body.email)
    return {}
  },
})

const reset = endpoint({
  name: 'v1.auth.reset',
  summary: 'Reset a password',
  description:
    "Sets a new password and signs the user out of all other browsers. The link can't be used again. Users with a second factor receive a ticket, as they do when they sign in with a password.",
  example: {
    answer: { success: true, done: true },
    body: { link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c', password: 'correct horse battery staple' },
  },
  method: 'POST',
  path: '/v1/auth/reset',
  auth: 'none',
  scope: null,
  event: 'password_reset',
  body: shape.members({ link: Link, password: Password }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: SteppedAnswer,
  failures: { link_gone: 0, passkey_needed: 1 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    const step = await resetPassword(deps, body, readWhence(origin))
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

const object = endpoint({
  name: 'v1.auth.objection',
  summary: 'Restore ownership',
  description:
    "Restores a former owner's role, using the link they were emailed when they lost it. The link works once, within seven days. Nothing else in the account changes, the other owners are notified by email, and the person can't be removed for seven days. Doesn't sign anyone in.",
  example: { body: { link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c' } },
  method: 'POST',
  path: '/v1/auth/objection',
  auth: 'none',
  scope: null,
  event: 'owner_restored',
  body: shape.members({ link: Link }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  failures: { link_gone: 0 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    return limited ?? (await objectToRemoval(deps, body.link)) ?? {}
  },
})

export const links: readonly Endpoint[] = [look, setUp, request, reset, object]
