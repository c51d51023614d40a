/** The second half of a sign-in by password, and the authenticator app and recovery codes of a person. */
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
import { SignedInAnswer, signedIn, whenceOf } from './signed-in.ts'

const BODY_LIMIT = 4096

/** Of a beginning, such as a sign-in that wants a second factor. */
export const Ticket = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'of the answer that began this',
  examples: ['q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c'],
})
const Code = Type.String({
  minLength: 6,
  maxLength: 64,
  description: 'six digits of the authenticator app, or a recovery code',
  examples: ['123456'],
})
const RecoveryCodes = Type.Array(Type.String({ examples: ['k7bq-2mfw-x9ad-h3tn-p5ye-r8uc'] }), {
  description: 'each replaces a code of the app once; they are shown in this answer only',
})

const secondFactor = endpoint({
  name: 'v1.auth.secondFactor',
  summary: 'Finish a sign-in by password with a code; five tries for each ticket.',
  description:
    'The second step after a password: the ticket of the first one with a code of the authenticator app, or a recovery code, which counts once. After a few wrong codes the ticket is gone and you begin again.',
  method: 'POST',
  path: '/v1/auth/second-factor',
  auth: 'none',
  scope: null,
  body: shape.members({ ticket: Ticket, code: Code }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: { ticket_gone: 0, wrong_code: 1 },
  async handle({ body, origin }, deps) {
    const cookie = await signInWithCode(deps, body, whenceOf(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

const begin = endpoint({
  name: 'v1.auth.totp.begin',
  summary: 'A new secret for an authenticator app; it counts after the app has shown a right code.',
  description:
    'Show the address as a QR code, or the secret to be typed, then send the code of the app to `/v1/auth/totp/finish` within ten minutes. Until then nothing changes.',
  method: 'POST',
  path: '/v1/auth/totp/begin',
  auth: 'person',
  scope: null,
  fresh: true,
  changes: false,
  response: Type.Object({
    success: shape.Yes,
    secret: Type.String({ description: 'in base32, to be typed' }),
    uri: Type.String({ description: 'otpauth://…, to be shown as a QR code' }),
  }),
  handle: ({ subject }, deps) => beginTotp(deps, subject.person),
})

const finish = endpoint({
  name: 'v1.auth.totp.finish',
  summary: 'Use the authenticator app from now on, and get recovery codes.',
  description:
    'From the next sign-in by password a code is asked for. The ten recovery codes of the answer are shown once: each replaces one code when the telephone is lost.',
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
  summary: 'Sign in without the authenticator app again; recovery codes go too.',
  description:
    'Signing in by password needs no code any more, and recovery codes end too. Where the service requires a second factor you will be asked to add one again.',
  method: 'POST',
  path: '/v1/auth/totp/remove',
  auth: 'person',
  scope: null,
  event: 'factor_removed',
  fresh: true,
  response: shape.Done,
  failures: { no_authenticator_app: 0 },
  handle: async ({ subject }, deps) => (await removeTotp(deps, subject.person)) ?? {},
})

const recoveryCodes = endpoint({
  name: 'v1.auth.recoveryCodes.new',
  summary: 'Ten new recovery codes; former ones count no more.',
  description:
    'For codes that are used up or were seen by others. The answer is the only time that they are shown; print them or put them into a password manager.',
  method: 'POST',
  path: '/v1/auth/recovery-codes/new',
  auth: 'person',
  scope: null,
  event: 'recovery_codes_made',
  fresh: true,
  response: Type.Object({ success: shape.Yes, recovery_codes: RecoveryCodes }),
  failures: { no_authenticator_app: 0 },
  async handle({ subject }, deps) {
    const recovery_codes = await renewRecoveryCodes(deps, subject.person)
    return recovery_codes instanceof Refused ? recovery_codes : { recovery_codes }
  },
})

export const secondFactors: readonly Endpoint[] = [secondFactor, begin, finish, remove, recoveryCodes]
