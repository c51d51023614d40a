/**
 * Endpoints for the scripts of a project: list, upload, read, edit, toggle and remove them, and download the
 * loader as a file. `versions.ts` contains the endpoints for versions.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint, inBothFamilies } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { Removed } from '../../changes/endpoints/change-shapes.ts'
import { clientUrls } from '../../executions/endpoints/addresses.ts'
import { loaderFile } from '../../executions/loaders.ts'
import { describeRelease } from '../../releases/describe-release.ts'
import { Release, ReleaseOrder } from '../../releases/release-shapes.ts'
import {
  countScripts,
  createScript,
  describeScript,
  describeWholeScript,
  editScript,
  listScripts,
  removeScript,
  toggleScript,
  updateScript,
} from '../scripts.ts'

const settings = {
  free_for_all: shape.maybe(shape.Flag),
  use_heartbeat: shape.maybe(shape.Flag),
  kick_outdated: shape.maybe(shape.Flag),
}

/** Fields that exist only under `/v1`. */
const reporting = { report_errors: shape.maybe(shape.Flag) }
const staged = { staged_releases: shape.maybe(shape.Flag) }
const tree = { files: shape.MaybeFiles, script_path: shape.maybe(shape.ScriptPath) }

const treeExample = {
  script: "local shop = require('lib.shop')\nprint(shop.price)",
  files: { 'lib/shop.lua': 'return { price = 3 }' },
}

const list = inBothFamilies(
  {
    name: 'projectScripts.list',
    summary: "List a project's scripts",
    description:
      "Returns all scripts with their settings and totals, oldest first. Sources and protected scripts belong to versions and aren't included.",
    method: 'GET',
    path: '/projects/:project_id/scripts',
    auth: 'project',
    scope: 'scripts:read',
    params: shape.ProjectParams,
    query: shape.Page,
    response: Type.Object({ success: shape.Yes, scripts: Type.Array(shape.Script) }),
    async handle({ subject, query }, deps) {
      const found = await listScripts(deps, subject.project, shape.given(query))
      return found instanceof Refused ? found : { scripts: found.rows.map(describeScript) }
    },
  },
  {
    v1: {
      query: shape.OrderedPage,
      response: Type.Object({
        success: shape.Yes,
        scripts: Type.Array(shape.ListedScript),
        total: shape.Count,
        next: shape.Next,
      }),
      async handle({ subject, query }, deps) {
        const found = await listScripts(deps, subject.project, shape.given(query))
        if (found instanceof Refused) return found
        const total = await countScripts(deps, subject.project)
        return { scripts: found.rows.map(describeScript), total, next: found.next }
      },
    },
  },
)

const createBody = {
  name: shape.Name,
  ...settings,
  script: shape.ScriptSource,
  options: shape.MaybeBuildOptions,
  test_script: shape.maybe(shape.TestScript),
}

const create = inBothFamilies(
  {
    name: 'projectScripts.create',
    summary: 'Create a script',
    description:
      'Uploads a source, obfuscates it, stores it encrypted and makes it live as version 1. With `test_script`, nothing is published unless the protected script behaves like the source in that test. Errors in the source include line and column and don\'t use up an obfuscation. Under `/v1`, a script can have `files`: those it requires are built into it, and an error in one of them has a `param` such as `files["lib/shop.lua"]`.',
    example: { body: { name: 'Watering', script: 'print("hello from the garden")' } },
    method: 'POST',
    path: '/projects/:project_id/scripts/new',
    auth: 'project',
    scope: 'scripts:write',
    cost: 10,
    params: shape.ProjectParams,
    body: shape.members(createBody),
    response: Type.Object({ success: shape.Yes, script_id: Type.String() }),
    failures: {
      max_scripts_reached: 0,
      max_obfuscations_reached: 1,
      account_expired: 2,
      obfuscation_failed: 3,
    },
    bodyLimit: 'script',
    async handle({ subject, body: { name, script, ...others }, origin }, deps) {
      const draft = { name, script, ...shape.given(others) }
      const id = await createScript(deps, subject, draft, origin.closed?.())
      return id instanceof Refused ? id : { script_id: id }
    },
  },
  {
    v1: {
      body: shape.members({ ...createBody, ...reporting, ...tree, ...shape.uploadNotes }),
      example: { body: { name: 'Shop', ...treeExample } },
    },
  },
)

