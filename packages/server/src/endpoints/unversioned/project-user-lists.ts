/** Reading the users of a project: the list, the filter and the export, all of them streamed. */
import { type Static, Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import { filterUsers, listUsers } from '../../domain/user-lists.ts'
import { exportJson, exportText } from '../../domain/user-transfer.ts'
import { describeUser } from '../../domain/users.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { streamList, streamText } from '../streams.ts'

const Users = Type.Object({ success: shape.Yes, users: Type.Array(shape.User) })

const list = endpoint({
  name: 'projectUsers.list',
  summary: 'List the users of a project in order of creation.',
  method: 'GET',
  path: '/projects/:project_id/users',
  auth: 'project',
  params: shape.ProjectParams,
  query: shape.Page,
  body: Nothing,
  response: Users,
  failures: {},
  produces: 'stream',
  async handle({ subject, query }, deps) {
    const now = deps.now()
    const users = await listUsers(deps, subject.project, shape.given(query))
    if (users instanceof Refused) return users
    return streamList('users', users.pages, (row) => describeUser(row, now))
  },
})

const FilterQuery = shape.members({ ...shape.Page.properties, ...shape.UserFilter })

const filter = endpoint({
  name: 'projectUsers.filter',
  summary: 'List the users of a project that have all that is asked for, in order of creation.',
  method: 'GET',
  path: '/projects/:project_id/users/filter',
  auth: 'project',
  params: shape.ProjectParams,
  query: FilterQuery,
  body: Nothing,
  response: Users,
  failures: { must_filter_something: 0 },
  produces: 'stream',
  async handle({ subject, query }, deps) {
    const now = deps.now()
    const users = await filterUsers(deps, subject.project, filterOf(query), shape.given(query))
    if (users instanceof Refused) return users
    return streamList('users', users.pages, (row) => describeUser(row, now))
  },
})

const exportAll = endpoint({
  name: 'projectUsers.export',
  summary: 'Export all users: their keys as text, or what an import takes as JSON.',
  method: 'POST',
  path: '/projects/:project_id/users/export',
  auth: 'project',
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

/** What a query asks for, without the members that say which part of the answer is wanted. */
export function filterOf(query: Static<typeof FilterQuery>) {
  const { from: _from, limit: _limit, blacklist_reason: reason, ...members } = shape.given(query)
  if (reason === undefined) return members
  const isFlag = reason === 'true' || reason === 'false'
  return { ...members, blacklist_reason: isFlag ? reason === 'true' : reason }
}

/** The newer family tells more in its lists, so it declares those anew. */
export const projectUserLists: Endpoint[] = [list, filter, ...inBothFamilies(exportAll)]
