/** What the newer family does differently with scripts; the rest it shares with the unversioned one. */
import { Type } from 'typebox'
import { loaderFile } from '../../domain/loaders.ts'
import { Refused } from '../../domain/refusals.ts'
import { countScripts, describeScript, editScript, listScripts } from '../../domain/scripts.ts'
import { clientUrls } from '../client/addresses.ts'
import { type Endpoint, endpoint, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const list = endpoint({
  name: 'v1.projectScripts.list',
  summary: 'List the scripts of a project.',
  method: 'GET',
  path: '/v1/projects/:project_id/scripts',
  auth: 'project',
  params: shape.ProjectParams,
  query: shape.CursorPage,
  body: Nothing,
  response: Type.Object({
    success: shape.Yes,
    scripts: Type.Array(shape.Script),
    total: shape.Count,
    next: shape.Next,
  }),
  failures: {},
  async handle({ subject, query }, deps) {
    const found = await listScripts(deps, subject.project, shape.given(query))
    if (found instanceof Refused) return found
    const total = await countScripts(deps, subject.project)
    return { scripts: found.rows.map(describeScript), total, next: found.next }
  },
})

const get = endpoint({
  name: 'v1.scripts.get',
  summary: 'Read a script.',
  method: 'GET',
  path: '/v1/scripts/:script_id',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, script: shape.ScriptV1 }),
  failures: {},
  async handle({ subject }) {
    return { script: describeScript(subject.script) }
  },
})

const edit = endpoint({
  name: 'v1.scripts.edit',
  summary: 'Change how a script runs.',
  method: 'POST',
  path: '/v1/scripts/:script_id/edit',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: shape.members({
    name: shape.maybe(shape.Name),
    free_for_all: shape.maybe(shape.Flag),
    use_heartbeat: shape.maybe(shape.Flag),
    kick_outdated: shape.maybe(shape.Flag),
    require_sessions: shape.maybe(shape.Flag),
    silent: shape.maybe(shape.Flag),
  }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    return (await editScript(deps, subject, shape.given(body))) ?? {}
  },
})

const file = endpoint({
  name: 'v1.scripts.loaderFile',
  summary:
    'Get a loader to hand out as a file: it trusts the keys of this service and needs no other download.',
  method: 'GET',
  path: '/v1/scripts/:script_id/loader-file',
  auth: 'script',
  params: shape.ScriptParams,
  query: Type.Object({ rt: Type.Optional(shape.LoaderRuntime) }, { additionalProperties: false }),
  body: Nothing,
  produces: 'text',
  response: Type.String({ description: 'Lua in ASCII' }),
  failures: {},
  async handle({ subject, query, origin }, deps) {
    const urls = clientUrls(deps.config, origin.headers)
    const text = await loaderFile(deps, subject.script, { urls, runtime: query.rt ?? 'any' })
    return { status: 200, contentType: 'text/plain; charset=us-ascii', text }
  },
})

export const scriptsV1: Endpoint[] = [list, get, edit, file]
