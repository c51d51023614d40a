/** What the newer family does differently with users; the rest it shares with the unversioned one. */
import { Type } from 'typebox'
import { blacklistUser } from '../../domain/blacklists.ts'
import { resetFingerprint } from '../../domain/fingerprints.ts'
import { unlockUser } from '../../domain/own-locks.ts'
import { describeWideUser, editUser, linkUser } from '../../domain/users.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const get = endpoint({
  name: 'v1.users.get',
  summary: 'Read a user.',
  method: 'GET',
  path: '/v1/users/:user_key',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, user: shape.WideUser }),
  failures: {},
  async handle({ subject }, deps) {
    return { user: describeWideUser(subject.user, deps.now()) }
  },
})

const edit = endpoint({
  name: 'v1.users.edit',
  summary:
    'Change a user; an empty text clears a member, a key_expires of 0 means never, a limit of -1 takes it away. Blacklist members count only for a blacklisted user.',
  method: 'POST',
  path: '/v1/users/:user_key/edit',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({
    chat_id: shape.maybe(shape.ChatId),
    key_expires: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
    max_instances: shape.maybe(shape.Limit),
    max_executions: shape.maybe(shape.Limit),
    use_fingerprint: shape.maybe(shape.Flag),
    blacklist_expires: shape.maybe(shape.Milliseconds),
    blacklist_reason: shape.LooseNote,
  }),
  response: shape.Done,
  failures: { account_expired: 0, chat_already_has_key: 1, cannot_edit_nothing: 2 },
  async handle({ subject, body }, deps) {
    return (await editUser(deps, subject, shape.given(body))) ?? {}
  },
})

const blacklist = endpoint({
  name: 'v1.users.blacklist',
  summary: 'Keep a user from running scripts, and end what he runs; expires of 0 or null is for ever.',
  method: 'POST',
  path: '/v1/users/:user_key/blacklist',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ expires: shape.nullable(shape.Milliseconds), reason: shape.LooseNote }),
  response: shape.Done,
  failures: { user_already_blacklisted: 0, account_expired: 1 },
  async handle({ subject, body }, deps) {
    return (await blacklistUser(deps, subject, shape.given(body))) ?? {}
  },
})

const link = endpoint({
  name: 'v1.users.link',
  summary: 'Link a user to a chat account; force takes the place of the account that he is linked to.',
  method: 'POST',
  path: '/v1/users/:user_key/link',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ chat_id: shape.LinkedChatId, force: shape.Flag }),
  response: shape.Done,
  failures: { account_expired: 0, user_already_linked: 1, chat_already_has_key: 2 },
  async handle({ subject, body }, deps) {
    return (await linkUser(deps, subject, body)) ?? {}
  },
})

const reset = endpoint({
  name: 'v1.users.reset',
  summary: "Unbind a user's fingerprint; the next execution binds anew.",
  method: 'POST',
  path: '/v1/users/:user_key/reset',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ force: shape.Flag }),
  response: shape.Done,
  failures: {
    account_expired: 0,
    fingerprint_resets_disabled: 1,
    fingerprint_reset_on_cooldown: 2,
    no_fingerprint_assigned: 3,
  },
  async handle({ subject, body }, deps) {
    return (await resetFingerprint(deps, subject, { actor: 'owner', force: body.force })) ?? {}
  },
})

const unlock = endpoint({
  name: 'v1.users.unlock',
  summary: 'Let the first use of a key that was earned by ads come from any network.',
  method: 'POST',
  path: '/v1/users/:user_key/unlock',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0, user_not_locked: 1 },
  async handle({ subject }, deps) {
    return (await unlockUser(deps, subject)) ?? {}
  },
})

export const usersV1: Endpoint[] = [get, edit, blacklist, reset, link, unlock]