const get = inBothFamilies(
  {
    name: 'scripts.get',
    summary: 'Retrieve a script',
    description:
      "Returns a script's settings, whether it is enabled, and how many times it was run. Under `/v1`, also returns the obfuscation options of its last upload, and the places and games in which the hub runs it.",
    method: 'GET',
    path: '/scripts/:script_id',
    auth: 'script',
    scope: 'scripts:read',
    params: shape.ScriptParams,
    response: Type.Object({ success: shape.Yes, script: shape.Script }),
    async handle({ subject }) {
      return { script: describeScript(subject.script) }
    },
  },
  {
    v1: {
      response: Type.Object({ success: shape.Yes, script: shape.ScriptV1 }),
      async handle({ subject }, deps) {
        return { script: await describeWholeScript(deps, subject.script) }
      },
    },
  },
)

const edit = inBothFamilies(
  {
    name: 'scripts.edit',
    summary: 'Update a script',
    description:
      "Changes the settings of a script for all future runs: whether it runs without a key, whether heartbeats and sessions are required, and whether runs of older versions are ended. The script is not obfuscated again. Under `/v1`, `places` and `games` set where the project's hub runs the script. A place or game that another script in the project already has is rejected.",
    example: { body: { name: 'Watering', kick_outdated: true } },
    method: 'POST',
    path: '/scripts/:script_id/edit',
    auth: 'script',
    scope: 'scripts:write',
    params: shape.ScriptParams,
    body: shape.members({
      name: shape.maybe(shape.Name),
      ...settings,
    }),
    response: shape.Done,
    failures: { account_expired: 0, cannot_edit_nothing: 1 },
    async handle({ subject, body }, deps) {
      return (await editScript(deps, subject, shape.given(body))) ?? {}
    },
  },
  {
    v1: {
      body: shape.members({
        name: shape.maybe(shape.Name),
        ...settings,
        require_sessions: shape.maybe(shape.Flag),
        silent: shape.maybe(shape.Flag),
        ...reporting,
        ...staged,
        disabled_message: shape.maybe(
          Type.String({
            ...shape.Note,
            description:
              'message shown to customers while the script is disabled. An empty string removes it',
            examples: ["Back at 18:00 UTC: we're moving to a bigger server"],
          }),
        ),
        places: shape.maybe(shape.GivenPlaces),
        games: shape.maybe(shape.GivenGames),
      }),
    },
  },
)

const UPLOAD_V1 =
  'Uploads a source as the next version and releases it. Without `release`, everyone gets the version immediately; if the script had more than 100 customers in the last 24 hours and `staged_releases` is on, the version reaches 5, 25 and 100% of customers within six hours instead. Previous versions are kept and can be activated again. Options and the smoke test default to those of the previous version; `files` must be sent with every version. If the source cannot be built, nothing changes.'

const updateBody = {
  script: shape.ScriptSource,
  options: shape.MaybeBuildOptions,
  test_script: shape.maybe(shape.TestScript),
}

