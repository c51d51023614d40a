/** Endpoints that let operators manage dashboard users. */
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
  summary: 'List user accounts',
  description:
    'Returns all dashboard users, with their accounts, second factors and last sign-in. A person without accounts may be a former member.',
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
  summary: 'Retrieve a user account',
  description:
    'Returns a person with their accounts, roles and sign-in methods. Passwords and second-factor secrets cannot be read.',
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
  summary: 'Create a password reset link',
  description:
    "Creates a single-use link for choosing a new password, valid for 30 minutes, for someone who lost their password and can't receive email. Share it only with that person: anyone who opens it can sign in as them. With `factors`, their second factors are removed too, so verify the request first. For members of operator accounts, this requires a signed-in owner of an operator account, or the command line.",
  example: { body: { factors: false } },
  method: 'POST',
  path: '/v1/admin/people/:id/reset',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
  params: PersonParams,
  body: shape.members({
    factors: shape.maybe(
      Type.Boolean({
        description: 'whether to also remove the authenticator app, backup codes and passkeys',
      }),
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
  summary: 'Create a link to restore ownership',
  description:
    "Creates a link that lets a former owner restore their ownership, for servers without email or if the email did not arrive. A person who was removed as an owner, or lost the role, can use it once, within seven days of losing it. The link doesn't sign anyone in, and it replaces any previous link.",
  example: { body: {} },
  method: 'POST',
  path: '/v1/admin/people/:id/objection',
  auth: 'admin',
  scope: 'admin',
  requiresRecentAuth: true,
  params: PersonParams,
  body: shape.members({
    account: shape.maybe(
      Type.String({
        maxLength: 100,
        description: 'account ID. Default: the account they were last removed from',
      }),
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
  summary: 'Disable a user account',
  description:
    'Prevents a person from signing in and ends all of their dashboard sessions immediately. Their memberships and the tokens of their accounts are kept.',
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
  summary: 'Enable a user account',
  description: 'Lets a disabled user sign in again with the same password and second factors as before.',
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
