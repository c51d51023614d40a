/** What a person changes of themselves. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { changeEmail, changePassword, editPerson, switchAccount } from '../own-person.ts'
import { AUTH_BODY_LIMIT, Language, Password } from './shapes.ts'
import { renewed } from './signed-in.ts'

const edit = endpoint({
  name: 'v1.auth.person.edit',
  summary: 'Edit your name and language.',
  description:
    'Changes your name and the language you prefer, in all your accounts. Programs can read the language; the dashboard and mails are in English. An empty text removes it.',
  example: { body: { name: 'Ada', language: 'de' } },
  method: 'POST',
  path: '/v1/auth/person/edit',
  auth: 'person',
  scope: null,
  body: shape.members({ name: shape.maybe(shape.Name), language: shape.maybe(Language) }),
  response: shape.Done,
  failures: { cannot_edit_nothing: 0 },
  handle: async ({ subject, body }, deps) =>
    (await editPerson(deps, subject.person, shape.given(body))) ?? {},
})

const email = endpoint({
  name: 'v1.auth.person.email',
  summary: 'Sign in with another e-mail address from now on.',
  description:
    'The address is your name for signing in, so a fresh sign-in is needed. An address that another person has is refused. Sign-ins and memberships stay.',
  example: { body: { email: 'ada@shop.example.com' } },
  method: 'POST',
  path: '/v1/auth/person/email',
  auth: 'person',
  scope: null,
  event: 'email_changed',
  fresh: true,
  body: shape.members({ email: shape.Email }),
  response: shape.Done,
  failures: { email_already_taken: 0 },
  async handle({ subject, body }, deps) {
    const cookie = await changeEmail(deps, subject, body.email)
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const password = endpoint({
  name: 'v1.auth.password.change',
  summary: 'Choose another password; you are signed out everywhere else.',
  description:
    'Needs no former password but a fresh sign-in. All your other browsers are signed out, and this one gets new cookies. A password has at least 12 characters and is none of the commonest.',
  method: 'POST',
  path: '/v1/auth/password/change',
  auth: 'person',
  scope: null,
  event: 'password_changed',
  fresh: true,
  body: shape.members({ password: Password }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  async handle({ subject, body, origin }, deps) {
    const { address } = origin
    const cookie = await changePassword(deps, subject, { password: body.password, address })
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const account = endpoint({
  name: 'v1.auth.account',
  summary: 'Look at another account of yours in this browser.',
  description:
    'A person can belong to several accounts and looks at one at a time. The cookies of the answer are for that account; what you may do there is what your role in it says.',
  example: { body: { account_id: 'cus_0VMc4VLkB4vEfGhIjKlMnO' } },
  method: 'POST',
  path: '/v1/auth/account',
  auth: 'person',
  scope: null,
  namesNoun: true,
  body: shape.members({ account_id: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: shape.Done,
  async handle({ subject, body }, deps) {
    const cookie = await switchAccount(deps, subject.signIn, body.account_id)
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

export const ownPerson: readonly Endpoint[] = [edit, email, password, account]
