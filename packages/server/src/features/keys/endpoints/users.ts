/**
 * Reads, edits, blacklists, links, resets and removes a single user. For denials, see
 * `features/executions/endpoints/denials.ts`.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { unlockUser } from '../../ads/visits/key-locks.ts'
import { Removed } from '../../changes/endpoints/change-shapes.ts'
import { resetFingerprint } from '../../devices/manage-devices.ts'
import { withStatus } from '../attach-status.ts'
import { blacklistUser, unblacklistUser } from '../blacklists.ts'
import { describeUser, describeWideUser, editUser, linkUser, removeUser } from '../users.ts'
import { terms, User, WideUser } from './user-shapes.ts'

const editable = {
  chat_id: shape.maybe(shape.ChatId),
  key_expires: shape.maybe(
    shape.milliseconds('expiry of the key, in Unix milliseconds. 0 removes the expiry'),
  ),
  note: shape.LooseNote,
}

const atMost = (what: string) =>
  Type.Integer({ ...shape.Limit, description: `maximum number of ${what}. -1 removes the limit` })
const ReplaceLink = Type.Boolean({ description: 'whether to replace an existing link' })

const Changed = Type.Array(
  Type.Object({
    member: Type.String({ examples: ['max_instances'] }),
    from: Type.Unknown({ description: 'value before the edit', examples: [1] }),
    to: Type.Unknown({ description: 'value after the edit', examples: [2] }),
  }),
  { description: 'terms of the key that changed with its plan or features, such as its limits and expiry' },
)

const get = inBothFamilies(
  {
    name: 'users.get',
    summary: 'Retrieve a user',
    description:
      'Returns all details of a user: expiry, device, number of executions, notes and blacklist status. Team members who can only issue keys see the users they issued. To find out why a key did not work, see `/v1/users/:user_key/denials`.',
    method: 'GET',
    path: '/users/:user_key',
    auth: 'user',
    scope: 'users:read',
    issued: true,
    params: shape.UserParams,
    response: Type.Object({ success: shape.Yes, user: User }),
    async handle({ subject }, deps) {
      return { user: describeUser(subject.user, deps.now()) }
    },
  },
  {
    v1: {
      response: Type.Object({ success: shape.Yes, user: WideUser }),
      async handle({ subject, caller }, deps) {
        const user = await withStatus(deps, subject)
        return user ? { user: describeWideUser(user, deps.now(), caller) } : refuse('not_found')
      },
    },
  },
)

const edit = inBothFamilies(
  {
    name: 'users.edit',
    summary: 'Update a user',
    description:
      'Changes the fields you send. An empty string clears a field, and a `key_expires` of 0 removes the expiry. An earlier `key_expires` also applies immediately to scripts running with a live session. A chat account can only have one key per project.',
    example: { body: { note: 'paid until New Year', key_expires: 1_798_761_600_000 } },
    method: 'POST',
    path: '/users/:user_key/edit',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    body: shape.members(editable),
    response: shape.Done,
    failures: { account_expired: 0, chat_already_has_key: 1, cannot_edit_nothing: 2 },
    async handle({ subject, body }, deps) {
      const edited = await editUser(deps, subject, shape.given(body))
      return edited instanceof Refused ? edited : {}
    },
  },
  {
    v1: {
      description:
        'Changes the fields you send. An empty string clears a field, a `key_expires` of 0 removes the expiry, and -1 removes a limit. An earlier expiry also applies immediately to scripts running with a live session. Changing the plan also changes the clock; a running clock keeps its start time. A clock that waits for the start date starts on the new `starts_at`. Setting `key_expires` fixes the expiry, so changes to the plan no longer affect it. Blacklist fields only apply to blacklisted users. `changed` lists the terms of the key that changed with its plan or features.',
      response: Type.Object({ success: shape.Yes, changed: Changed }),
      async handle({ subject, body }, deps) {
        const changed = await editUser(deps, subject, shape.given(body))
        return changed instanceof Refused ? changed : { changed: [...changed] }
      },
      body: shape.members({
        ...editable,
        ...terms,
        max_instances: shape.maybe(atMost('concurrent runs')),
        max_executions: shape.maybe(atMost('executions in total')),
        use_fingerprint: shape.maybe(shape.Flag),
        blacklist_expires: shape.maybe(
          shape.milliseconds('expiry of the blacklist, in Unix milliseconds. 0 makes it permanent'),
        ),
        blacklist_reason: shape.LooseReason,
      }),
    },
  },
)

const blacklist = inBothFamilies(
  {
    name: 'users.blacklist',
    summary: 'Blacklist a user',
    description:
      'Denies all further runs of the user with the given reason, permanently (`expires` of 0 or null) or until `expires`, and ends current runs. The key and its device are kept, so you can unblacklist the user later. To change an existing blacklist, edit the user.',
    example: { body: { expires: 1_798_761_600_000, reason: 'shared the key' } },
    method: 'POST',
    path: '/users/:user_key/blacklist',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    body: shape.members({ expires: shape.LooseMilliseconds, reason: shape.LooseReason }),
    response: shape.Done,
    failures: { user_already_blacklisted: 0, account_expired: 1 },
    async handle({ subject, body }, deps) {
      const { expires, ...rest } = shape.given(body)
      return (await blacklistUser(deps, subject, { ...rest, expires: Number(expires ?? 0) })) ?? {}
    },
  },
  {
    v1: {
      body: shape.members({
        expires: shape.nullable(
          shape.milliseconds('expiry of the blacklist, in Unix milliseconds. 0 or null makes it permanent'),
        ),
        reason: shape.LooseReason,
      }),
      async handle({ subject, body }, deps) {
        return (await blacklistUser(deps, subject, shape.given(body))) ?? {}
      },
    },
  },
)

const unblacklist = inBothFamilies({
  name: 'users.unblacklist',
  summary: 'Unblacklist a user',
  description:
    'Lets a blacklisted user run scripts again immediately, with the same key, device and expiry. Temporary blacklists expire on their own; use this to lift them early.',
  method: 'POST',
  path: '/users/:user_key/unblacklist',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  response: shape.Done,
  failures: { user_not_blacklisted: 0, account_expired: 1 },
  async handle({ subject }, deps) {
    return (await unblacklistUser(deps, subject)) ?? {}
  },
})

const link = inBothFamilies(
  {
    name: 'users.link',
    summary: 'Link a user to a chat account',
    description:
      'Links a user to a chat account, for example from a bot that knows who owns a key. With `force`, an existing link is replaced; without it, the request fails with `user_already_linked`. A chat account can have one key per project.',
    example: { body: { chat_id: '184650129374650213', force: true } },
    method: 'POST',
    path: '/users/:user_key/link',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    body: shape.members({ chat_id: shape.LinkedChatId, force: shape.maybe(ReplaceLink) }),
    response: shape.Done,
    failures: { account_expired: 0, user_already_linked: 1, chat_already_has_key: 2 },
    async handle({ subject, body: { chat_id, force } }, deps) {
      return (await linkUser(deps, subject, { chat_id, force: force ?? false })) ?? {}
    },
  },
  {
    v1: {
      body: shape.members({ chat_id: shape.LinkedChatId, force: ReplaceLink }),
    },
  },
)

const reset = inBothFamilies(
  {
    name: 'users.reset',
    summary: "Reset a user's fingerprint",
    description:
      "Unbinds a user's device, for example when a customer has a new computer. The next run binds a new device. Without `force`, the project's rules apply: resets must be allowed, and the cooldown must have ended (see `retry_at`). With `force`, they are ignored, and current runs are ended.",
    example: { body: { force: true } },
    method: 'POST',
    path: '/users/:user_key/reset',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
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
  },
  {
    v1: {
      body: shape.members({ force: shape.Flag }),
    },
  },
)

const remove = inBothFamilies(
  {
    name: 'users.remove',
    summary: 'Remove a user',
    description:
      'Removes a user with their device and ends current runs. The key stops working. Project statistics are kept. To keep out someone who may return with another key, blacklist or ban them instead.',
    method: 'POST',
    path: '/users/:user_key/remove',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    response: shape.Done,
    async handle({ subject }, deps) {
      await removeUser(deps, subject)
      return {}
    },
  },
  {
    v1: {
      response: Removed,
      async handle({ subject }, deps) {
        return { change_id: (await removeUser(deps, subject)).change_id }
      },
    },
  },
)

const unlock = endpoint({
  name: 'v1.users.unlock',
  summary: 'Unlock a key earned through ads',
  description:
    "A key earned through ads must first be used on the network where it was earned, so that it can't be resold. This lifts the restriction for a customer whose network has changed. Keys without the restriction return an error.",
  method: 'POST',
  path: '/v1/users/:user_key/unlock',
  auth: 'user',
  scope: 'users:write',
  params: shape.UserParams,
  response: shape.Done,
  failures: { account_expired: 0, user_not_locked: 1 },
  async handle({ subject }, deps) {
    return (await unlockUser(deps, subject)) ?? {}
  },
})

export const users: readonly Endpoint[] = [
  ...[get, edit, blacklist, unblacklist, reset, link, remove].flat(),
  unlock,
]
