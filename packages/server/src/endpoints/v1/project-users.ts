/** The lists of a project's users as the newer family answers them: wider records, a total, a cursor. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { filterUsers, listUsers } from '../../domain/user-lists.ts'
import { describeWideUser } from '../../domain/users.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { streamList } from '../streams.ts'
import { filterOf } from '../unversioned/project-user-lists.ts'

const list = endpoint({
  name: 'v1.projectUsers.list',
  summary: 'List the users of a project in order of creation.',
  method: 'GET',
  path: '/v1/projects/:project_id/users',
  auth: 'project',
  params: shape.ProjectParams,
  query: shape.CursorPage,
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    users: Type.Array(shape.WideUser),
    total: shape.Count,
    next: shape.Next,
  }),
  failures: {},
  produces: 'stream',
  async handle({ subject: { project }, query }, deps) {
    const now = deps.now()
    const users = await listUsers(deps, project, shape.given(query))
    if (users instanceof Refused) return users
    const rest = () => ({ total: project.total_users, next: users.next() })
    return streamList('users', users.pages, (row) => describeWideUser(row, now), rest)
  },
})

const filter = endpoint({
  name: 'v1.projectUsers.filter',
  summary: 'List the users of a project that have all that is asked for, in order of creation.',
  method: 'GET',
  path: '/v1/projects/:project_id/users/filter',
  auth: 'project',
  params: shape.ProjectParams,
  query: shape.members({ ...shape.CursorPage.properties, ...shape.UserFilter }),
  body: Nothing,
  response: Type.Object({ success: shape.Yes, users: Type.Array(shape.WideUser), next: shape.Next }),
  failures: { must_filter_something: 0 },
  produces: 'stream',
  async handle({ subject: { project }, query }, deps) {
    const now = deps.now()
    const { after: _, ...asked } = query
    const users = await filterUsers(deps, project, filterOf(asked), shape.given(query))
    if (users instanceof Refused) return users
    const rest = () => ({ next: users.next() })
    return streamList('users', users.pages, (row) => describeWideUser(row, now), rest)
  },
})

/** What is not here the newer family shares with the unversioned one. */
export const projectUsersV1: Endpoint[] = [list, filter]
