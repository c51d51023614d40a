/** Endpoints for signing in with a password, signing out, and reconfirming a user's identity. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, WithCookies } from '../../../api/endpoint.ts'
import { Refused, refuseMember } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { secondFactorRule } from '../sign-in/required-factors.ts'
import { confirmSignIn, signInWithPassword, signOut } from '../sign-in/sign-in.ts'
import { signUpCaptcha } from '../sign-in/sign-up.ts'
import { AUTH_BODY_LIMIT, Password } from './shapes.ts'
import { endedCookies } from './sign-in-cookies.ts'
import { readWhence, renewed, SteppedAnswer, stepped } from './signed-in.ts'

const options = endpoint({
  name: 'v1.auth.options',
  summary: 'Retrieve sign-in options',
  description:
    'Returns the settings a sign-in page needs: whether sign-up is open, whether the server sends email and requires a second factor, and the captcha to solve. Contains no user data.',
  method: 'GET',
  path: '/v1/auth/options',
  auth: 'none',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    sign_up: Type.Enum(['off', 'invite', 'open']),
    mail: Type.Boolean({ description: 'whether links can be sent by email' }),
    second_factor_required: Type.Enum(['operators', 'all', 'none']),
    captcha: Type.Unsafe<ReturnType<typeof signUpCaptcha>>({
      type: ['object', 'null'],
      required: ['kind', 'challenge', 'bits', 'page'],
      properties: {
        kind: {
          enum: ['pow', 'external'],
          description: 'kind of captcha: a proof of work (pow) or one on another page (external)',
        },
        challenge: { type: ['string', 'null'] },
        bits: {
          type: ['integer', 'null'],
          description: 'number of leading zero bits that the SHA-256 hash of challenge:solution must have',
        },
        page: { type: ['string', 'null'], description: 'URL of the external captcha' },
      },
      description: 'captcha of the sign-up page. Null if there is none',
    }),
  }),
  async handle({ origin }, deps) {
    const { config } = deps
    const second_factor_required = secondFactorRule(config)
    const captcha = signUpCaptcha(deps, origin.address)
    return { sign_up: config.signUp, mail: config.mail !== undefined, second_factor_required, captcha }
  },
})

const password = endpoint({
  name: 'v1.auth.password',
  summary: 'Sign in',
  description:
    'Signs in with an email address and a password and sets the session cookies. Users with a second factor receive a ticket for `/v1/auth/second-factor` instead. Unknown addresses and wrong passwords return the same error. Rate limits apply per IP address and user.',
  example: {
    body: { email: 'ada@shop.example.com', password: 'correct horse battery staple' },
    answer: { success: true, done: true },
  },
  method: 'POST',
  path: '/v1/auth/password',
  auth: 'none',
  scope: null,
  body: shape.members({ email: shape.Email, password: Password }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: SteppedAnswer,
  failures: { wrong_credentials: 0, passkey_needed: 1 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    const step = await signInWithPassword(deps, body, readWhence(origin))
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

const confirm = endpoint({
  name: 'v1.auth.confirm',
  summary: 'Confirm your identity',
  description:
    'Confirms your identity with your password or a second-factor code, and sets new cookies. Operations that grant access, such as creating a token, require a sign-in or confirmation within the last ten minutes.',
  example: { body: { password: 'correct horse battery staple' } },
  method: 'POST',
  path: '/v1/auth/confirm',
  auth: 'person',
  scope: null,
  body: shape.members({
    password: shape.maybe(Password),
    code: shape.maybe(
      Type.String({
        minLength: 6,
        maxLength: 64,
        description: 'second-factor code. Send either a password or a code',
      }),
    ),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  failures: { wrong_credentials: 0, wrong_code: 1 },
  async handle({ subject, body, origin }, deps) {
    const proof = shape.given(body)
    if ((proof.password === undefined) === (proof.code === undefined))
      return refuseMember('password', 'is required unless code is sent')
    const cookie = await confirmSignIn(deps, subject, { proof, whence: readWhence(origin) })
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const out = endpoint({
  name: 'v1.auth.signOut',
  summary: 'Sign out',
  description: "Ends this browser's dashboard session and clears its cookies. Other browsers stay signed in.",
  method: 'POST',
  path: '/v1/auth/sign-out',
  auth: 'person',
  scope: null,
  response: shape.Done,
  async handle({ subject }, deps) {
    await signOut(deps, subject.signIn)
    return new WithCookies({}, endedCookies(deps.config))
  },
})

export const signingIn: readonly Endpoint[] = [options, password, confirm, out]
