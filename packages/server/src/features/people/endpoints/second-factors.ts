/**
 * Endpoints for the second step of password sign-in, and for a user's authenticator app and recovery codes.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import {
  beginTotp,
  finishTotp,
  removeTotp,
  renewRecoveryCodes,
  signInWithCode,
} from '../sign-in/second-factors.ts'
import { readWhence, SignedInAnswer, signedIn } from './signed-in.ts'

const BODY_LIMIT = 4096

/** The token of a pending step, such as a sign-in that needs a second factor. */
export const Ticket = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'ticket from the response that started the sign-in',
  examples: ['q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c'],
})
const Code = Type.String({
  minLength: 6,
  maxLength: 64,
  description: 'six digits from the authenticator app, or a backup code',
  examples: ['123456'],
})
const RecoveryCodes = Type.Array(Type.String({ examples: ['k7bq-2mfw-x9ad-h3tn-p5ye-r8uc'] }), {
  description:
    'backup codes, each of which can be used once in place of a code from the app. Only returned here',
})

const secondFactor = endpoint({
  name: 'v1.auth.secondFactor',
  summary: 'Verify a second factor',
  description:
    'Completes a password sign-in with the ticket from the first step and either a code from the authenticator app or a backup code. After five wrong codes, the ticket is invalid and the sign-in must start over.',
  method: 'POST',
  path: '/v1/auth/second-factor',
  auth: 'none',
  scope: null,
  body: shape.members({ ticket: Ticket, code: Code }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: { ticket_gone: 0, wrong_code: 1 },
  async handle({ body, origin }, deps) {
    const cookie = await signInWithCode(deps, body, readWhence(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const begin = endpoint({
  name: 'v1.auth.totp.begin',
  summary: 'Start setting up an authenticator app',
  description:
    'Returns a new secret. Show the URI as a QR code, or the secret for manual entry, then send a code from the app to `/v1/auth/totp/finish` within ten minutes. Nothing changes until then.',
  method: 'POST',
  path: '/v1/auth/totp/begin',
  auth: 'person',
  scope: null,
  requiresRecentAuth: true,
  changes: false,
  response: Type.Object({
    success: shape.Yes,
    secret: Type.String({ description: 'secret in base32, for manual entry' }),
    uri: Type.String({ description: 'URI for a QR code (otpauth://)' }),
  }),
  handle: ({ subject }, deps) => beginTotp(deps, subject.person),
})

const finish = endpoint({
  name: 'v1.auth.totp.finish',
  summary: 'Finish setting up an authenticator app',
  description:
    'Turns on the authenticator app and returns ten backup codes, which are not shown again. From then on, signing in with a password requires a code. If the device is lost, each backup code can be used once in place of a code from the app.',
  method: 'POST',
  path: '/v1/auth/totp/finish',
  auth: 'person',
  scope: null,
  event: 'factor_added',
  body: shape.members({ code: Code }),
  response: Type.Object({ success: shape.Yes, recovery_codes: RecoveryCodes }),
  failures: { totp_not_begun: 0, wrong_code: 1 },
  async handle({ subject, body }, deps) {
    const recovery_codes = await finishTotp(deps, subject.person, body.code)
    return recovery_codes instanceof Refused ? recovery_codes : { recovery_codes }
  },
})

const remove = endpoint({
  name: 'v1.auth.totp.remove',
  summary: 'Remove the authenticator app',
  description:
    'Removes the authenticator app and its backup codes. Signing in with a password no longer requires a code. If the server requires a second factor, you will be asked to add one again.',
  method: 'POST',
  path: '/v1/auth/totp/remove',
  auth: 'person',
  scope: null,
  event: 'factor_removed',
  requiresRecentAuth: true,
  response: shape.Done,
  failures: { no_authenticator_app: 0 },
  handle: async ({ subject }, deps) => (await removeTotp(deps, subject.person)) ?? {},
})

const recoveryCodes = endpoint({
  name: 'v1.auth.recoveryCodes.new',
  summary: 'Replace the backup codes',
  description:
    'Returns ten new backup codes and invalidates the previous ones, for example when they are used up or someone else has seen them. They are not shown again, so print them or store them in a password manager.',
  method: 'POST',
  path: '/v1/auth/recovery-codes/new',
  auth: 'person',
  scope: null,
  event: 'recovery_codes_made',
  requiresRecentAuth: true,
  response: Type.Object({ success: shape.Yes, recovery_codes: RecoveryCodes }),
  failures: { no_authenticator_app: 0 },
  async handle({ subject }, deps) {
    const recovery_codes = await renewRecoveryCodes(deps, subject.person)
    return recovery_codes instanceof Refused ? recovery_codes : { recovery_codes }
  },
})

export const secondFactors: readonly Endpoint[] = [secondFactor, begin, finish, remove, recoveryCodes]
