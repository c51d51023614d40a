/**
 * Lists, filters and exports a project's users. For new users, see `new-users.ts` and `imports/endpoints.ts`.
 * For bulk changes, see `features/changes/endpoints/user-changes.ts`.
 */
import { MAX_USER_KEY_LENGTH } from '@scriptward/client/messages'
import { type UserStatus as Status, USER_STATUSES } from '@scriptward/client/user-statuses'
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { streamList, streamText } from '../../../api/streams.ts'
import { countAll } from '../../changes/change-all.ts'
import { FilterQuery, filterOf } from '../../changes/endpoints/change-shapes.ts'
import { exportJson, exportText } from '../../imports/export-users.ts'
import { withStatuses } from '../attach-status.ts'
import { countListed, countNewUsers, countUsers, filterUsers, listUsers } from '../lists.ts'
import { listUserNames } from '../store/users.ts'
import { describeUser, describeWideUser } from '../users.ts'
import { User, UserFilter, UserStatus, WideUser, wideFilter } from './user-shapes.ts'
import { SortedPage } from './user-sort.ts'

const Users = Type.Object({ success: shape.Yes, users: Type.Array(User) })

const list = inBothFamilies(
  {
    name: 'projectUsers.list',
    summary: 'List users',
    description:
      "Returns a project's users in order of creation. Without `limit`, all users are streamed, even millions of them. Use `after` for pages that do not shift when users are added or removed. Team members who can only issue keys see the users they issued.",
    method: 'GET',
    path: '/projects/:project_id/users',
    auth: 'project',
    scope: 'users:read',
    issued: true,
    params: shape.ProjectParams,
    query: shape.Page,
    response: Users,
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
      query: SortedPage,
      example: { query: { sort: 'expires', order: 'asc', limit: 50 } },
      response: Type.Object({
        success: shape.Yes,
        users: Type.Array(WideUser),
        total: shape.Count,
        next: shape.Next,
      }),
      async handle({ subject: { project }, caller, query }, deps) {
        const { issuer } = caller
        const now = deps.now()
        const users = await listUsers(deps, { project, issuer }, shape.given(query))
        if (users instanceof Refused) return users
        const total = await countListed(deps, { project, issuer })
        const rest = () => ({ total, next: users.next() })
        return streamList(
          'users',
          withStatuses(deps, project, users.pages),
          (row) => describeWideUser(row, now, caller),
          rest,
        )
      },
    },
  },
)

const filter = inBothFamilies(
  {
    name: 'projectUsers.filter',
    summary: 'Filter users',
    description:
      "Returns the project's users that match all filters, in order of creation. At least one filter is required. Strings must match exactly, except `search`, which matches any part of the key, chat account, note, executor or blacklist reason, ignoring case. To filter by whether a field is set, pass `true` or `false`.",
    example: { query: { search: 'garden', limit: 50 } },
    method: 'GET',
    path: '/projects/:project_id/users/filter',
    auth: 'project',
    scope: 'users:read',
    issued: true,
    params: shape.ProjectParams,
    query: FilterQuery,
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
        ...SortedPage.properties,
        ...UserFilter,
        status: Type.Optional(UserStatus),
        ...wideFilter,
        shared: shape.maybe(
          Type.Boolean({
            description: 'whether the key is used from more networks than the project allows',
            examples: [true],
          }),
        ),
      }),
      response: Type.Object({ success: shape.Yes, users: Type.Array(WideUser), next: shape.Next }),
      async handle({ subject: { project }, caller, query }, deps) {
        const { issuer } = caller
        const now = deps.now()
        const {
          after: _,
          order: _order,
          sort: _sort,
          status,
          shared,
          plan_id,
          tag,
          issued_by,
          metadata,
          ...asked
        } = query
        const wide = shape.given({ status, shared, plan_id, tag, issued_by, metadata })
        const filter = { ...filterOf(asked), ...wide }
        const users = await filterUsers(deps, { project, issuer }, filter, shape.given(query))
        if (users instanceof Refused) return users
        const rest = () => ({ next: users.next() })
        return streamList(
          'users',
          withStatuses(deps, project, users.pages),
          (row) => describeWideUser(row, now, caller),
          rest,
        )
      },
    },
  },
)

const Counted = Type.Integer({ ...shape.Count, description: 'number of users with this status' })
type Counts = Record<Status, typeof Counted>

const counts = endpoint({
  name: 'v1.projectUsers.counts',
  summary: 'Count users by status',
  description:
    'Returns the number of users in each status; every user has exactly one status. This reads all users of the project and takes a few seconds for a million, so call it once instead of for every page.',
  method: 'GET',
  path: '/v1/projects/:project_id/users/counts',
  auth: 'project',
  scope: 'users:read',
  cost: 10,
  params: shape.ProjectParams,
  response: Type.Object({
    success: shape.Yes,
    counts: Type.Object(Object.fromEntries(USER_STATUSES.map((status) => [status, Counted])) as Counts, {
      examples: [
        {
          ...{ active: 120, issued: 8, unused: 30, not_started: 12, quota_spent: 3, grace: 4 },
          ...{ paused: 5, expired: 14, blacklisted: 2, locked: 1 },
        },
      ],
    }),
  }),
  async handle({ subject }, deps) {
    return { counts: await countUsers(deps, subject.project) }
  },
})

