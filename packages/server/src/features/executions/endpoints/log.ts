/**
 * Endpoints for a project's execution log: a filtered list, and a variant for clients that poll for new
 * entries.
 */
import { KICKS } from '@scriptward/client/live-messages'
import { DENIALS } from '@scriptward/client/messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import * as shape from '../../../api/shapes.ts'
import { RUN_STATES, type RunState } from '../../health/ending.ts'
import { followLog, listLog } from '../log/list-log.ts'
import { MAX_COUNTED, readUserOutcomes } from '../log/user-outcomes.ts'
import type { LogFilter, LogRow } from '../store/execution-log.ts'
import { executionFilter } from './execution-filter.ts'
import { OutcomesAnswer } from './outcomes-answer.ts'
import { userName } from './user-name.ts'

type Outcome = LogRow['outcome']
const OUTCOMES = ['granted', 'denied', 'crashed'] as const satisfies readonly Outcome[]
const OUTCOME = `${OUTCOMES.join(', ')}. A crashed execution was granted and then reported an error that the script did not catch`

const Entry = shape.named('LoggedExecution', {
  id: Type.String({ description: 'execution ID' }),
  at: Type.Integer({
    description: 'time at which it was granted or denied, in Unix milliseconds',
    examples: [1_790_000_000_000],
  }),
  outcome: Type.Unsafe<Outcome>({
    type: 'string',
    enum: OUTCOMES,
    description: OUTCOME,
    examples: ['granted'],
  }),
  reason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...Object.keys(DENIALS), null],
    description: 'check that failed. Null unless it was denied',
    examples: [null],
  }),
  value: shape.nullable(
    Type.String({ description: 'rejected value, masked if it is secret', examples: [null] }),
  ),
  left_out: Type.Integer({
    description: 'number of earlier denials that were too frequent to be recorded',
    examples: [0],
  }),
  script_id: Type.String(),
  script_version: Type.Integer({ examples: [3] }),
  user_key: shape.nullable(
    Type.String({ description: 'license key. Null for a guest or a key that does not exist in the project' }),
  ),
  ...userName,
  executor: Type.String({ description: 'executor, as reported by the client', examples: ['Garden'] }),
  runtime: Type.String({ description: 'Lua runtime', examples: ['luau'] }),
  state: Type.Unsafe<RunState | null>({
    type: ['string', 'null'],
    enum: [...RUN_STATES, null],
    description:
      'state of a granted execution: `running`; `finished` if the script announced its end; `stopped` if the server ended it; `lost` if its heartbeats stopped; `vanished` if none arrived within 60 seconds; `unknown` if it is over and the script sends no heartbeats',
    examples: ['finished'],
  }),
  stop_reason: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...Object.keys(KICKS), null],
    description: 'why the server stopped it. Null unless the state is `stopped`',
    examples: [null],
  }),
  ended_at: shape.nullable(
    Type.Integer({
      description:
        "time of the run's last message, in Unix milliseconds. Null while it is running, or if the time is unknown",
      examples: [1_790_000_061_000],
    }),
  ),
})

const LogQuery = shape.members({
  outcome: Type.Optional(
    Type.Unsafe<Outcome>({
      type: 'string',
      enum: OUTCOMES,
      description: `outcome: ${OUTCOME}`,
      examples: ['crashed'],
    }),
  ),
  version: shape.maybe(
    Type.Integer({
      ...shape.Count,
      description: 'script version; requires `script_id`',
      examples: [3],
    }),
  ),
  ...executionFilter,
})

const list = endpoint({
  name: 'v1.projectExecutions.log',
  summary: 'List executions',
  description:
    "Returns a project's granted, denied and crashed executions, newest first. All filters that you send must match. The log is kept for 30 days, or as long as your service tier defines. A page can have fewer entries than `limit` even if there are more, because some filters read a limited number of rows; continue until `next` is null.",
  method: 'GET',
  path: '/v1/projects/:project_id/executions/log',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: LogQuery,
  response: Type.Object({ success: shape.Yes, executions: Type.Array(Entry), next: shape.Next }),
  handle: ({ subject, query }, deps) => listLog(deps, subject.project, filled(query)),
})

const recent = endpoint({
  name: 'v1.projectExecutions.recent',
  summary: 'List recent executions',
  description:
    "Returns a project's granted, denied and crashed executions, oldest first, for clients that follow the log. Call it without `after` for the latest executions, then poll for newer ones with `next` from the previous response. A response may repeat executions from the previous one, so ignore IDs you already have.",
  method: 'GET',
  path: '/v1/projects/:project_id/executions/recent',
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: LogQuery,
  response: Type.Object({
    success: shape.Yes,
    executions: Type.Array(Entry),
    next: Type.String({
      description: 'cursor to pass as after in the next request',
      examples: ['bG9nOjE3OTAwMDAwMDAwMDA6NDIw'],
    }),
  }),
  handle: ({ subject, query }, deps) => followLog(deps, subject.project, filled(query)),
})

const ofUser = endpoint({
  name: 'v1.users.outcomes',
  summary: "Retrieve a user's execution outcomes",
  description: `Returns how many of a user's executions were granted, and how many were denied for each reason, on each of the last 30 days (UTC), as far back as the log goes. Only the latest ${MAX_COUNTED.toLocaleString('en')} log entries are counted.`,
  method: 'GET',
  path: '/v1/users/:user_key/outcomes',
  auth: 'user',
  scope: 'users:read',
  params: shape.UserParams,
  response: OutcomesAnswer,
  handle: ({ subject }, deps) => readUserOutcomes(deps, subject.user),
})

type Query = Omit<LogFilter, 'project_id'> & { readonly after?: string; readonly limit?: number }

/** Treats fields with empty values as omitted. */
function filled(query: { readonly [M in keyof Query]?: Query[M] | null | undefined }): Query {
  return Object.fromEntries(Object.entries(shape.given(query)).filter(([, value]) => value !== ''))
}

export const executionLog: readonly Endpoint[] = [list, recent, ofUser]
