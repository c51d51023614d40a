/** People as operators manage them. */
import { Type } from 'typebox'
import { getPerson, listAllPeople, setDisabled } from '../../domain/people/people.ts'
import { makeResetLink } from '../../domain/people/reset.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const Person = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  language: shape.nullable(Type.String()),
  has_password: Type.Boolean(),
  has_second_factor: Type.Boolean(),
  recovery_codes_left: Type.Integer(),
  passkeys: Type.Integer(),
  disabled: Type.Boolean(),
  created_at: Type.Integer(),
  last_sign_in_at: shape.nullable(Type.Integer()),
  accounts: Type.Array(Type.Object({ id: Type.String(), email: Type.String(), role: Type.String() })),
})
const PersonParams = Type.Object({ id: Type.String() })

const list = endpoint({
  name: 'admin.people.list',
  summary: 'List the people.',
  description:
    'Everybody who can sign in, with the accounts that they belong to, their second factors and when they were last here. A person without accounts can be a former member.',
  method: 'GET',
  path: '/v1/admin/people',
  auth: 'admin',
  scope: 'admin',
  params: Nothing,
  query: shape.CursorPage,
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    people: Type.Array(Person),
    total: Type.Integer(),
    next: shape.Next,
  }),
  failures: {},
  handle: ({ query }, deps) => listAllPeople(deps, shape.given(query)),
})

const get = endpoint({
  name: 'admin.people.get',
  summary: 'Get a person.',
  description:
    'One person with their accounts and roles, and which ways to sign in they have. No password and no secret of a second factor can be read by anyone.',
  method: 'GET',
  path: '/v1/admin/people/:id',
  auth: 'admin',
  scope: 'admin',
  params: PersonParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, person: Person }),
  failures: {},
  async handle({ params }, deps) {
    const person = await getPerson(deps, params.id)
    return person instanceof Refused ? person : { person }
  },
})

const reset = endpoint({
  name: 'admin.people.reset',
  summary: 'Make a link with which a person chooses a new password; it counts once and for 30 minutes.',
  description:
    'For somebody who lost their password and gets no mail. Give the link to that person alone: whoever opens it can sign in as them. With `factors` the second factors are removed too, so first be sure who asks.',
  example: { body: { factors: false } },
  method: 'POST',
  path: '/v1/admin/people/:id/reset',
  auth: 'admin',
  scope: 'admin',
  fresh: true,
  params: PersonParams,
  query: Nothing,
  body: shape.members({
    factors: shape.maybe(
      Type.Boolean({ description: 'true also removes authenticator app, recovery codes and passkeys' }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, link: Type.String() }),
  failures: {},
  async handle({ params, body }, deps) {
    const link = await makeResetLink(deps, params.id, { factors: body.factors === true })
    return link instanceof Refused ? link : { link }
  },
})

const disable = endpoint({
  name: 'admin.people.disable',
  summary: 'Keep a person out; all their sign-ins end at once.',
  description:
    'The person cannot sign in any more and is signed out everywhere. Their memberships stay, and so do the tokens of the accounts, which belong to those.',
  method: 'POST',
  path: '/v1/admin/people/:id/disable',
  auth: 'admin',
  scope: 'admin',
  params: PersonParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: {},
  handle: async ({ params }, deps) => (await setDisabled(deps, params.id, true)) ?? {},
})

const enable = endpoint({
  name: 'admin.people.enable',
  summary: 'Let a person in again.',
  description: 'Undoes a disabling: the person signs in with the same password and second factors as before.',
  method: 'POST',
  path: '/v1/admin/people/:id/enable',
  auth: 'admin',
  scope: 'admin',
  params: PersonParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: {},
  handle: async ({ params }, deps) => (await setDisabled(deps, params.id, false)) ?? {},
})

export const people: readonly Endpoint[] = [list, get, reset, disable, enable]
