/** Endpoints for using a setup link with a passkey instead of a password. */

import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { beginSetUp, finishSetUp } from '../sign-in/set-up-by-passkey.ts'
import { Begun, BODY_LIMIT } from './passkeys.ts'
import { Ticket } from './second-factors.ts'
import { Link } from './shapes.ts'
import { readWhence, SignedInAnswer, signedIn } from './signed-in.ts'
import { NewCredentialMember } from './webauthn-shapes.ts'

const begin = endpoint({
  name: 'v1.auth.setUp.passkeyBegin',
  summary: 'Start setting up an account with a passkey',
  description:
    'Returns a challenge for `navigator.credentials.create()` and a ticket, so that the first user of an account can register a passkey instead of a password. The setup link stays valid until the passkey is added. Requires HTTPS or localhost.',
  example: {
    body: { link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c', email: 'ada@shop.example.com', name: 'Ada' },
  },
  method: 'POST',
  path: '/v1/auth/set-up/passkey-begin',
  auth: 'none',
  scope: null,
  changes: false,
  body: shape.members({ link: Link, email: shape.Email, name: shape.Name }),
  bodyLimit: BODY_LIMIT,
  response: Begun,
  failures: { passkeys_unavailable: 0, link_gone: 1, email_already_taken: 2 },
  handle: ({ body, origin: { headers, address } }, deps) =>
    beginSetUp(deps, body, { asking: headers.origin, address }),
})

const finish = endpoint({
  name: 'v1.auth.setUp.passkeyFinish',
  summary: 'Set up an account with a passkey',
  description:
    "Creates the user account with the passkey, makes it the owner of the account, and signs in this browser. The setup link can't be used again.",
  method: 'POST',
  path: '/v1/auth/set-up/passkey-finish',
  auth: 'none',
  scope: null,
  body: shape.members({ ticket: Ticket, response: NewCredentialMember }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: {
    passkeys_unavailable: 0,
    link_gone: 1,
    email_already_taken: 2,
    ticket_gone: 3,
    passkey_refused: 4,
    passkey_already_added: 5,
    account_has_people: 6,
  },
  async handle({ body, origin }, deps) {
    const cookie = await finishSetUp(deps, body, readWhence(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

export const setUpByPasskey: readonly Endpoint[] = [begin, finish]
