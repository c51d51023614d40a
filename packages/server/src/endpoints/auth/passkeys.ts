/** Signing in with a passkey, and the passkeys of a person. */
import { Type } from 'typebox'
import {
  beginPasskey,
  beginPasskeySignIn,
  confirmWithPasskey,
  finishPasskey,
  listOwnPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from '../../domain/people/passkeys.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { Ticket } from './second-factors.ts'
import { renewed, SignedInAnswer, signedIn, whenceOf } from './signed-in.ts'
import { AssertionMember, NewCredentialMember, OptionsMember } from './webauthn-shapes.ts'

export const BODY_LIMIT = 65_536

export const Begun = Type.Object({ success: shape.Yes, ticket: Ticket, options: OptionsMember })
const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.Integer(),
  last_used_at: shape.nullable(Type.Integer()),
})
const PasskeyParams = Type.Object({ passkey_id: Type.String() })

const begin = endpoint({
  name: 'v1.auth.passkeys.begin',
  summary: 'Begin a sign-in with a passkey; no e-mail address is needed.',
  method: 'POST',
  path: '/v1/auth/passkeys/begin',
  auth: 'none',
  scope: null,
  changes: false,
  params: Nothing,
  query: Nothing,
  body: Nothing,
  bodyLimit: BODY_LIMIT,
  response: Begun,
  failures: { passkeys_unavailable: 0 },
  handle: ({ origin }, deps) => beginPasskeySignIn(deps, origin.headers.origin, origin.address),
})

const finish = endpoint({
  name: 'v1.auth.passkeys.finish',
  summary: 'Sign in with what the passkey answered.',
  method: 'POST',
  path: '/v1/auth/passkeys/finish',
  auth: 'none',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: shape.members({ ticket: Ticket, response: AssertionMember }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: { passkeys_unavailable: 0, ticket_gone: 1, passkey_refused: 2 },
  async handle({ body, origin }, deps) {
    const cookie = await signInWithPasskey(deps, body, whenceOf(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const confirm = endpoint({
  name: 'v1.auth.passkeys.confirm',
  summary: 'Prove once more who you are, with a ticket and options of /v1/auth/passkeys/begin.',
  method: 'POST',
  path: '/v1/auth/passkeys/confirm',
  auth: 'person',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: shape.members({ ticket: Ticket, response: AssertionMember }),
  bodyLimit: BODY_LIMIT,
  response: shape.Done,
  failures: { passkeys_unavailable: 0, ticket_gone: 1, passkey_refused: 2 },
  async handle({ subject, body, origin: { address } }, deps) {
    const cookie = await confirmWithPasskey(deps, subject.signIn, { shown: body, address })
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const addBegin = endpoint({
  name: 'v1.auth.passkeys.addBegin',
  summary: 'Begin to add a passkey.',
  method: 'POST',
  path: '/v1/auth/passkeys/add-begin',
  auth: 'person',
  scope: null,
  fresh: true,
  changes: false,
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Begun,
  failures: { passkeys_unavailable: 0, too_many_passkeys: 3 },
  handle: ({ subject, origin }, deps) => beginPasskey(deps, subject.person, origin.headers.origin),
})

const addFinish = endpoint({
  name: 'v1.auth.passkeys.addFinish',
  summary: 'Add the passkey that the device made.',
  method: 'POST',
  path: '/v1/auth/passkeys/add-finish',
  auth: 'person',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: shape.members({ ticket: Ticket, response: NewCredentialMember, name: shape.Name }),
  bodyLimit: BODY_LIMIT,
  response: Type.Object({ success: shape.Yes, passkey: Passkey }),
  failures: {
    passkeys_unavailable: 0,
    ticket_gone: 1,
    passkey_refused: 2,
    too_many_passkeys: 3,
    passkey_already_added: 4,
  },
  async handle({ subject, body }, deps) {
    const passkey = await finishPasskey(deps, subject.person, body)
    return passkey instanceof Refused ? passkey : { passkey }
  },
})

const list = endpoint({
  name: 'v1.auth.passkeys.list',
  summary: 'The passkeys of the person, the oldest first.',
  method: 'GET',
  path: '/v1/auth/passkeys',
  auth: 'person',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, passkeys: Type.Array(Passkey) }),
  failures: {},
  handle: async ({ subject }, deps) => ({ passkeys: await listOwnPasskeys(deps, subject.person) }),
})

const edit = endpoint({
  name: 'v1.auth.passkeys.edit',
  summary: 'Rename a passkey.',
  method: 'POST',
  path: '/v1/auth/passkeys/:passkey_id/edit',
  auth: 'person',
  scope: null,
  params: PasskeyParams,
  query: Nothing,
  body: shape.members({ name: shape.Name }),
  response: shape.Done,
  failures: {},
  handle: async ({ subject, params, body }, deps) =>
    (await renamePasskey(deps, subject.person, { id: params.passkey_id, name: body.name })) ?? {},
})

const remove = endpoint({
  name: 'v1.auth.passkeys.remove',
  summary: 'Remove a passkey; the last way to sign in stays.',
  method: 'POST',
  path: '/v1/auth/passkeys/:passkey_id/remove',
  auth: 'person',
  scope: null,
  fresh: true,
  params: PasskeyParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { last_way_in: 0 },
  handle: async ({ subject, params }, deps) =>
    (await removePasskey(deps, subject.person, params.passkey_id)) ?? {},
})

export const passkeys: readonly Endpoint[] = [begin, finish, confirm, addBegin, addFinish, list, edit, remove]
