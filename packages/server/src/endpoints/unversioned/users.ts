/** Single users, as the unversioned family reaches them, and what the newer family does in the same way. */
import { Type } from 'typebox'
import { blacklistUser, unblacklistUser } from '../../domain/blacklists.ts'
import { resetFingerprint } from '../../domain/fingerprints.ts'
import { describeUser, editUser, linkUser, removeUser } from '../../domain/users.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const get = endpoint({
  name: 'users.get',
  summary: 'Read a user.',
  method: 'GET',
  path: '/users/:user_key',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, user: shape.User }),
  failures: {},
  async handle({ subject }, deps) {
    return { user: describeUser(subject.user, deps.now()) }
  },
})

const edit = endpoint({
  name: 'users.edit',
  summary: 'Change a user; an empty text clears a member, a key_expires of 0 means never.',
  method: 'POST',
  path: '/users/:user_key/edit',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({
    chat_id: shape.maybe(shape.ChatId),
    key_expires: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
  }),
  response: shape.Done,
  failures: { account_expired: 0, chat_already_has_key: 1, cannot_edit_nothing: 2 },
  async handle({ subject, body }, deps) {
    return (await editUser(deps, subject, shape.given(body))) ?? {}
  },
})

const blacklist = endpoint({
  name: 'users.blacklist',
  summary: 'Keep a user from running scripts, for ever or up to a time, and end what he runs.',
  method: 'POST',
  path: '/users/:user_key/blacklist',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ expires: shape.LooseMilliseconds, reason: shape.LooseNote }),
  response: shape.Done,
  failures: { user_already_blacklisted: 0, account_expired: 1 },
  async handle({ subject, body }, deps) {
    const { expires, ...rest } = shape.given(body)
    return (await blacklistUser(deps, subject, { ...rest, expires: Number(expires ?? 0) })) ?? {}
  },
})

const unblacklist = endpoint({
  name: 'users.unblacklist',
  summary: 'Let a blacklisted user run scripts again.',
  method: 'POST',
  path: '/users/:user_key/unblacklist',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { user_not_blacklisted: 0, account_expired: 1 },
  async handle({ subject }, deps) {
    return (await unblacklistUser(deps, subject)) ?? {}
  },
})

const link = endpoint({
  name: 'users.link',
  summary: 'Link a user to a chat account; force takes the place of the account that he is linked to.',
  method: 'POST',
  path: '/users/:user_key/link',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ chat_id: shape.LinkedChatId, force: shape.maybe(shape.Flag) }),
  response: shape.Done,
  failures: { account_expired: 0, user_already_linked: 1, chat_already_has_key: 2 },
  async handle({ subject, body: { chat_id, force } }, deps) {
    return (await linkUser(deps, subject, { chat_id, force: force ?? false })) ?? {}
  },
})

const reset = endpoint({
  name: 'users.reset',
  summary: "Unbind a user's fingerprint; the next execution binds anew.",
  method: 'POST',
  path: '/users/:user_key/reset',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: shape.members({ force: shape.maybe(shape.Flag) }),
  response: shape.Done,
  failures: {
    account_expired: 0,
    fingerprint_resets_disabled: 1,
    fingerprint_reset_on_cooldown: 2,
    no_fingerprint_assigned: 3,
  },
  async handle({ subject, body }, deps) {
    const { force = false } = shape.given(body)
    return (await resetFingerprint(deps, subject, { actor: 'owner', force })) ?? {}
  },
})

const remove = endpoint({
  name: 'users.remove',
  summary: 'Remove a user with his fingerprint and instances.',
  method: 'POST',
  path: '/users/:user_key/remove',
  auth: 'user',
  params: shape.UserParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: {},
  async handle({ subject }, deps) {
    await removeUser(deps, subject)
    return {}
  },
})

/** Where the newer family differs in members, it declares the endpoint anew. */
export const users: Endpoint[] = [
  get,
  edit,
  blacklist,
  ...inBothFamilies(unblacklist),
  reset,
  link,
  ...inBothFamilies(remove),
]
