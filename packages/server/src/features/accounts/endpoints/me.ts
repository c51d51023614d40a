/** The caller's identity, and a user's dashboard sessions. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { refuse } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import type { Deps } from '../../../deps.ts'
import type { Identified } from '../../access/callers.ts'
import { revokeOwn } from '../../access/tokens.ts'
import { accountsOf, describeOwnPerson } from '../../people/own-person.ts'
import { mustAddFactor } from '../../people/sign-in/required-factors.ts'
import { endOtherSignIns, endSignIn, ownSignIns } from '../../people/sign-in/sign-in.ts'

const OwnAccount = Type.Object({ id: Type.String(), email: Type.String(), role: Type.String() })
const OwnPerson = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  language: shape.nullable(Type.String()),
  has_password: Type.Boolean(),
  has_second_factor: Type.Boolean({ description: 'whether an authenticator app is set up' }),
  recovery_codes_left: Type.Integer(),
  must_add_factor: Type.Boolean({
    description: 'whether this server requires the person to add a second factor or a passkey',
  }),
})

const me = endpoint({
  name: 'v1.me',
  summary: 'Retrieve the current caller',
  description:
    'Returns the kind, scopes, projects and account of the credential that sent the request, and all accounts of a dashboard user. Requires no scope, so it works with any valid credential.',
  example: {
    answer: {
      success: true,
      kind: 'token',
      name: 'Shop CI',
      scopes: ['scripts:read', 'scripts:write'],
      projects: ['prj_0VMc4VLkH7rAbCdEfGhIjK'],
      account: { id: 'cus_0VMc4VLkB4vEfGhIjKlMnO', email: 'owner@shop.example.com' },
      role: null,
      person: null,
      accounts: [],
    },
  },
  method: 'GET',
  path: '/v1/me',
  auth: 'caller',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    kind: Type.Enum(['api_key', 'token', 'person'], { description: 'kind of credential' }),
    name: Type.String({
      description: 'email address, name of the token, or first characters of the API key',
    }),
    scopes: Type.Array(Type.String()),
    projects: Type.Unsafe<string[] | null>({
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'IDs of the projects that the credential can access. Null if it can access all of them',
    }),
    account: Type.Unsafe<{ id: string; email: string } | null>({
      ...Type.Object({ id: Type.String(), email: Type.String() }),
      type: ['object', 'null'],
    }),
    role: shape.nullable(Type.String()),
    person: Type.Unsafe<object | null>({ ...OwnPerson, type: ['object', 'null'] }),
    accounts: Type.Array(OwnAccount),
  }),
  handle: ({ subject }, deps) => describeCaller(deps, subject),
})

async function describeCaller(deps: Deps, { caller, customer, signedIn }: Identified) {
  const { actor, scopes, projects } = caller
  const { person, seat } = signedIn ?? {}
  return {
    kind: actor.kind as 'api_key' | 'token' | 'person',
    name: actor.name,
    scopes: [...scopes],
    projects: projects === undefined ? null : [...projects],
    account: customer ? { id: customer.id, email: customer.email } : null,
    role: seat?.member.role ?? null,
    person: signedIn ? await describeSignedIn(deps, signedIn, caller) : null,
    accounts: person ? await accountsOf(deps, person.id) : [],
  }
}

async function describeSignedIn(
  deps: Deps,
  signedIn: NonNullable<Identified['signedIn']>,
  caller: Identified['caller'],
) {
  const must_add_factor = mustAddFactor(deps.config, signedIn, caller)
  return { ...(await describeOwnPerson(deps, signedIn.person)), must_add_factor }
}

const revoke = endpoint({
  name: 'v1.me.revoke',
  summary: 'Revoke the current token',
  description:
    "Revokes the token that sent the request, effective with the next request. Doesn't require permission to edit tokens.",
  method: 'POST',
  path: '/v1/me/revoke',
  auth: 'caller',
  scope: null,
  event: 'token_revoked',
  response: shape.Done,
  async handle({ subject: { token } }, deps) {
    if (token === undefined) return refuse('forbidden', { needs: 'a token' })
    await revokeOwn(deps, token)
    return {}
  },
})

const list = endpoint({
  name: 'v1.signIns.list',
  summary: 'List dashboard sessions',
  description:
    'Returns the browsers you are signed in with. If you do not recognize a browser or network, end its session. `current` marks the session of this request. Sessions expire after 12 hours without use, and after 14 days at the latest.',
  method: 'GET',
  path: '/v1/sign-ins',
  auth: 'person',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    sign_ins: Type.Array(
      Type.Object({
        id: Type.String(),
        current: Type.Boolean({ description: 'whether this session sent the request' }),
        created_at: Type.Integer(),
        last_used_at: Type.Integer(),
        network: Type.String(),
        browser: Type.String({ examples: ['Firefox on Linux'] }),
      }),
    ),
  }),
  handle: async ({ subject }, deps) => ({ sign_ins: await ownSignIns(deps, subject.signIn) }),
})

const end = endpoint({
  name: 'v1.signIns.end',
  summary: 'End a dashboard session',
  description:
    "Signs out a browser, effective with its next request. If you don't recognize it, change your password too.",
  method: 'POST',
  path: '/v1/sign-ins/:sign_in_id/end',
  auth: 'person',
  scope: null,
  params: Type.Object({ sign_in_id: Type.String() }),
  response: shape.Done,
  handle: async ({ subject, params }, deps) =>
    (await endSignIn(deps, subject.person.id, params.sign_in_id)) ?? {},
})

const endOthers = endpoint({
  name: 'v1.signIns.endOthers',
  summary: 'End all other dashboard sessions',
  description:
    'Signs out all browsers except this one, effective with their next requests. Tokens and the API key are not affected.',
  method: 'POST',
  path: '/v1/sign-ins/end-others',
  auth: 'person',
  scope: null,
  event: 'sign_ins_ended',
  response: shape.Done,
  async handle({ subject }, deps) {
    await endOtherSignIns(deps, subject.signIn)
    return {}
  },
})

export const whoAmI: readonly Endpoint[] = [me, revoke, list, end, endOthers]
