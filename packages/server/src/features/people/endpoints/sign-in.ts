/** Signing in by password and out again, and proving once more who one is. */
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
import { renewed, SteppedAnswer, stepped, whenceOf } from './signed-in.ts'

const options = endpoint({
  name: 'v1.auth.options',
  summary: 'How people come in: what the sign-in page may offer.',
  description:
    'What a sign-in page needs before anyone is known: whether people can sign up, whether mail is sent, whether a second factor is required, and the captcha to solve. Nothing in it is about a person.',
  method: 'GET',
  path: '/v1/auth/options',
  auth: 'none',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    sign_up: Type.Enum(['off', 'invite', 'open']),
    mail: Type.Boolean({ description: 'whether links can be sent by mail' }),
    second_factor_required: Type.Enum(['operators', 'all', 'none']),
    captcha: Type.Unsafe<ReturnType<typeof signUpCaptcha>>({
      type: ['object', 'null'],
      required: ['kind', 'challenge', 'bits', 'page'],
      properties: {
        kind: { enum: ['pow', 'external'] },
        challenge: { type: ['string', 'null'] },
        bits: {
          type: ['integer', 'null'],
          description: 'SHA-256 of challenge:solution begins with so many zero bits',
        },
        page: { type: ['string', 'null'], description: 'of the external captcha' },
      },
      description: 'what the sign-up page has to solve; null for nothing',
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
  summary: 'Sign in by e-mail address and password.',
  description:
    'A right password answers the cookies of a sign-in, or, for a person with a second factor, a ticket for `/v1/auth/second-factor`. A wrong address and a wrong password answer alike. Attempts are limited by address and by person.',
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
    const step = await signInWithPassword(deps, body, whenceOf(origin))
    return step instanceof Refused ? step : stepped(deps.config, step)
  },
})

const confirm = endpoint({
  name: 'v1.auth.confirm',
  summary: 'Prove once more who you are, by password or by a code of your second factor.',
  description:
    'What hands out rights, such as a new token, wants a sign-in that is not older than ten minutes. Give the password, or the code of your second factor; the cookies of the answer are fresh.',
  example: { body: { password: 'correct horse battery staple' } },
  method: 'POST',
  path: '/v1/auth/confirm',
  auth: 'person',
  scope: null,
  body: shape.members({
    password: shape.maybe(Password),
    code: shape.maybe(Type.String({ minLength: 6, maxLength: 64, description: 'instead of the password' })),
  }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  failures: { wrong_credentials: 0, wrong_code: 1 },
  async handle({ subject, body, origin }, deps) {
    const proof = shape.given(body)
    if ((proof.password === undefined) === (proof.code === undefined))
      return refuseMember('password', 'must be given, or code instead of it')
    const cookie = await confirmSignIn(deps, subject, { proof, whence: whenceOf(origin) })
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const out = endpoint({
  name: 'v1.auth.signOut',
  summary: 'Sign out of this browser.',
  description: 'Ends this sign-in on the service and takes its cookies away. Other browsers stay signed in.',
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
