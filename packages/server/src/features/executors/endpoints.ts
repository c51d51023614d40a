/** Endpoint that lists the functions that executors have. */
import { PROBED_FUNCTIONS } from '@scriptward/client/probe'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import { editExecutorRules, getExecutorRules } from '../scripts/executor-rules.ts'
import { MIN_ANSWERS } from './answers.ts'
import { describeExecutors } from './executors.ts'
import { HIT_DAYS } from './hits.ts'
import type { RuleAction, RuleMode } from './rules.ts'

const MAX_PAGE = 1000
const AT = 1_790_000_000_000
const ExecutorName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: ONE_LINE,
  description: 'executor name, as reported by the client',
  examples: ['Garden'],
})
const Functions = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] })

const list = endpoint({
  name: 'v1.executors.list',
  summary: 'List executor capabilities',
  description: `Returns executor versions, newest first, and which of ${PROBED_FUNCTIONS.length} functions each version has. Loaders of all accounts report only whether each function exists, with no data about the customer or the script. A version is listed once clients in ${MIN_ANSWERS} networks have reported it, with the results that most of them report. Versions that nobody has reported for 90 days are removed.`,
  method: 'GET',
  path: '/v1/executors',
  auth: 'customer',
  scope: 'scripts:read',
  compresses: 'answer',
  query: shape.members({
    executor: shape.maybe(
      Type.String({ ...ExecutorName, description: 'only versions of this executor. Case-sensitive' }),
    ),
    from: shape.maybe(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'index of the first entry' }),
    ),
    limit: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: MAX_PAGE,
        description: 'number of entries per page. Default: 100',
        examples: [50],
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    executors: Type.Array(
      Type.Object({
        executor: ExecutorName,
        version: Type.String({
          description: 'executor version. Empty if the executor has none',
          examples: ['2.1'],
        }),
        functions: Functions('functions that it has', 'writefile'),
        missing: Functions("functions that it doesn't have", 'hookfunction'),
        answers: Type.Integer({ description: 'number of networks counted', examples: [9] }),
        first_seen: Type.Integer({ description: 'time of the first report', examples: [AT] }),
        last_seen: Type.Integer({ description: 'time of the last report', examples: [AT] }),
      }),
    ),
    more: Type.Boolean({ description: 'whether there are more entries', examples: [false] }),
  }),
  handle: ({ query }, deps) => describeExecutors(deps, shape.given(query)),
})

const MAX_RULES = 50
const MAX_VERSIONS = 10
const Rule = {
  action: Type.Unsafe<RuleAction>({
    type: 'string',
    enum: ['allow', 'deny'],
    description: 'whether the executor may run the script',
    examples: ['deny'],
  }),
  executor: Type.String({ ...ExecutorName, description: 'executor name. Case-insensitive' }),
}
const Versions = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: ONE_LINE,
    description: 'version. A trailing * matches any ending. Case-insensitive',
    examples: ['2.*'],
  }),
  {
    maxItems: MAX_VERSIONS,
    description: 'versions to which the rule applies. Empty: all versions',
  },
)
const Mode = Type.Unsafe<RuleMode>({
  type: 'string',
  enum: ['enforce', 'watch'],
  description: '`enforce` denies runs; `watch` grants them and counts the runs that the rules would deny',
  examples: ['watch'],
})
const Hits = {
  runs: Type.Integer({ description: 'number of runs', examples: [31] }),
  customers: Type.Integer({ description: 'number of keys and guest devices', examples: [12] }),
}

const getRules = endpoint({
  name: 'v1.executorRules.get',
  summary: "Retrieve a script's executor rules",
  description: `Returns which executors may run the script, and in \`watch\` mode the runs that the rules would have denied in the last ${HIT_DAYS} days.`,
  method: 'GET',
  path: '/v1/scripts/:script_id/executor-rules',
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  response: Type.Object({
    success: shape.Yes,
    mode: Mode,
    rules: Type.Array(Type.Object({ ...Rule, versions: Versions })),
    hits: Type.Object({
      days: Type.Integer({ description: 'number of days covered', examples: [HIT_DAYS] }),
      ...Hits,
      executors: Type.Array(Type.Object({ executor: ExecutorName, ...Hits }), {
        description:
          'counts by executor, most runs first. Beyond 50 executors, the rest is counted as `other`',
      }),
    }),
  }),
  handle: ({ subject }, deps) => getExecutorRules(deps, subject.script),
})

const editRules = endpoint({
  name: 'v1.executorRules.edit',
  summary: "Replace a script's executor rules",
  description: `Replaces all rules, at most ${MAX_RULES}. An executor is denied if a \`deny\` rule matches, or if there are \`allow\` rules and none matches. Denied customers get \`executor_not_allowed\` on their next run; runs in progress continue. Clients report executor names themselves, so rules protect customers from broken executors, but don't stop a patched client. An empty list allows all executors. Each change resets the counts of \`watch\`.`,
  example: {
    body: { mode: 'watch', rules: [{ action: 'deny', executor: 'Garden', versions: ['2.*'] }] },
  },
  method: 'POST',
  path: '/v1/scripts/:script_id/executor-rules/edit',
  auth: 'script',
  scope: 'scripts:write',
  params: shape.ScriptParams,
  body: shape.members({
    mode: Mode,
    rules: Type.Array(
      Type.Object({ ...Rule, versions: Type.Optional(Versions) }, { additionalProperties: false }),
      { maxItems: MAX_RULES, description: `all of the script's rules, at most ${MAX_RULES}` },
    ),
  }),
  response: shape.Done,
  failures: { account_expired: 0 },
  handle: async ({ subject, body }, deps) => (await editExecutorRules(deps, subject, body)) ?? {},
})

export const executors: readonly Endpoint[] = [list, getRules, editRules]