const created = endpoint({
  name: 'v1.projectUsers.created',
  summary: 'Count new users',
  description:
    'Returns the number of users created in a period, for example to compare this week with the last. Users who have since been removed are not counted. Takes about a second for a million users.',
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
        description: 'start of the period, inclusive. Default: when the first user was created',
        examples: [1_790_000_000_000],
      }),
    ),
    to: shape.maybe(
      Type.Integer({
        ...shape.Milliseconds,
        description: 'end of the period, exclusive. Default: now',
        examples: [1_790_100_000_000],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    count: Type.Integer({
      minimum: 0,
      description: 'number of users created in the period, excluding those removed since',
      examples: [34],
    }),
  }),
  async handle({ subject, query }, deps) {
    return { count: await countNewUsers(deps, subject.project, shape.given(query)) }
  },
})

const names = endpoint({
  name: 'v1.projectUsers.names',
  summary: "Look up users' names",
  description:
    'Returns the notes and Discord accounts of up to 100 users, so that you can show names instead of license keys. Keys that do not exist in the project are omitted.',
  example: { body: { keys: ['kQ7mZr4TnB8vXc2LpW9sYd3FhJ6gA5eR'] } },
  method: 'POST',
  path: '/v1/projects/:project_id/users/names',
  auth: 'project',
  changes: false,
  scope: 'users:read',
  params: shape.ProjectParams,
  body: shape.members({
    keys: Type.Array(Type.String({ maxLength: MAX_USER_KEY_LENGTH }), {
      minItems: 1,
      maxItems: 100,
      description: 'license keys',
      examples: [['kQ7mZr4TnB8vXc2LpW9sYd3FhJ6gA5eR']],
    }),
  }),
  response: Type.Object({
    success: shape.Yes,
    users: Type.Array(
      Type.Object({
        key: Type.String(),
        note: shape.nullable(Type.String({ description: 'note on the key', examples: ['Order 1042'] })),
        chat_id: shape.nullable(Type.String({ description: 'Discord user ID. Null if none is linked' })),
      }),
    ),
  }),
  async handle({ subject: { project }, body }, { db }) {
    return { users: await listUserNames(db.read, project.id, body.keys) }
  },
})

const exportAll = inBothFamilies({
  name: 'projectUsers.export',
  summary: 'Export users',
  description:
    'Exports all users, either as text with one key per line, or as JSON with everything an import accepts, including devices, so that you can move users to another project or server. The export contains all license keys: store it securely.',
  example: { body: { type: 'text' } },
  method: 'POST',
  path: '/projects/:project_id/users/export',
  auth: 'project',
  scope: 'users:bulk',
  cost: 20,
  params: shape.ProjectParams,
  body: shape.members({
    type: Type.Union([Type.Literal('text'), Type.Literal('json')], { description: 'format of the export' }),
  }),
  response: Type.Object({ success: shape.Yes, exported: Type.String() }),
  produces: 'stream',
  async handle({ subject, body }, deps) {
    const exported = body.type === 'json' ? exportJson : exportText
    return streamText('exported', exported(deps, subject.project))
  },
})

const preview = endpoint({
  name: 'v1.projectUsers.preview',
  summary: 'Preview a bulk change',
  description:
    'Returns how many users a purge, clear, reset, compensation or export would affect, so you can ask for confirmation first. Nothing is changed. The actual number can differ if users are added or changed in the meantime.',
  example: { body: { change: 'purge' } },
  method: 'POST',
  path: '/v1/projects/:project_id/users/preview',
  auth: 'project',
  changes: false,
  scope: 'users:bulk',
  cost: 10,
  params: shape.ProjectParams,
  body: shape.members({
    change: Type.Unsafe<'purge' | 'clear' | 'resetall' | 'compensate' | 'export'>({
      type: 'string',
      enum: ['purge', 'clear', 'resetall', 'compensate', 'export'],
      description: 'change to preview, named by the last path segment of its endpoint',
      examples: ['purge'],
    }),
    compensate_expired: Type.Optional(
      Type.Boolean({
        description: 'for compensate: whether to include expired keys. Default: false',
        examples: [false],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    count: Type.Integer({
      minimum: 0,
      description: 'number of users that the change would affect now',
      examples: [30],
    }),
  }),
  async handle({ subject, body }, deps) {
    return { count: await countAll(deps, subject, body) }
  },
})

export const projectUsers: readonly Endpoint[] = [
  ...[list, filter, exportAll],
  ...[counts, created, names, preview],
].flat()
