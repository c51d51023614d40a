/** Endpoints for releases and channels. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { listChannels, removeChannel, setChannel } from './channels.ts'
import type { Described } from './describe-release.ts'
import { ChannelName, ProjectRelease, Release, ReleaseOrder, ramp } from './release-shapes.ts'
import {
  continueRelease,
  editRelease,
  getRelease,
  listProjectReleases,
  listReleases,
  pauseRelease,
  rollBackRelease,
  startRelease,
} from './releases.ts'

const script = '/v1/scripts/:script_id'
const Released = Type.Object({ success: shape.Yes, release: Release })
const ReleaseParams = Type.Object({ ...shape.ScriptParams.properties, release_id: Type.String() })
const ChannelParams = Type.Object({ ...shape.ScriptParams.properties, channel: ChannelName })
const VersionParams = Type.Object({
  ...shape.ScriptParams.properties,
  n: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})

function answer<R extends Refused>(release: Described | R): { release: Described } | R {
  return release instanceof Refused ? release : { release }
}

const start = endpoint({
  name: 'v1.releases.start',
  summary: 'Release a version',
  description:
    "Releases a version to a growing share of a channel's customers, by default 5, 25 and 100% within six hours. A customer is a license key or a guest's device; customers who have the version keep it while the share grows. The guard compares the customers of both versions on the same executors and rolls back a version that fails more often. A new release replaces the open release on its channel.",
  example: { body: { percent: 10, guard: 'roll_back' } },
  method: 'POST',
  path: `${script}/versions/:n/release`,
  auth: 'script',
  scope: 'scripts:write',
  params: VersionParams,
  body: ReleaseOrder,
  response: Released,
  failures: { account_expired: 0, version_yanked: 1 },
  handle: async ({ subject, params, body }, deps) =>
    answer(await startRelease(deps, subject, params.n, shape.given(body))),
})

const Listing = shape.members({
  ...shape.CursorPage.properties,
  state: Type.Optional(
    Type.Unsafe<'open' | 'ended'>({
      type: 'string',
      enum: ['open', 'ended'],
      description: 'only open releases (running or paused), or only ended ones',
      examples: ['open'],
    }),
  ),
})

const list = endpoint({
  name: 'v1.releases.list',
  summary: "List a script's releases",
  description: "Returns a script's releases on all channels, newest first, with the health of both versions.",
  method: 'GET',
  path: `${script}/releases`,
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  query: Listing,
  response: Type.Object({
    success: shape.Yes,
    releases: Type.Array(Release),
    total: shape.Count,
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listReleases(deps, subject.script, shape.given(query)),
})

const listOfProject = endpoint({
  name: 'v1.projects.releases',
  summary: "List a project's releases",
  description:
    "Returns the releases of all scripts in a project, newest first, each with its script and the health of both versions. To change a release, use its script's endpoints.",
  method: 'GET',
  path: '/v1/projects/:project_id/releases',
  auth: 'project',
  scope: 'scripts:read',
  cost: 2,
  params: shape.ProjectParams,
  query: Listing,
  response: Type.Object({
    success: shape.Yes,
    releases: Type.Array(ProjectRelease),
    total: shape.Count,
    next: shape.Next,
  }),
  handle: ({ subject, query }, deps) => listProjectReleases(deps, subject, shape.given(query)),
})

const get = endpoint({
  name: 'v1.releases.get',
  summary: 'Retrieve a release',
  description: "Returns a release with the health of both versions and the guard's finding.",
  method: 'GET',
  path: `${script}/releases/:release_id`,
  auth: 'script',
  scope: 'scripts:read',
  params: ReleaseParams,
  response: Released,
  handle: async ({ subject, params }, deps) =>
    answer(await getRelease(deps, subject.script, params.release_id)),
})

const edit = endpoint({
  name: 'v1.releases.edit',
  summary: 'Update a release',
  description:
    "Changes an open release's percentage, the time until it reaches 100%, or its guard. Lowering the share moves some customers back to the previous version.",
  example: { body: { percent: 50 } },
  method: 'POST',
  path: `${script}/releases/:release_id/edit`,
  auth: 'script',
  scope: 'scripts:write',
  params: ReleaseParams,
  body: shape.members(ramp),
  response: Released,
  failures: { account_expired: 0, version_yanked: 1 },
  handle: async ({ subject, params, body }, deps) =>
    answer(await editRelease(deps, subject, params.release_id, shape.given(body))),
})

const changing = {
  method: 'POST',
  auth: 'script',
  scope: 'scripts:write',
  params: ReleaseParams,
  response: Released,
  failures: { account_expired: 0 },
} as const

const pause = endpoint({
  ...changing,
  name: 'v1.releases.pause',
  summary: 'Pause a release',
  description: 'Keeps an open release at its current share until you continue it. The guard stays on.',
  path: `${script}/releases/:release_id/pause`,
  handle: async ({ subject, params }, deps) => answer(await pauseRelease(deps, subject, params.release_id)),
})

const resume = endpoint({
  ...changing,
  name: 'v1.releases.continue',
  summary: 'Continue a release',
  description: 'Resumes a paused release. If the guard held the release, the guard is turned off.',
  path: `${script}/releases/:release_id/continue`,
  handle: async ({ subject, params }, deps) =>
    answer(await continueRelease(deps, subject, params.release_id)),
})

const rollBack = endpoint({
  name: 'v1.releases.rollBack',
  summary: 'Roll back a release',
  description:
    'Ends an open release. Everyone gets the previous version on their next run. Current runs continue, unless the script has `kick_outdated`.',
  method: 'POST',
  path: `${script}/releases/:release_id/rollback`,
  auth: 'script',
  scope: 'scripts:write',
  params: ReleaseParams,
  response: Released,
  failures: { version_yanked: 1 },
  handle: async ({ subject, params }, deps) =>
    answer(await rollBackRelease(deps, subject, params.release_id)),
})

const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 20,
  description: 'tags whose keys use this channel',
  examples: [['tester']],
})
const Plans = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 20,
  description: 'IDs of plans whose keys use this channel, unless a tag assigns them to another one',
  examples: [['pln_0VMc4VLkP5rStUvWxYzAbC']],
})

const channels = endpoint({
  name: 'v1.channels.list',
  summary: "List a script's channels",
  description:
    "Returns a script's channels with their versions. `stable` has the live version and serves all keys that aren't on another channel.",
  method: 'GET',
  path: `${script}/channels`,
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  response: Type.Object({
    success: shape.Yes,
    channels: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['beta'] }),
        version: Type.Integer({ examples: [4] }),
        tags: Tags,
        plans: Plans,
      }),
    ),
  }),
  handle: ({ subject }, deps) => listChannels(deps, subject),
})

const set = endpoint({
  name: 'v1.channels.set',
  summary: 'Create or update a channel',
  description:
    'Creates a channel, by default with the live version, or changes the given fields of an existing one. A key with the `channel:beta` tag uses the `beta` channel, and a key with `channel:stable` uses `stable`. Any other key uses the first channel with one of its tags or, if there is none, the first channel with its plan. A script can have up to 10 channels in addition to `stable`.',
  example: { body: { tags: ['tester'] } },
  method: 'POST',
  path: `${script}/channels/:channel`,
  auth: 'script',
  scope: 'scripts:write',
  params: ChannelParams,
  body: shape.members({
    version: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'version for keys on this channel',
        examples: [4],
      }),
    ),
    tags: shape.maybe(Tags),
    plans: shape.maybe(Plans),
  }),
  response: shape.Done,
  failures: { account_expired: 0, version_yanked: 1 },
  handle: async ({ subject, params, body }, deps) =>
    (await setChannel(deps, subject, params.channel, shape.given(body))) ?? {},
})

const remove = endpoint({
  name: 'v1.channels.remove',
  summary: 'Remove a channel',
  description:
    'Removes a channel and ends its open release. Its keys switch to the `stable` version on their next run.',
  method: 'POST',
  path: `${script}/channels/:channel/remove`,
  auth: 'script',
  scope: 'scripts:write',
  params: ChannelParams,
  response: shape.Done,
  handle: async ({ subject, params }, deps) => (await removeChannel(deps, subject, params.channel)) ?? {},
})

export const releases: readonly Endpoint[] = [
  ...[start, list, listOfProject, get, edit, pause, resume, rollBack],
  ...[channels, set, remove],
]
