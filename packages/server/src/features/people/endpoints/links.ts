/** Links that let people in: for the owner of an account, and for those who lost their access. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { objectToRemoval } from '../owners.ts'
import { requestReset, resetPassword } from '../sign-in/reset.ts'
import { lookAtLink, setUpOwner } from '../sign-in/set-up.ts'
import { AUTH_BODY_LIMIT, Link, Password } from './shapes.ts'
import { SignedInAnswer, SteppedAnswer, signedIn, stepped, whenceOf } from './signed-in.ts'

const look = endpoint({
  name: 'v1.auth.setUp.look',
  summary: 'What a link is for, before it is used.',
  description:
    'Shows whether the link sets up an account or resets a person’s access, and for whom, so that a page can say so. The link is not used up by looking.',
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
      Type.String({ description: 'of the person whose access is reset, or who objects' }),
    ),
    account: shape.nullable(
      Type.String({ description: 'e-mail address of the account that is set up, or that removed an owner' }),
    ),
  }),
  failures: { link_gone: 0 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? lookAtLink(deps, body.link),
})

const setUp = endpoint({
  name: 'v1.auth.setUp',
  summary: 'Become the owner of an account that has no people yet.',
  description:
    'For the first person of an account, with a link that the service printed at its first start or that an operator made. It answers the cookies of a sign-in. An account that has people already is refused.',
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
    const cookie = await setUpOwner(deps, body, whenceOf(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const request = endpoint({
  name: 'v1.auth.reset.request',
  summary: 'Ask for a link by mail; the answer is the same whether or not the address is known.',
  description:
    'Sends a link to choose a new password, if a person has this address and the service sends mail. Nobody learns from the answer or its time whether that is so. The link counts once and for 30 minutes.',
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
  summary: 'Choose a new password with a link; all sign-ins end.',
  description:
    'Uses the link and sets the password. All other browsers of the person are signed out. With a second factor a ticket is answered, as after a password.',
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
    const step = await resetPassword(deps, body, whenceOf(origin))
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

const object = endpoint({
  name: 'v1.auth.objection',
  summary: 'Become an owner again after being removed or given a lower role.',
  description:
    'For the link that an owner gets by mail when they lose the role. It works once, for seven days: the person is an owner again, nothing else in the account changes, the other owners get a mail, and nobody can remove them for seven days. It signs nobody in.',
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
