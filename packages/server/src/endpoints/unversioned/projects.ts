/** One project: get, edit, remove; the newer family reads and edits more in `v1/projects.ts`. Its scripts and users have files of their own. */
import { Type } from 'typebox'
import { editProject, getProject, removeProject } from '../../domain/projects.ts'
import { Refused } from '../../domain/refusals.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import {
  Done,
  Flag,
  given,
  Milliseconds,
  maybe,
  members,
  Name,
  Project,
  ProjectParams,
  WebhookAddress,
  Yes,
} from '../shapes.ts'

export const ProjectEdit = {
  name: maybe(Name),
  fingerprint_reset_cooldown: maybe(Milliseconds),
  allow_fingerprint_resets: maybe(Flag),
  delete_expired_users: maybe(Flag),
  execution_webhook: maybe(WebhookAddress),
  information_webhook: maybe(WebhookAddress),
  blacklist_webhook: maybe(WebhookAddress),
}

const ProjectAnswer = Type.Object({ success: Yes, project: Project })

const get = endpoint({
  name: 'projects.get',
  summary: 'Get a project.',
  method: 'GET',
  path: '/projects/:project_id',
  auth: 'project',
  params: ProjectParams,
  query: Nothing,
  body: Nothing,
  response: ProjectAnswer,
  failures: {},
  async handle({ subject }, deps) {
    return { project: await getProject(deps, subject) }
  },
})

const edit = endpoint({
  name: 'projects.edit',
  summary: 'Edit a project: members that are absent or null stay, an empty text clears an address.',
  method: 'POST',
  path: '/projects/:project_id/edit',
  auth: 'project',
  params: ProjectParams,
  query: Nothing,
  body: members(ProjectEdit),
  response: ProjectAnswer,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    const project = await editProject(deps, subject, given(body))
    return project instanceof Refused ? project : { project }
  },
})

const remove = endpoint({
  name: 'projects.remove',
  summary: 'Remove a project with its scripts, users and statistics.',
  method: 'POST',
  path: '/projects/:project_id/remove',
  auth: 'project',
  params: ProjectParams,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: {},
  async handle({ subject }, deps) {
    return (await removeProject(deps, subject)) ?? {}
  },
})

export const projects: readonly Endpoint[] = [get, edit, ...inBothFamilies(remove)]
