/** The users of a project: list, filter, export, create, and changes of all of them. Imports are in `user-imports.ts`. */
import { type Static, Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import {
  clearUsers,
  compensateUsers,
  generateUsers,
  previewChange,
  purgeUsers,
  resetAllFingerprints,
} from '../../domain/users/bulk.ts'
import { countListed, countNewUsers, countUsers, filterUsers, listUsers } from '../../domain/users/lists.ts'
import { withStatuses } from '../../domain/users/statuses.ts'
import { exportJson, exportText } from '../../domain/users/transfer.ts'
import { createUser, describeUser, describeWideUser } from '../../domain/users/users.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { streamList, streamText } from '../streams.ts'

const Users = Type.Object({ success: shape.Yes, users: Type.Array(shape.User) })
const FilterQuery = shape.members({ ...shape.Page.properties, ...shape.UserFilter })

const list = inBothFamilies(
  {
    name: 'projectUsers.list',
    summary: 'List the users of a project in order of creation.',
    description:
      'Without `limit` the whole project is streamed, a million users included, without holding them in memory. Members of the account who only issue keys see the users that they issued. Page with `after` when you want parts that do not shift while others add and remove users.',
    method: 'GET',
    path: '/projects/:project_id/users',
    auth: 'project',
    scope: 'users:read',
    issued: true,
    params: shape.ProjectParams,
    query: shape.Page,
    body: Nothing,
    response: Users,
    failures: {},
    produces: 'stream',
    async handle({ subject: { project }, caller: { issuer }, query }, deps) {
      const now = deps.now()
      const users = await listUsers(deps, { project, issuer }, shape.given(query))
      if (users instanceof Refused) return users
      return streamList('users', users.pages, (row) => describeUser(row, now))
    },
  },
  {
    v1: {
      query: shape.OrderedPage,
      response: Type.Object({
        success: shape.Yes,
        users: Type.Array(shape.WideUser),
        total: shape.Count,
        next: shape.Next,
      }),
      async handle({ subject: { project }, caller: { issuer }, query }, deps) {
        const now = deps.now()
        const users = await listUsers(deps, { project, issuer }, shape.given(query))
        if (users instanceof Refused) return users
        const total = await countListed(deps, { project, issuer })
        const rest = () => ({ total, next: users.next() })
        return streamList('users', withStatuses(deps, users.pages), (row) => describeWideUser(row, now), rest)
      },
    },
  },
)

const filter = inBothFamilies(
  {
    name: 'projectUsers.filter',
    summary: 'List the users of a project that have all that is asked for, in order of creation.',
    description:
      'All given members must fit; at least one has to be given. Texts must be equal, but for `search`, which looks for a part of the key, chat id, note, executor or blacklist reason in either case. `true` and `false` ask whether a member is set at all.',
    example: { query: { search: 'garden', limit: 50 } },
    method: 'GET',
    path: '/projects/:project_id/users/filter',
    auth: 'project',
    scope: 'users:read',
    issued: true,
    params: shape.ProjectParams,
    query: FilterQuery,
    body: Nothing,
    response: Users,
    failures: { must_filter_something: 0 },
    produces: 'stream',
    async handle({ subject: { project }, caller: { issuer }, query }, deps) {
      const now = deps.now()
      const users = await filterUsers(deps, { project, issuer }, filterOf(query), shape.given(query))
      if (users instanceof Refused) return users
      return streamList('users', users.pages, (row) => describeUser(row, now))
    },
  },
  {
    v1: {
      query: shape.members({
        ...shape.OrderedPage.properties,
        ...shape.UserFilter,
        status: Type.Optional(shape.UserStatus),
      }),
      response: Type.Object({ success: shape.Yes, users: Type.Array(shape.WideUser), next: shape.Next }),
      async handle({ subject: { project }, caller: { issuer }, query }, deps) {
        const now = deps.now()
        const { after: _, order: _order, status, ...asked } = query
        const filter = { ...filterOf(asked), ...(status === undefined ? {} : { status }) }
        const users = await filterUsers(deps, { project, issuer }, filter, shape.given(query))
        if (users instanceof Refused) return users
        const rest = () => ({ next: users.next() })
        return streamList('users', withStatuses(deps, users.pages), (row) => describeWideUser(row, now), rest)
      },
    },
  },
)

const counts = endpoint({
  name: 'v1.projectUsers.counts',
  summary: 'Count the users of a project by status; each user has one.',
  description:
    'For the numbers above a list of users. It reads every user of the project in slices, some seconds for a million, so ask for it once and not with every page.',
  method: 'GET',
  path: '/v1/projects/:project_id/users/counts',
  auth: 'project',
  scope: 'users:read',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    counts: Type.Object(
      {
        active: shape.Count,
        unused: shape.Count,
        expired: shape.Count,
        blacklisted: shape.Count,
        locked: shape.Count,
      },
      { examples: [{ active: 120, unused: 30, expired: 14, blacklisted: 2, locked: 1 }] },
    ),
  }),
  failures: {},
  async handle({ subject }, deps) {
    return { counts: await countUsers(deps, subject.project) }
  },
})

