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
    description: "number of executions that didn't report back within 60 seconds. They are not crashes",
    examples: [5],
  }),
  denied: Type.Integer({ description: 'number of recorded denials', examples: [12] }),
}
const Counts = {
  ...Counted,
  customers: Type.Integer({
    description: 'number of keys and guest devices that ran it',
    examples: [180],
  }),
  crashed_customers: Type.Integer({
    description: 'number of those keys and devices whose runs crashed at least once',
    examples: [1],
  }),
  crash_free_runs: Share('runs'),
  crash_free_customers: Share('customers'),
}

const regression = {
  version: Type.Integer({ description: 'version that crashes', examples: [3] }),
  previous_version: Type.Integer({
    description:
      'version that it is compared with: the most recent earlier version that at least 10 customers ran',
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
      description: 'executor used by at least 80% of the customers whose runs crashed. Null if there is none',
      examples: ['Garden'],
    }),
  ),
  customers: Type.Integer({ description: 'number of customers whose runs crashed', examples: [12] }),
  share: Type.Number({ description: "their share of the version's customers", examples: [0.12] }),
  share_before: Type.Number({ description: 'the same share for `previous_version`', examples: [0.01] }),
  since: Type.Integer({
    description: 'start of the first day (UTC) on which the version crashed',
    examples: [1_789_948_800_000],
  }),
}
const RULE =
  'Null unless a version that customers still receive has crashed for at least 3 customers in the last seven days, and for a share of customers that is more than twice that of the previous version and over one percentage point higher'
const Regression = Type.Object(regression, {
  description: `the latest version that crashes for more customers than the version before it. ${RULE}`,
})
const ProjectRegression = Type.Object(
  {
    script_id: Type.String(),
    script_name: Type.String({ examples: ['Garden'] }),
    ...regression,
  },
  {
    description: `the script version that crashes for more customers than the version before it. If there are several, the one that affects the most customers. ${RULE}`,
  },
)

const get = endpoint({
  name: 'v1.scripts.health',
  summary: "Retrieve the health of a script's versions",
  description: `Returns the crashes, the denials and the share of customers without a crash for each version, in total, by executor and by day (UTC), newest version first. Without \`version\`, the response covers the latest ${MAX_VERSIONS} versions and any older ones that customers still get. Runs are counted about 90 seconds after they start; crashes are counted when they are reported. For each version, ${MAX_EXECUTORS} executors are counted by name, and all others as \`${OTHER_EXECUTORS}\`.`,
  method: 'GET',
  path: '/v1/scripts/:script_id/health',
  auth: 'script',
  scope: 'scripts:read',
  compresses: 'answer',
  params: shape.ScriptParams,
  query: shape.members({
    version: shape.maybe(
      Type.Integer({
        ...shape.Count,
        description: 'version. Default: the latest versions and those that customers get',
        examples: [3],
      }),
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
          { description: 'counts by executor, most runs first' },
        ),
        days: Type.Array(
          Type.Object({
            at: Type.Integer({ description: 'start of the day (UTC)', examples: [1_789_948_800_000] }),
            ...Counted,
          }),
          { description: 'counts by day, oldest first' },
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
  summary: "Retrieve a project's health",
  description:
    'Returns combined figures for the live versions of all scripts in the project: the crashes, the denials and the share of customers without a crash. A customer who runs two scripts counts twice. Runs are counted about 90 seconds after they start; crashes are counted when they are reported.',
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
