/**
 * The users of a project: list, filter and export. New users are in `new-users.ts` and `imports/endpoints.ts`, bulk changes in
 * `features/changes/endpoints/user-changes.ts`.
 */
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
import { describeUser, describeWideUser } from '../users.ts'
import { User, UserFilter, UserStatus, WideUser, wideFilter } from './user-shapes.ts'

const Users = Type.Object({ success: shape.Yes, users: Type.Array(User) })

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
      query: shape.OrderedPage,
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
        ...UserFilter,
        status: Type.Optional(UserStatus),
        ...wideFilter,
        shared: shape.maybe(
          Type.Boolean({
            description: 'whether the key is used in more networks than the project allows for',
            examples: [true],
          }),
        ),
      }),
      response: Type.Object({ success: shape.Yes, users: Type.Array(WideUser), next: shape.Next }),
      async handle({ subject: { project }, caller, query }, deps) {
        const { issuer } = caller
        const now = deps.now()
        const { after: _, order: _order, status, shared, plan_id, tag, issued_by, metadata, ...asked } = query
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

type Counts = Record<Status, typeof shape.Count>

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
  response: Type.Object({
    success: shape.Yes,
    counts: Type.Object(Object.fromEntries(USER_STATUSES.map((status) => [status, shape.Count])) as Counts, {
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
  response: Type.Object({
    success: shape.Yes,
    count: Type.Integer({ minimum: 0, description: 'users that are still there', examples: [34] }),
  }),
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
  body: shape.members({ type: Type.Union([Type.Literal('text'), Type.Literal('json')]) }),
  response: Type.Object({ success: shape.Yes, exported: Type.String() }),
  produces: 'stream',
  async handle({ subject, body }, deps) {
    const exported = body.type === 'json' ? exportJson : exportText
    return streamText('exported', exported(deps, subject.project))
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
  async handle({ subject, body }, deps) {
    return { count: await countAll(deps, subject, body) }
  },
})

export const projectUsers: readonly Endpoint[] = [
  ...[list, filter, exportAll],
  ...[counts, created, preview],
].flat()