const created = endpoint({
  name: 'v1.projectUsers.created',
  summary: 'Count the users of a project that were created in a period.',
  description:
    'For how a project grows: ask for this week and for the one before. Users who were removed since are not counted. It reads an index from `from` on, a second for a million users.',
  example: { query: { from: 1_790_000_000_000, to: 1_790_100_000_000 } },
  method: 'GET',
  path: '/v1/projects/:project_id/users/created',
  auth: 'project',
  scope: 'users:read',
  cost: 5,
  params: shape.ProjectParams,
  query: shape.members({
    from: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description: 'created at this time or later; from the first user on unless given',
        examples: [1_790_000_000_000],
      }),
    ),
    to: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description: 'created before this time; until now unless given',
        examples: [1_790_100_000_000],
      }),
    ),
  }),
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    count: Type.Integer({ minimum: 0, description: 'users that are still there', examples: [34] }),
  }),
  failures: {},
  async handle({ subject, query }, deps) {
    return { count: await countNewUsers(deps, subject.project, shape.given(query)) }
  },
})

const exportAll = inBothFamilies({
  name: 'projectUsers.export',
  summary: 'Export all users: their keys as text, or what an import takes as JSON.',
  description:
    'As text you get one key per line. As JSON you get everything that an import takes, devices included, so that users can be moved to another project or service. The file has all keys in it: handle it like a secret.',
  example: { body: { type: 'text' } },
  method: 'POST',
  path: '/projects/:project_id/users/export',
  auth: 'project',
  scope: 'users:bulk',
  cost: 20,
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({ type: Type.Union([Type.Literal('text'), Type.Literal('json')]) }),
  response: Type.Object({ success: shape.Yes, exported: Type.String() }),
  failures: {},
  produces: 'stream',
  async handle({ subject, body }, deps) {
    const exported = body.type === 'json' ? exportJson : exportText
    return streamText('exported', exported(deps, subject.project))
  },
})

const create = inBothFamilies({
  name: 'projectUsers.create',
  summary: 'Create one user key.',
  description:
    'Call this when somebody buys: the answer has the key to hand out. Without `key_expires` it never expires. It is bound to the first device that uses it. One chat account can have one key of a project.',
  example: { body: { note: 'bought on 21 September', key_expires: 1_798_761_600_000 } },
  method: 'POST',
  path: '/projects/:project_id/users/new',
  auth: 'project',
  scope: 'users:issue',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    chat_id: shape.maybe(shape.ChatId),
    key_expires: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
  }),
  response: Type.Object({ success: shape.Yes, user_key: Type.String() }),
  failures: { max_users_reached: 0, account_expired: 1, chat_already_has_key: 2 },
  async handle({ subject, caller, body }, deps) {
    const key = await createUser(deps, subject, shape.given(body), caller.issuer)
    return key instanceof Refused ? key : { user_key: key }
  },
})

const generate = inBothFamilies({
  name: 'projectUsers.generate',
  summary: 'Create many user keys at once, all or none.',
  description:
    'For cards, give-aways and resellers: up to as many keys as `GET /v1/limits` says in one call, all of them or none. Send an `Idempotency-Key`, so that a lost answer does not become a second batch of keys.',
  example: { body: { amount: 3, note: 'autumn sale' } },
  method: 'POST',
  path: '/projects/:project_id/users/generate',
  auth: 'project',
  scope: 'users:issue',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    amount: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'how many' }),
    keys_expire: shape.maybe(shape.Milliseconds),
    note: shape.LooseNote,
  }),
  response: Type.Object({ success: shape.Yes, user_keys: Type.Array(Type.String()) }),
  failures: { too_many_keys_to_generate: 0, account_expired: 1 },
  async handle({ subject, caller, body: { amount, ...rest } }, deps) {
    const keys = await generateUsers(deps, subject, { amount, ...shape.given(rest) }, caller.issuer)
    return keys instanceof Refused ? keys : { user_keys: keys }
  },
})