const update = inBothFamilies(
  {
    name: 'scripts.update',
    summary: 'Upload a new version',
    description:
      'Uploads a source as the next version and makes it live. Previous versions are kept and can be activated again. Options and the smoke test default to those of the previous version; `files` must be sent with every version. If the source cannot be built, nothing changes.',
    example: { body: { script: 'print("hello again from the garden")' } },
    method: 'POST',
    path: '/scripts/:script_id/update',
    auth: 'script',
    scope: 'scripts:write',
    cost: 10,
    params: shape.ScriptParams,
    body: shape.members(updateBody),
    response: shape.Done,
    // The unversioned API has one error code for two reasons, which `type` tells apart.
    failures: { account_expired: 0, max_obfuscations_reached: 1, obfuscation_failed: 1 },
    bodyLimit: 'script',
    async handle({ subject, body: { script, ...others }, origin }, deps) {
      const update = { script, ...shape.given(others), release: 'all' as const }
      const uploaded = await updateScript(deps, subject, update, origin.closed?.())
      return uploaded instanceof Refused ? uploaded : {}
    },
  },
  {
    v1: {
      description: UPLOAD_V1,
      body: shape.members({
        ...updateBody,
        ...tree,
        ...shape.uploadNotes,
        release: shape.maybe(ReleaseOrder),
      }),
      example: { body: treeExample },
      response: Type.Object({
        success: shape.Yes,
        version: Type.Integer({ description: 'number of the new version', examples: [4] }),
        release: shape.nullable(Release),
      }),
      async handle({ subject, body: { script, release, ...others }, origin }, deps) {
        const order = release == null ? {} : { release: shape.given(release) }
        const update = { script, ...shape.given(others), ...order }
        const uploaded = await updateScript(deps, subject, update, origin.closed?.())
        if (uploaded instanceof Refused) return uploaded
        const { version, release: row } = uploaded
        return { version, release: row && (await describeRelease(deps.db.read, row)) }
      },
    },
  },
)

const toggle = inBothFamilies({
  name: 'scripts.toggle',
  summary: 'Enable or disable a script',
  description:
    'Disables a script, for example during maintenance, or enables it again. While it is disabled, new runs are denied with a message. Disabling it also ends current runs, but removes nothing.',
  example: { body: { state: false } },
  method: 'POST',
  path: '/scripts/:script_id/toggle',
  auth: 'script',
  scope: 'scripts:write',
  params: shape.ScriptParams,
  body: shape.members({ state: Type.Boolean({ description: 'true enables the script, false disables it' }) }),
  response: shape.Done,
  failures: { account_expired: 0 },
  async handle({ subject, body }, deps) {
    return (await toggleScript(deps, subject, body.state)) ?? {}
  },
})

const remove = inBothFamilies(
  {
    name: 'scripts.remove',
    summary: 'Remove a script',
    description:
      'Removes a script with its versions and statistics, and ends its runs. Existing loaders report that the script was not found. Users belong to the project and are not affected. Within the undo period, `POST /v1/changes/:change_id/undo` restores the script.',
    method: 'POST',
    path: '/scripts/:script_id/remove',
    auth: 'script',
    scope: 'scripts:write',
    params: shape.ScriptParams,
    response: shape.Done,
    async handle({ subject }, deps) {
      await removeScript(deps, subject)
      return {}
    },
  },
  {
    v1: {
      response: Removed,
      handle: ({ subject }, deps) => removeScript(deps, subject),
    },
  },
)

const file = endpoint({
  name: 'v1.scripts.loaderFile',
  summary: 'Download a loader file',
  description:
    "Returns a standalone loader for users who prefer a file to a pasted line. The file pins this server's public keys, so no other server can impersonate this one, and fetches a new boot record on every start. It stays valid when the script changes and only needs replacing when the server keys change.",
  example: { answer: '-- Scriptward loader\nlocal script_id="scr_0VMc4VLkM2pQrStUvWxYzA"…' },
  method: 'GET',
  path: '/v1/scripts/:script_id/loader-file',
  auth: 'script',
  scope: 'scripts:read',
  cost: 10,
  params: shape.ScriptParams,
  query: Type.Object({ rt: Type.Optional(shape.LoaderRuntime) }, { additionalProperties: false }),
  produces: 'text',
  response: Type.String({ description: 'loader, as ASCII Lua source' }),
  async handle({ subject, query, origin }, deps) {
    const urls = clientUrls(deps.config, origin.headers)
    const text = await loaderFile(deps, subject, { urls, runtime: query.rt ?? 'any' })
    return { status: 200, contentType: 'text/plain; charset=us-ascii', text }
  },
})

export const scripts: readonly Endpoint[] = [
  ...[list, get, edit, create, update, toggle, remove].flat(),
  file,
]
