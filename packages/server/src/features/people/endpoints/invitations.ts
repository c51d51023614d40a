/** Endpoints that let recipients view and accept an invitation. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { ROLE_NAMES } from '../../access/roles.ts'
import { acceptInvitation, lookAtInvitation } from '../accept-invitation.ts'
import { findOwnSignIn } from './own-cookie.ts'
import { AUTH_BODY_LIMIT, Link, Password } from './shapes.ts'
import { readWhence, SteppedAnswer, stepped } from './signed-in.ts'

const look = endpoint({
  name: 'v1.auth.invitation.look',
  summary: 'Retrieve an invitation by link',
  description:
    'Returns the account, role and email address of an invitation, so that a page can ask for confirmation. `has_person` indicates whether to ask for the password of an existing user account or for the name and password of a new one. The invitation stays pending.',
  example: {
    answer: {
      success: true,
      email: 'grace@shop.example.com',
      account: 'owner@shop.example.com',
      role: 'support',
      invited_by: 'ada@shop.example.com',
      has_person: false,
    },
  },
  method: 'POST',
  path: '/v1/auth/invitation/look',
  auth: 'none',
  scope: null,
  changes: false,
  body: shape.members({ link: Link }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: Type.Object({
    success: shape.Yes,
    email: Type.String({ description: 'email address of the invited person' }),
    account: Type.String({ description: 'email address of the account' }),
    role: Type.Enum([...ROLE_NAMES]),
    invited_by: Type.String(),
    has_person: Type.Boolean({
      description:
        'whether a user account with this email address exists. If so, ask for its password or a sign-in',
    }),
  }),
  failures: { link_gone: 0 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? lookAtInvitation(deps, body.link),
})

const accept = endpoint({
  name: 'v1.auth.invitation',
  summary: 'Accept an invitation',
  description:
    'Makes the invited person a member of the account. Users already signed in with that email address only send the link; others also send the password of their existing user account, or a name and a password for a new one. If the response contains a ticket, finish the sign-in first and then repeat the request without a password. If another user is signed in, the request fails.',
  example: {
    answer: { success: true, done: true },
    body: {
      link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c',
      name: 'Grace',
      password: 'correct horse battery staple',
    },
  },
  method: 'POST',
  path: '/v1/auth/invitation',
  auth: 'none',
  scope: null,
  body: shape.members({
    link: Link,
    name: Type.Optional(shape.Name),
    password: Type.Optional(Password),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: SteppedAnswer,
  failures: {
    link_gone: 0,
    invitation_for_another: 1,
    sign_in_first: 2,
    wrong_credentials: 3,
    already_member: 4,
    max_members_reached: 5,
    passkey_needed: 6,
  },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    const signedIn = await findOwnSignIn(deps, origin)
    if (signedIn instanceof Refused) return signedIn
    const step = await acceptInvitation(deps, body, { signedIn, whence: readWhence(origin) })
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

export const invitations: readonly Endpoint[] = [look, accept]