const resetAll = inBothFamilies({
  name: 'projectUsers.resetAll',
  summary: "Unbind every user's fingerprint and end what they run.",
  description:
    'For a change of what devices show, or as a courtesy after an outage: the next execution of every user binds the device that it comes from. Cooldowns are not asked, and what runs is ended. Each user counts one reset more.',
  method: 'POST',
  path: '/projects/:project_id/users/resetall',
  auth: 'project',
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await resetAllFingerprints(deps, subject)) ?? {}
  },
})

const purge = inBothFamilies({
  name: 'projectUsers.purge',
  summary: 'Remove every user who never executed and has neither fingerprint nor chat id.',
  description:
    'Tidies up keys that were handed out and never used: users who never executed anything and have neither device nor chat account. Count them first with `preview`. Removed keys do not come back.',
  method: 'POST',
  path: '/projects/:project_id/users/purge',
  auth: 'project',
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await purgeUsers(deps, subject)) ?? {}
  },
})

const clear = inBothFamilies({
  name: 'projectUsers.clear',
  summary: 'Remove every user of the project.',
  description:
    'Removes all users of the project for good, paying ones included, and ends what they run. Scripts and settings stay. Export the users first, and count them with `preview`.',
  method: 'POST',
  path: '/projects/:project_id/users/clear',
  auth: 'project',
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject }, deps) {
    return (await clearUsers(deps, subject)) ?? {}
  },
})

const compensate = inBothFamilies({
  name: 'projectUsers.compensate',
  summary: 'Let every key that can expire do so later, expired ones only when asked to.',
  description:
    'After an outage: adds `duration` milliseconds to the end of every key that has an end. Keys for ever stay as they are. Expired keys are extended only with `compensate_expired`, which can bring them back to life. All or nothing.',
  example: { body: { duration: 86_400_000, compensate_expired: false } },
  method: 'POST',
  path: '/projects/:project_id/users/compensate',
  auth: 'project',
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({ duration: shape.Milliseconds, compensate_expired: shape.Flag }),
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, body }, deps) {
    return (await compensateUsers(deps, subject, body)) ?? {}
  },
})

const preview = endpoint({
  name: 'v1.projectUsers.preview',
  summary: 'Count the users that a change of many would touch, without changing any.',
  description:
    'Ask before you purge, clear, reset, compensate or export, and show the number to the person who decides. Nothing is changed. Users who come or change in between make a difference.',
  example: { body: { change: 'purge' } },
  method: 'POST',
  path: '/v1/projects/:project_id/users/preview',
  auth: 'project',
  changes: false,
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    change: Type.Unsafe<'purge' | 'clear' | 'resetall' | 'compensate' | 'export'>({
      type: 'string',
      enum: ['purge', 'clear', 'resetall', 'compensate', 'export'],
      description: 'the last part of the path of the change',
      examples: ['purge'],
    }),
    compensate_expired: Type.Optional(
      Type.Boolean({ description: 'for compensate; false unless given', examples: [false] }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    count: Type.Integer({ minimum: 0, description: 'users that it would touch now', examples: [30] }),
  }),
  failures: {},
  async handle({ subject, body }, deps) {
    return { count: await previewChange(deps, subject, body) }
  },
})

/** The conditions of a query, without its paging. */
function filterOf(query: Static<typeof FilterQuery>) {
  const { from: _from, limit: _limit, blacklist_reason: reason, ...members } = shape.given(query)
  if (reason === undefined) return members
  const isFlag = reason === 'true' || reason === 'false'
  return { ...members, blacklist_reason: isFlag ? reason === 'true' : reason }
}

export const projectUsers: readonly Endpoint[] = [
  ...[list, filter, exportAll, create, generate],
  ...[resetAll, purge, clear, compensate, counts, created, preview],
].flat()
