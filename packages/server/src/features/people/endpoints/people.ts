/** People as operators manage them. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { makeObjectionLink } from '../owners.ts'
import { getPerson, listAllPeople, refuseColleague, setDisabled } from '../people.ts'
import { makeResetLink } from '../sign-in/reset.ts'

const Person = shape.named('Person', {
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
  query: shape.CursorPage,
  response: Type.Object({
    success: shape.Yes,
    people: Type.Array(Person),
    total: Type.Integer(),
    next: shape.Next,
  }),
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
  response: Type.Object({ success: shape.Yes, person: Person }),
  async handle({ params }, deps) {
    const person = await getPerson(deps, params.id)
    return person instanceof Refused ? person : { person }
  },
})

const reset = endpoint({
  name: 'admin.people.reset',
  summary: 'Make a link with which a person chooses a new password; it counts once and for 30 minutes.',
  description:
    'For somebody who lost their password and gets no mail. Give the link to that person alone: anyone who opens it can sign in as them. With `factors` the second factors are removed too, so first be sure who asks. For a person who belongs to an account of operators, an owner of one has to be signed in, or use the command line.',
  example: { body: { factors: false } },
  method: 'POST',
  path: '/v1/admin/people/:id/reset',
  auth: 'admin',
  scope: 'admin',
  fresh: true,
  params: PersonParams,
  body: shape.members({
    factors: shape.maybe(
      Type.Boolean({ description: 'true also removes authenticator app, recovery codes and passkeys' }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, link: Type.String() }),
  async handle({ params, body, caller }, deps) {
    const refused = await refuseColleague(deps, caller, params.id)
    if (refused) return refused
    const link = await makeResetLink(deps, params.id, { factors: body.factors === true })
    return link instanceof Refused ? link : { link }
  },
})

const objection = endpoint({
  name: 'admin.people.objection',
  summary: 'Make a link with which a removed owner becomes an owner again; it works once.',
  description:
    'For a service without mail, or when the mail did not arrive. A person who was removed as an owner, or given a lower role, can object for seven days. The link restores them, signs nobody in, and ends when the seven days do; a former link stops working.',
  example: { body: {} },
  method: 'POST',
  path: '/v1/admin/people/:id/objection',
  auth: 'admin',
  scope: 'admin',
  fresh: true,
  params: PersonParams,
  body: shape.members({
    account: shape.maybe(
      Type.String({ maxLength: 100, description: 'id of the account; the latest removal unless given' }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, link: Type.String() }),
  failures: { nothing_to_object_to: 0 },
  async handle({ params, body }, deps) {
    const link = await makeObjectionLink(deps, params.id, body.account ?? undefined)
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
  response: shape.Done,
  handle: async ({ params, caller }, deps) =>
    (await refuseColleague(deps, caller, params.id)) ?? (await setDisabled(deps, params.id, true)) ?? {},
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
  response: shape.Done,
  handle: async ({ params, caller }, deps) =>
    (await refuseColleague(deps, caller, params.id)) ?? (await setDisabled(deps, params.id, false)) ?? {},
})

export const people: readonly Endpoint[] = [list, get, reset, objection, disable, enable]
