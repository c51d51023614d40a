/** Single users: read, edit, blacklist, link, reset and remove. Their denials are in `features/executions/endpoints/denials.ts`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused, refuse } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { unlockUser } from '../../ads/visits/key-locks.ts'
import { Removed } from '../../changes/endpoints/change-shapes.ts'
import { resetFingerprint } from '../../devices/fingerprints.ts'
import { withStatus } from '../attach-status.ts'
import { blacklistUser, unblacklistUser } from '../blacklists.ts'
import { describeUser, describeWideUser, editUser, linkUser, removeUser } from '../users.ts'
import { terms, User, WideUser } from './user-shapes.ts'

const editable = {
  chat_id: shape.maybe(shape.ChatId),
  key_expires: shape.maybe(shape.Milliseconds),
  note: shape.LooseNote,
}

const Changed = Type.Array(
  Type.Object({
    member: Type.String({ examples: ['max_instances'] }),
    from: Type.Unknown({ examples: [1] }),
    to: Type.Unknown({ examples: [2] }),
  }),
  { description: 'what the key may do now, and did not before; of edits of its plan or features' },
)

const get = inBothFamilies(
  {
    name: 'users.get',
    summary: 'Read a user.',
    description:
      'Everything that is known of the key: its end, its device, how often it ran, notes and blacklist. Members of the account who only issue keys can read those that they issued. For why it did not work, see `/v1/users/:user_key/denials`.',
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
    summary: 'Change a user; an empty text clears a member, a key_expires of 0 means never.',
    description:
      'Only the members that are sent are changed. A shorter `key_expires` counts at once, also for what runs over a live session. A chat account that has a key of this project already is refused.',
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
        'Only the members that are sent are changed. A shorter end counts at once, also for what runs over a live session. Another plan brings its clock: one that runs keeps its beginning. `changed` says what that makes of the key. A `key_expires` sets the end by hand, and the plan does not move it any more.',
      response: Type.Object({ success: shape.Yes, changed: Changed }),
      async handle({ subject, body }, deps) {
        const changed = await editUser(deps, subject, shape.given(body))
        return changed instanceof Refused ? changed : { changed: [...changed] }
      },
      summary:
        'Change a user; an empty text clears a member, a key_expires of 0 means never, a limit of -1 takes it away. Blacklist members count only for a blacklisted user.',
      body: shape.members({
        ...editable,
        ...terms,
        max_instances: shape.maybe(shape.Limit),
        max_executions: shape.maybe(shape.Limit),
        use_fingerprint: shape.maybe(shape.Flag),
        blacklist_expires: shape.maybe(shape.Milliseconds),
        blacklist_reason: shape.LooseNote,
      }),
    },
  },
)

const blacklist = inBothFamilies(
  {
    name: 'users.blacklist',
    summary: 'Keep a user from running scripts, for ever or until a time, and end what they run.',
    description:
      'The user is denied from now on with the reason that you give, and what they run is ended. The key and its device stay, so it can be undone. A user who is blacklisted already is refused: edit the user instead.',
    example: { body: { expires: 1_798_761_600_000, reason: 'shared the key' } },
    method: 'POST',
    path: '/users/:user_key/blacklist',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    body: shape.members({ expires: shape.LooseMilliseconds, reason: shape.LooseNote }),
    response: shape.Done,
    failures: { user_already_blacklisted: 0, account_expired: 1 },
    async handle({ subject, body }, deps) {
      const { expires, ...rest } = shape.given(body)
      return (await blacklistUser(deps, subject, { ...rest, expires: Number(expires ?? 0) })) ?? {}
    },
  },
  {
    v1: {
      summary: 'Keep a user from running scripts, and end what they run; expires of 0 or null is for ever.',
      body: shape.members({ expires: shape.nullable(shape.Milliseconds), reason: shape.LooseNote }),
      async handle({ subject, body }, deps) {
        return (await blacklistUser(deps, subject, shape.given(body))) ?? {}
      },
    },
  },
)

const unblacklist = inBothFamilies({
  name: 'users.unblacklist',
  summary: 'Let a blacklisted user run scripts again.',
  description:
    'The user can run scripts at once, with the same key, device and end as before. A blacklist with an end needs this only when it should end earlier.',
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
    summary: 'Link a user to a chat account; force replaces the account that they are linked to.',
    description:
      'For a bot that knows who owns a key. With `force` another chat account takes the place of the one before; without it such a key is refused with `user_already_linked`. A chat account can have one key of a project.',
    example: { body: { chat_id: '184650129374650213', force: true } },
    method: 'POST',
    path: '/users/:user_key/link',
    auth: 'user',
    scope: 'users:write',
    params: shape.UserParams,
    body: shape.members({ chat_id: shape.LinkedChatId, force: shape.maybe(shape.Flag) }),
    response: shape.Done,
    failures: { account_expired: 0, user_already_linked: 1, chat_already_has_key: 2 },
    async handle({ subject, body: { chat_id, force } }, deps) {
      return (await linkUser(deps, subject, { chat_id, force: force ?? false })) ?? {}
    },
  },
  {
    v1: {
      body: shape.members({ chat_id: shape.LinkedChatId, force: shape.Flag }),
    },
  },
)

const reset = inBothFamilies(
  {
    name: 'users.reset',
    summary: "Unbind a user's fingerprint; the next execution binds a new one.",
    description:
      'For a user with a new computer. Without `force` the rules of the project count: resets must be allowed and the cooldown must be over; `retry_at` says when it is. With `force` they do not count, and what runs is ended.',
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
    summary: 'Remove a user with their fingerprint and instances.',
    description:
      'The key stops working for good and its device is forgotten; what runs is ended. The statistics of the project stay. To keep somebody out who may come back with another key, blacklist them instead.',
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
  summary: 'Let the first use of a key that was earned by ads come from any network.',
  description:
    'A key that was earned by ads has to be used first in the network where it was earned, or it could be sold on. Call this for an honest user whose network changed in between. Keys that were not earned by ads are refused.',
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
