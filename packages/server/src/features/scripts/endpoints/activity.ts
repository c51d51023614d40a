/** Endpoint for the activity of a project's scripts, which lists of scripts show. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { DAYS, listActivity } from '../activity.ts'
import { countScripts } from '../scripts.ts'

const Day = Type.Object({
  at: Type.Integer({ description: 'start of the day (UTC)', examples: [1_789_948_800_000] }),
  runs: Type.Integer({ description: 'number of granted executions', examples: [400] }),
  crashed: Type.Integer({
    description: 'number of executions that reported an uncaught error',
    examples: [2],
  }),
  denied: Type.Integer({ description: 'number of recorded denials', examples: [12] }),
})

const OpenRelease = Type.Object({
  id: Type.String({ examples: ['rel_0'] }),
  version: Type.Integer({ description: 'version that is being released', examples: [7] }),
  version_before: Type.Integer({ description: 'version that the other customers get', examples: [6] }),
  percent: Type.Integer({ description: 'percentage of customers who get the version', examples: [25] }),
  state: Type.String({ enum: ['running', 'paused'], examples: ['running'] }),
  held: Type.Boolean({ description: 'whether the guard keeps the release from growing', examples: [false] }),
  next_at: shape.nullable(
    Type.Integer({ description: 'time of the next step. Null if there is none', examples: [null] }),
  ),
})

const Activity = shape.named('ScriptActivity', {
  id: Type.String({ description: 'script ID', examples: ['scr_0'] }),
  version: Type.Integer({ description: 'active version', examples: [6] }),
  preset: shape.nullable(
    Type.String({ description: 'preset of the active version', examples: ['balanced'] }),
  ),
  uploaded_at: shape.nullable(
    Type.Integer({ description: 'upload time of the active version', examples: [1_789_948_800_000] }),
  ),
  source_bytes: shape.nullable(
    Type.Integer({ description: "size of the active version's source in bytes", examples: [48_210] }),
  ),
  running: Type.Integer({ description: 'number of runs in progress', examples: [31] }),
  days: Type.Array(Day, { description: `the last ${DAYS} days including today, oldest first` }),
  release: shape.nullable(OpenRelease),
})

const list = endpoint({
  name: 'v1.projectScripts.activity',
  summary: "List the activity of a project's scripts",
  description: `Returns the active version of each script, its runs in progress, its runs, crashes and denials on each of the last ${DAYS} days, and its open release on the \`stable\` channel, in the same order as the list of scripts. Counts cover the latest 20 versions and any older ones that customers still get. Runs are counted about 90 seconds after they start, and crashes as soon as they are reported.`,
  method: 'GET',
  path: '/v1/projects/:project_id/scripts/activity',
  auth: 'project',
  scope: 'scripts:read',
  compresses: 'answer',
  params: shape.ProjectParams,
  query: shape.OrderedPage,
  response: Type.Object({
    success: shape.Yes,
    scripts: Type.Array(Activity),
    total: shape.Count,
    next: shape.Next,
  }),
  async handle({ subject, query }, deps) {
    const found = await listActivity(deps, subject.project, shape.given(query))
    if (found instanceof Refused) return found
    const total = await countScripts(deps, subject.project)
    return { scripts: [...found.rows], total, next: found.next }
  },
})

export const activity: readonly Endpoint[] = [list]
