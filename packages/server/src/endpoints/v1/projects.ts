/** What the newer family reads and edits of a project beyond the unversioned one; both end in the same domain calls. */
import { Type } from 'typebox'
import { editProject, getProject } from '../../domain/projects.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'
import { ProjectEdit } from '../unversioned/projects.ts'

const ProjectAnswer = Type.Object({ success: shape.Yes, project: shape.WideProject })

const get = endpoint({
  name: 'v1.projects.get',
  summary: 'Get a project.',
  method: 'GET',
  path: '/v1/projects/:project_id',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: Nothing,
  response: ProjectAnswer,
  failures: {},
  async handle({ subject }, deps) {
    return { project: await getProject(deps, subject) }
  },
})

const edit = endpoint({
  name: 'v1.projects.edit',
  summary:
    'Edit a project: members that are absent or null stay, an empty text clears an address. Beyond the interface: the chat flags, and whether other software may check keys.',
  method: 'POST',
  path: '/v1/projects/:project_id/edit',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    ...ProjectEdit,
    require_chat: shape.maybe(shape.Flag),
    require_join_chat_server: shape.maybe(shape.Flag),
    allow_checks: shape.maybe(shape.Flag),
  }),
  response: ProjectAnswer,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    const project = await editProject(deps, subject, shape.given(body))
    return project instanceof Refused ? project : { project }
  },
})

export const projectsV1: readonly Endpoint[] = [get, edit]
