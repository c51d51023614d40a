/** Invitations as those see them who got one: what it is for, and accepting it. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { ROLE_NAMES } from '../../access/roles.ts'
import { acceptInvitation, lookAtInvitation } from '../accept-invitation.ts'
import { findOwnSignIn } from './own-cookie.ts'
import { AUTH_BODY_LIMIT, Link, Password } from './shapes.ts'
import { SteppedAnswer, stepped, whenceOf } from './signed-in.ts'

const look = endpoint({
  name: 'v1.auth.invitation.look',
  summary: 'What an invitation is for, before it is accepted.',
  description:
    'Which account invites whom to which role, so that a page can ask before anything happens. `has_person` tells whether to ask for a password or for a new name. The invitation stays open.',
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
    email: Type.String({ description: 'address of the invited person' }),
    account: Type.String({ description: 'e-mail address of the account' }),
    role: Type.Enum([...ROLE_NAMES]),
    invited_by: Type.String(),
    has_person: Type.Boolean({
      description: 'true when a person has the e-mail address: they sign in or give their password',
    }),
  }),
  failures: { link_gone: 0 },
  handle: async ({ body, origin }, deps) =>
    (await limitAddress(deps, 'authAddress', origin.address)) ?? lookAtInvitation(deps, body.link),
})

const accept = endpoint({
  name: 'v1.auth.invitation',
  summary:
    'Join an account by an invitation: signed in with its e-mail address, with the password of the person who has it, or as a new person with name and password. With a ticket, finish the sign-in first and repeat this without a password.',
  description:
    'Makes the person with the address of the invitation a member. Who is signed in needs nothing else; others prove who they are with their password, or become a new person. Signed in under another address it is refused, so that nobody joins with the wrong one.',
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
    const step = await acceptInvitation(deps, body, { signedIn, whence: whenceOf(origin) })
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

export const invitations: readonly Endpoint[] = [look, accept]
