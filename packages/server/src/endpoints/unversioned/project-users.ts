/** Changing the users of a project as a whole. Reading them is in `project-user-lists.ts`, single ones in `users.ts`. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import {
  clearUsers,
  compensateUsers,
  generateUsers,
  purgeUsers,
  resetAllFingerprints,
} from '../../domain/user-bulk.ts'
import { importUsers } from '../../domain/user-transfer.ts'
import { createUser } from '../../domain/users.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const create = endpoint({
  name: 'projectUsers.create',
  summary: 'Create one user key.',
  method: 'POST',
  path: '/projects/:project_id/users/new',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    chat_id: shape.maybe(shape.ChatId),
    key_expires: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
  }),
  response: Type.Object({ success: shape.Yes, user_key: Type.String() }),
  failures: { max_users_reached: 0, account_expired: 1, chat_already_has_key: 2 },
  async handle({ subject, body }, deps) {
    const key = await createUser(deps, subject, shape.given(body))
    return key instanceof Refused ? key : { user_key: key }
  },
})

const generate = endpoint({
  name: 'projectUsers.generate',
  summary: 'Create many user keys at once, all or none.',
  method: 'POST',
  path: '/projects/:project_id/users/generate',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    amount: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'how many' }),
    keys_expire: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
  }),
  response: Type.Object({ success: shape.Yes, user_keys: Type.Array(Type.String()) }),
  failures: { too_many_keys_to_generate: 0, account_expired: 1 },
  async handle({ subject, body: { amount, ...rest } }, deps) {
    const keys = await generateUsers(deps, subject, { amount, ...shape.given(rest) })
    return keys instanceof Refused ? keys : { user_keys: keys }
  },
})

const importMany = endpoint({
  name: 'projectUsers.import',
  summary:
    'Create users from the list of another service; entries that cannot be users are skipped and named.',
  method: 'POST',
  path: '/projects/:project_id/users/import',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    users: Type.Optional(
      shape.nullable(
        Type.Array(Type.Unknown(), {
          description:
            'objects with chat_id or chat; fingerprint, identifier or hwid; auth_expire or key_expires (seconds or milliseconds); note; executor; blacklisted; blacklist_reason; blacklist_expires; key',
        }),
      ),
    ),
  }),
  bodyLimit: 'import',
  response: Type.Object({
    success: shape.Yes,
    imported: shape.Count,
    skipped: shape.Count,
    skipped_entries: Type.Array(Type.Object({ index: shape.Count, reason: Type.String() })),
  }),
  failures: { too_many_users_to_import: 0, account_expired: 1, no_users_given: 2 },
  async handle({ subject, body }, deps) {
    return importUsers(deps, subject, body.users ?? [])
  },
})

const resetAll = endpoint({
  name: 'projectUsers.resetAll',
  summary: "Unbind every user's fingerprint and end what they run.",
  method: 'POST',
  path: '/projects/:project_id/users/resetall',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await resetAllFingerprints(deps, subject)) ?? {}
  },
})

const purge = endpoint({
  name: 'projectUsers.purge',
  summary: 'Remove every user who never executed and has neither fingerprint nor chat id.',
  method: 'POST',
  path: '/projects/:project_id/users/purge',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await purgeUsers(deps, subject)) ?? {}
  },
})

const clear = endpoint({
  name: 'projectUsers.clear',
  summary: 'Remove every user of the project.',
  method: 'POST',
  path: '/projects/:project_id/users/clear',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await clearUsers(deps, subject)) ?? {}
  },
})

const compensate = endpoint({
  name: 'projectUsers.compensate',
  summary: 'Let every key that can expire do so later, expired ones only when asked to.',
  method: 'POST',
  path: '/projects/:project_id/users/compensate',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({ duration: shape.Milliseconds, compensate_expired: shape.Flag }),
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, body }, deps) {
    return (await compensateUsers(deps, subject, body)) ?? {}
  },
})

export const projectUsers: readonly Endpoint[] = [
  create,
  generate,
  importMany,
  resetAll,
  purge,
  clear,
  compensate,
].flatMap(inBothFamilies)
