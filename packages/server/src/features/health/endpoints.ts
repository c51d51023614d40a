/** Endpoints for the health of a script's versions, and of the live versions of a project. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { MAX_VERSIONS, readHealth, readProjectHealth } from './health.ts'
import { MAX_EXECUTORS } from './health-counts.ts'
import { findProjectRegression, findScriptRegression } from './regressions.ts'
import { OTHER_EXECUTORS } from './store/version-health.ts'

const Share = (what: string) =>
  shape.nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: `share of ${what} without a crash. Null if there were none`,
      examples: [0.995],
    }),
  )
const Counted = {
  runs: Type.Integer({ description: 'number of granted executions', examples: [400] }),
  crashed: Type.Integer({
    description: 'number of executions that reported an uncaught error',
    examples: [2],
  }),
  vanished: Type.Integer({
    description: 'number of executions that showed no sign of life within 60 seconds. They are not crashes',
    examples: [5],
  }),
  denied: Type.Integer({ description: 'number of recorded denials', examples: [12] }),
}
const Counts = {
  ...Counted,
  customers: Type.Integer({
    description: 'number of keys, and of devices of guests, that ran it',
    examples: [180],
  }),
  crashed_customers: Type.Integer({
    description: 'number of these whose runs crashed at least once',
    examples: [1],
  }),
  crash_free_runs: Share('runs'),
  crash_free_customers: Share('customers'),
}

const regression = {
  version: Type.Integer({ description: 'version that crashes', examples: [3] }),
  previous_version: Type.Integer({
    description: 'version that it is compared with: the last earlier one that at least 10 customers ran',
    examples: [2],
  }),
  release_id: shape.nullable(
    Type.String({
      description: 'open release that serves the version. Null if the version is live',
      examples: ['rel_0VMc4VLkQ8sTuVwXyZaBcD'],
    }),
  ),
  executor: shape.nullable(
    Type.String({
      description: 'executor of at least 80% of the crashed customers. Null if several are affected',
      examples: ['Garden'],
    }),
  ),
  customers: Type.Integer({ description: 'number of customers that crashed', examples: [12] }),
  share: Type.Number({ description: 'their share of the customers of the version', examples: [0.12] }),
  share_before: Type.Number({ description: 'the same for `previous_version`', examples: [0.01] }),
  since: Type.Integer({
    description: 'start of the first day (UTC) on which the version crashed',
    examples: [1_789_948_800_000],
  }),
}
const RULE =
  'Null unless a version that customers get crashed in the last seven days, for at least 3 customers, and for more than twice the share of the previous version and over one percentage point more'
const Regression = Type.Object(regression, {
  description: `the newest version since which more customers crash. ${RULE}`,
})
const ProjectRegression = Type.Object(
  {
    script_id: Type.String(),
    script_name: Type.String({ examples: ['Garden'] }),
    ...regression,
  },
  {
    description: `the script and version since which more customers crash, with the most customers. ${RULE}`,
  },
)

const get = endpoint({
  name: 'v1.scripts.health',
  summary: "Retrieve the health of a script's versions",
  description: `Returns how runs of each version went: crashes, denials and the share of customers without a crash, in total, by executor and by day (UTC), newest version first. Without \`version\`, it covers the newest ${MAX_VERSIONS} versions. Runs are counted about 90 seconds after they start, crashes when they are reported. Per version, ${MAX_EXECUTORS} executors are counted by name and all others as \`${OTHER_EXECUTORS}\`.`,
  method: 'GET',
  path: '/v1/scripts/:script_id/health',
  auth: 'script',
  scope: 'scripts:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  query: shape.members({
    version: shape.maybe(
      Type.Integer({ ...shape.Count, description: 'version. Default: the newest versions', examples: [3] }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    versions: Type.Array(
      Type.Object({
        version: Type.Integer({ examples: [3] }),
        ...Counts,
        executors: Type.Array(
          Type.Object({
            executor: Type.String({
              description: 'executor, as reported by the client',
              examples: ['Garden'],
            }),
            ...Counts,
          }),
          { description: 'the same by executor, most runs first' },
        ),
        days: Type.Array(
          Type.Object({
            at: Type.Integer({ description: 'start of the day (UTC)', examples: [1_789_948_800_000] }),
            ...Counted,
          }),
          { description: 'the same by day, oldest first' },
        ),
      }),
    ),
    regression: shape.nullable(Regression),
  }),
  async handle({ subject: { script }, query }, deps) {
    const newest = await readHealth(deps, script)
    const regression = await findScriptRegression(deps, script, newest)
    const { version } = query
    return { versions: version ? await readHealth(deps, script, version) : newest, regression }
  },
})

const ofProject = endpoint({
  name: 'v1.projects.health',
  summary: 'Retrieve the health of a project',
  description:
    'Returns how runs of the live versions of all scripts in the project went, added up: crashes, denials and the share of customers without a crash. A customer of two scripts counts twice. Runs are counted about 90 seconds after they start, crashes when they are reported.',
  method: 'GET',
  path: '/v1/projects/:project_id/health',
  auth: 'project',
  scope: 'statistics:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, ...Counts, regression: shape.nullable(ProjectRegression) }),
  async handle({ subject: { project } }, deps) {
    const counts = await readProjectHealth(deps, project)
    return { ...counts, regression: await findProjectRegression(deps, project.id) }
  },
})

export const health: readonly Endpoint[] = [get, ofProject]
