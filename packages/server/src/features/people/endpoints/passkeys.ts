/** Endpoints to sign in with a passkey and to manage a user's passkeys. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import {
  beginPasskey,
  beginPasskeySignIn,
  confirmWithPasskey,
  finishPasskey,
  listOwnPasskeys,
  removePasskey,
  renamePasskey,
  signInWithPasskey,
} from '../sign-in/passkeys.ts'
import { Ticket } from './second-factors.ts'
import { readWhence, renewed, SignedInAnswer, signedIn } from './signed-in.ts'
import { AssertionMember, NewCredentialMember, OptionsMember } from './webauthn-shapes.ts'

export const BODY_LIMIT = 65_536

export const Begun = shape.named('PasskeyBegun', {
  success: shape.Yes,
  ticket: Ticket,
  options: OptionsMember,
})
const Passkey = shape.named('Passkey', {
  id: Type.String(),
  name: Type.String(),
  created_at: Type.Integer(),
  last_used_at: shape.nullable(Type.Integer()),
})
const PasskeyParams = Type.Object({ passkey_id: Type.String() })

const begin = endpoint({
  name: 'v1.auth.passkeys.begin',
  summary: 'Start a sign-in with a passkey',
  description:
    'Returns a challenge for `navigator.credentials.get()` and a ticket that links the response to it. No email address is needed, because the passkey identifies the user. Requires HTTPS or localhost.',
  method: 'POST',
  path: '/v1/auth/passkeys/begin',
  auth: 'none',
  scope: null,
  changes: false,
  bodyLimit: BODY_LIMIT,
  response: Begun,
  failures: { passkeys_unavailable: 0 },
  handle: ({ origin }, deps) => beginPasskeySignIn(deps, origin.headers.origin, origin.address),
})

const finish = endpoint({
  name: 'v1.auth.passkeys.finish',
  summary: 'Sign in with a passkey',
  description: "Verifies the passkey's response and sets the session cookies. No second factor is required.",
  method: 'POST',
  path: '/v1/auth/passkeys/finish',
  auth: 'none',
  scope: null,
  body: shape.members({ ticket: Ticket, response: AssertionMember }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: { passkeys_unavailable: 0, ticket_gone: 1, passkey_refused: 2 },
  async handle({ body, origin }, deps) {
    const cookie = await signInWithPasskey(deps, body, readWhence(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const confirm = endpoint({
  name: 'v1.auth.passkeys.confirm',
  summary: 'Confirm your identity with a passkey',
  description:
    'Confirms the identity of the signed-in user with a passkey instead of a password. Operations that grant access require a sign-in or confirmation within the last ten minutes. Get the ticket and options from `/v1/auth/passkeys/begin`, and use one of the passkeys of that user.',
  method: 'POST',
  path: '/v1/auth/passkeys/confirm',
  auth: 'person',
  scope: null,
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
  summary: 'Start adding a passkey',
  description:
    'Returns a challenge for `navigator.credentials.create()` and a ticket. Requires a recent sign-in. The number of passkeys per user is limited.',
  method: 'POST',
  path: '/v1/auth/passkeys/add-begin',
  auth: 'person',
  scope: null,
  requiresRecentAuth: true,
  changes: false,
  response: Begun,
  failures: { passkeys_unavailable: 0, too_many_passkeys: 3 },
  handle: ({ subject, origin }, deps) => beginPasskey(deps, subject.person, origin.headers.origin),
})

const addFinish = endpoint({
  name: 'v1.auth.passkeys.addFinish',
  summary: 'Add a passkey',
  description:
    'Stores the public key created by the device under the given name. No secret leaves the device. A passkey can only be added once.',
  method: 'POST',
  path: '/v1/auth/passkeys/add-finish',
  auth: 'person',
  scope: null,
  event: 'factor_added',
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
  summary: 'List passkeys',
  description:
    'Returns your passkeys, oldest first, with their names and when each was added and last used, so that you can remove those of devices you no longer have.',
  method: 'GET',
  path: '/v1/auth/passkeys',
  auth: 'person',
  scope: null,
  response: Type.Object({ success: shape.Yes, passkeys: Type.Array(Passkey) }),
  handle: async ({ subject }, deps) => ({ passkeys: await listOwnPasskeys(deps, subject.person) }),
})

const edit = endpoint({
  name: 'v1.auth.passkeys.edit',
  summary: 'Rename a passkey',
  description: 'Changes the name shown in the list. It is not stored on the device.',
  example: { body: { name: 'Telephone' } },
  method: 'POST',
  path: '/v1/auth/passkeys/:passkey_id/edit',
  auth: 'person',
  scope: null,
  params: PasskeyParams,
  body: shape.members({ name: shape.Name }),
  response: shape.Done,
  handle: async ({ subject, params, body }, deps) =>
    (await renamePasskey(deps, subject.person, { id: params.passkey_id, name: body.name })) ?? {},
})

const remove = endpoint({
  name: 'v1.auth.passkeys.remove',
  summary: 'Remove a passkey',
  description:
    'Removes a passkey, so that it can no longer be used to sign in. Browsers that are already signed in stay signed in. If it is your only way to sign in, add another passkey or a password first.',
  method: 'POST',
  path: '/v1/auth/passkeys/:passkey_id/remove',
  auth: 'person',
  scope: null,
  event: 'factor_removed',
  requiresRecentAuth: true,
  params: PasskeyParams,
  response: shape.Done,
  failures: { last_way_in: 0 },
  handle: async ({ subject, params }, deps) =>
    (await removePasskey(deps, subject.person, params.passkey_id)) ?? {},
})

export const passkeys: readonly Endpoint[] = [begin, finish, confirm, addBegin, addFinish, list, edit, remove]
