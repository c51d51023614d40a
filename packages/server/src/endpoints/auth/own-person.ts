/** What a person changes of themselves. */
import { Type } from 'typebox'
import { changeEmail, changePassword, editPerson, switchAccount } from '../../domain/people/own-person.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { AUTH_BODY_LIMIT, Language, Password } from './shapes.ts'
import { renewed } from './signed-in.ts'

const edit = endpoint({
  name: 'v1.auth.person.edit',
  summary: 'Edit your name and language.',
  method: 'POST',
  path: '/v1/auth/person/edit',
  auth: 'person',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: shape.members({ name: shape.maybe(shape.Name), language: shape.maybe(Language) }),
  response: shape.Done,
  failures: { cannot_edit_nothing: 0 },
  handle: async ({ subject, body }, deps) =>
    (await editPerson(deps, subject.person, shape.given(body))) ?? {},
})

const email = endpoint({
  name: 'v1.auth.person.email',
  summary: 'Sign in with another e-mail address from now on.',
  method: 'POST',
  path: '/v1/auth/person/email',
  auth: 'person',
  scope: null,
  fresh: true,
  params: Nothing,
  query: Nothing,
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
  method: 'POST',
  path: '/v1/auth/password/change',
  auth: 'person',
  scope: null,
  fresh: true,
  params: Nothing,
  query: Nothing,
  body: shape.members({ password: Password }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: shape.Done,
  failures: {},
  async handle({ subject, body, origin }, deps) {
    const { address } = origin
    const cookie = await changePassword(deps, subject, { password: body.password, address })
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

const account = endpoint({
  name: 'v1.auth.account',
  summary: 'Look at another account of yours in this browser.',
  method: 'POST',
  path: '/v1/auth/account',
  auth: 'person',
  scope: null,
  namesNoun: true,
  params: Nothing,
  query: Nothing,
  body: shape.members({ account_id: Type.String({ minLength: 1, maxLength: 100 }) }),
  response: shape.Done,
  failures: {},
  async handle({ subject, body }, deps) {
    const cookie = await switchAccount(deps, subject.signIn, body.account_id)
    return cookie instanceof Refused ? cookie : renewed(deps.config, cookie)
  },
})

export const ownPerson: readonly Endpoint[] = [edit, email, password, account]
