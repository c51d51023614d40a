/** Scripts, as the unversioned family reaches them, and what the newer family does in the same way. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusals.ts'
import {
  createScript,
  describeScript,
  editScript,
  listScripts,
  removeScript,
  toggleScript,
  updateScript,
} from '../../domain/scripts.ts'
import { type Endpoint, endpoint, inBothFamilies, Nothing } from '../endpoint.ts'
import * as shape from '../shapes.ts'

const list = endpoint({
  name: 'projectScripts.list',
  summary: 'List the scripts of a project.',
  method: 'GET',
  path: '/projects/:project_id/scripts',
  auth: 'project',
  params: shape.ProjectParams,
  query: shape.Page,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, scripts: Type.Array(shape.Script) }),
  failures: {},
  async handle({ subject, query }, deps) {
    const found = await listScripts(deps, subject.project, shape.given(query))
    return found instanceof Refused ? found : { scripts: found.rows.map(describeScript) }
  },
})

const create = endpoint({
  name: 'projectScripts.create',
  summary: 'Upload a script; it is obfuscated before it is stored.',
  method: 'POST',
  path: '/projects/:project_id/scripts/new',
  auth: 'project',
  params: shape.ProjectParams,
  query: Nothing,
  body: shape.members({
    name: shape.Name,
    free_for_all: shape.maybe(shape.Flag),
    use_heartbeat: shape.maybe(shape.Flag),
    kick_outdated: shape.maybe(shape.Flag),
    script: shape.ScriptSource,
    options: shape.MaybeBuildOptions,
    test_script: shape.maybe(shape.TestScript),
  }),
  response: Type.Object({ success: shape.Yes, script_id: Type.String() }),
  failures: {
    max_scripts_reached: 0,
    max_obfuscations_reached: 1,
    account_expired: 2,
    obfuscation_failed: 3,
  },
  bodyLimit: 'script',
  async handle({ subject, body: { name, script, ...others } }, deps) {
    const id = await createScript(deps, subject, { name, script, ...shape.given(others) })
    return id instanceof Refused ? id : { script_id: id }
  },
})

const get = endpoint({
  name: 'scripts.get',
  summary: 'Read a script.',
  method: 'GET',
  path: '/scripts/:script_id',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: Type.Object({ success: shape.Yes, script: shape.Script }),
  failures: {},
  async handle({ subject }) {
    return { script: describeScript(subject.script) }
  },
})

const edit = endpoint({
  name: 'scripts.edit',
  summary: 'Change how a script runs.',
  method: 'POST',
  path: '/scripts/:script_id/edit',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: shape.members({
    name: shape.maybe(shape.Name),
    free_for_all: shape.maybe(shape.Flag),
    use_heartbeat: shape.maybe(shape.Flag),
    kick_outdated: shape.maybe(shape.Flag),
  }),
  response: shape.Done,
  failures: { account_expired: 0, cannot_edit_nothing: 1 },
  async handle({ subject, body }, deps) {
    return (await editScript(deps, subject, shape.given(body))) ?? {}
  },
})

const update = endpoint({
  name: 'scripts.update',
  summary: 'Upload a new source; it is obfuscated and served from then on.',
  method: 'POST',
  path: '/scripts/:script_id/update',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: shape.members({
    script: shape.ScriptSource,
    options: shape.MaybeBuildOptions,
    test_script: shape.maybe(shape.TestScript),
  }),
  response: shape.Done,
  // The interface gives two reasons the same number; `type` tells them apart.
  failures: { account_expired: 0, max_obfuscations_reached: 1, obfuscation_failed: 1 },
  bodyLimit: 'script',
  async handle({ subject, body: { script, ...others } }, deps) {
    return (await updateScript(deps, subject, { script, ...shape.given(others) })) ?? {}
  },
})

const toggle = endpoint({
  name: 'scripts.toggle',
  summary: 'Enable or disable a script.',
  method: 'POST',
  path: '/scripts/:script_id/toggle',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: shape.members({ state: shape.Flag }),
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, body }, deps) {
    return (await toggleScript(deps, subject, body.state)) ?? {}
  },
})

const remove = endpoint({
  name: 'scripts.remove',
  summary: 'Remove a script with its versions, instances and statistics.',
  method: 'POST',
  path: '/scripts/:script_id/remove',
  auth: 'script',
  params: shape.ScriptParams,
  query: Nothing,
  body: Nothing,
  response: shape.Done,
  failures: {},
  async handle({ subject }, deps) {
    await removeScript(deps, subject)
    return {}
  },
})

/** The newer list and script tell more and the newer edit takes more, so those are declared there anew. */
export const scripts: Endpoint[] = [
  list,
  get,
  edit,
  ...[create, update, toggle, remove].flatMap(inBothFamilies),
]
