/** Endpoints that let users edit their own profile. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { changeEmail, changePassword, editPerson, switchAccount } from '../own-person.ts'
import { AUTH_BODY_LIMIT, Language, Password } from './shapes.ts'
import { renewed } from './signed-in.ts'

const edit = endpoint({
  name: 'v1.auth.person.edit',
  summary: 'Update your profile',
  description:
    'Changes your name and preferred language in all of your accounts. An empty string removes the language. The language is available to API clients only; the dashboard and emails are in English.',
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
  summary: 'Change your email address',
  description:
    'Changes the email address you sign in with. Requires a recent sign-in. The new address must not be in use by another user account. Sessions and memberships are not affected.',
  example: { body: { email: 'ada@shop.example.com' } },
  method: 'POST',
  path: '/v1/auth/person/email',
  auth: 'person',
  scope: null,
  event: 'email_changed',
  requiresRecentAuth: true,
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
  summary: 'Change your password',
  description:
    'Sets a new password. Requires a recent sign-in instead of the previous password. Signs you out of all other browsers and sets new cookies in this one. Passwords must have at least 12 characters and not be too common.',
  method: 'POST',
  path: '/v1/auth/password/change',
  auth: 'person',
  scope: null,
  event: 'password_changed',
  requiresRecentAuth: true,
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
  summary: 'Switch accounts',
  description:
    'Switches this browser to another of your accounts and sets new cookies. Your permissions there depend on your role in that account.',
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
