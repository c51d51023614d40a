/** Endpoints for self-service sign-up, if the operator allows it. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { limitAddress } from '../../abuse/attempts.ts'
import { confirmSignUp, signUp } from '../sign-in/sign-up.ts'
import { Link, Password } from './shapes.ts'
import { readWhence, SignedInAnswer, signedIn } from './signed-in.ts'

/** Maximum body size in bytes, which is large enough for the response of an external captcha. */
const BODY_LIMIT = 16_384

const Captcha = shape.members({
  challenge: Type.Optional(Type.String({ maxLength: 256, description: 'challenge from /v1/auth/options' })),
  solution: Type.Optional(Type.String({ maxLength: 256 })),
  answer: Type.Optional(Type.String({ maxLength: 8192, description: 'token of the external captcha' })),
})

const begin = endpoint({
  name: 'v1.auth.signUp',
  summary: 'Sign up',
  description:
    'Requests an account by email, if the operator has opened sign-up; otherwise the request fails with `sign_up_closed`. The account is created only when the link in the email is used. The response is the same whether or not the address already has an account; if it does, the email says so.',
  example: { body: { email: 'ada@shop.example.com', name: 'Ada', password: 'correct horse battery staple' } },
  method: 'POST',
  path: '/v1/auth/sign-up',
  auth: 'none',
  scope: null,
  changes: false,
  body: shape.members({
    email: shape.Email,
    name: shape.Name,
    password: Password,
    captcha: Type.Optional(Captcha),
  }),
  bodyLimit: BODY_LIMIT,
  response: shape.Done,
  failures: { sign_up_closed: 0, captcha_failed: 1 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    return limited ?? (await signUp(deps, body, readWhence(origin))) ?? {}
  },
})

const confirm = endpoint({
  name: 'v1.auth.signUp.confirm',
  summary: 'Confirm a sign-up',
  description:
    'Creates the account and its owner, and signs in this browser. The link works once; after that, the request fails with `link_gone`.',
  example: { body: { link: 'q0mTZ2p1c0p8a2NwbTlTb1pNc0tYV2JkQkVKdGZ6S2c' } },
  method: 'POST',
  path: '/v1/auth/sign-up/confirm',
  auth: 'none',
  scope: null,
  body: shape.members({ link: Link }),
  bodyLimit: BODY_LIMIT,
  response: SignedInAnswer,
  failures: { link_gone: 0, email_already_taken: 1, unknown_tier: 2 },
  async handle({ body, origin }, deps) {
    const limited = await limitAddress(deps, 'authAddress', origin.address)
    if (limited) return limited
    const cookie = await confirmSignUp(deps, body.link, readWhence(origin))
    return cookie instanceof Refused ? cookie : signedIn(deps.config, cookie)
  },
})

export const signingUp: readonly Endpoint[] = [begin, confirm]
