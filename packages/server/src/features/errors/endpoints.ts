/** Endpoints for errors reported by runs of a script. */
import { ERROR_KINDS } from '@scriptward/client/live-messages'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { ONE_LINE } from '../../api/text-patterns.ts'
import type { ErrorState } from '../../database/schema/error-tables.ts'
import { MAX_ANNOUNCED_KEYS } from '../variables/announcements.ts'
import { editError, getError, listErrorCustomers, listErrors, listProjectErrors } from './errors.ts'
import type { ErrorSort } from './store/error-groups.ts'

const path = '/v1/scripts/:script_id/errors'
const ID = 'err_0VMc4VLkQ8sTuVwXyZaBcD'
const AT = 1_790_000_000_000
const SORTS: readonly ErrorSort[] = ['last_seen', 'first_seen', 'occurrences', 'customers']
const STATES: readonly ErrorState[] = ['open', 'resolved', 'ignored']
const MAX_PAGE = 1000

const Params = Type.Object({ ...shape.ScriptParams.properties, error_id: Type.String() })
const State = Type.Unsafe<ErrorState>({ type: 'string', enum: [...STATES], examples: ['open'] })
const Kind = Type.Unsafe<(typeof ERROR_KINDS)[number]>({
  type: 'string',
  enum: [...ERROR_KINDS],
  description:
    'kind of error: `crash` ended the main chunk, `thread` ended a thread or handler, and `caught` was reported with `WARD_REPORT`',
  examples: ['crash'],
})
const frame = {
  output_line: Type.Integer({ description: 'line in the protected script', examples: [57] }),
  file: shape.nullable(
    Type.String({ description: 'path of the source file. Null if the script has a single file' }),
  ),
  line: shape.nullable(
    Type.Integer({ description: 'line in your source. Null if it could not be mapped', examples: [12] }),
  ),
  function: shape.nullable(
    Type.String({
      description: 'name of the function that contains the line. Null if the function has no name',
      examples: ['shop.buy'],
    }),
  ),
}
const Occurrences = Type.Integer({ description: 'number of times the error occurred', examples: [312] })
const Frame = shape.named('ErrorFrame', frame)
const Group = {
  id: Type.String({ examples: [ID] }),
  kind: Kind,
  message: Type.String({
    description: 'error message from the latest version that reported the error, without the position',
    examples: ["attempt to index field 'price' (a nil value)"],
  }),
  place: shape.nullable(
    Type.Object(frame, { description: 'innermost line of your source. Null if no line was reported' }),
  ),
  state: State,
  note: shape.nullable(
    Type.String({
      description: "your team's note. Null if there is none",
      examples: ['fixed by the new shop'],
    }),
  ),
  occurrences: Occurrences,
  runs: Type.Integer({ description: 'number of runs that reported it', examples: [140] }),
  customers: Type.Integer({
    description: 'number of keys whose runs reported it, plus runs of guests',
    examples: [96],
  }),
  first_seen: Type.Integer({ description: 'time of the first report', examples: [AT] }),
  last_seen: Type.Integer({ description: 'time of the last report', examples: [AT] }),
  first_version: Type.Integer({ description: 'oldest version that reported it', examples: [2] }),
  last_version: Type.Integer({ description: 'latest version that reported it', examples: [3] }),
  resolved_at: shape.nullable(
    Type.Integer({
      description: 'time the error was resolved. Null if it has not been resolved',
      examples: [AT],
    }),
  ),
  resolved_in_version: shape.nullable(
    Type.Integer({
      description:
        'version that was live when the error was resolved, or the latest one that had reported it by then',
      examples: [3],
    }),
  ),
  regressed_at: shape.nullable(
    Type.Integer({
      description: 'time a later version reported the error after it was resolved. Null if none did',
      examples: [AT],
    }),
  ),
}
const Listed = shape.named('ScriptError', Group)

const Found = shape.named('ProjectError', {
  ...Group,
  script_id: Type.String({
    description: 'script that reported the error',
    examples: ['scr_0VMc4VLkQ8sTuVwXyZaBcD'],
  }),
  script_name: Type.String({ examples: ['Garden'] }),
})

const Sample = shape.named('ErrorSample', {
  exec: Type.String({ description: 'execution ID' }),
  version: Type.Integer({ examples: [3] }),
  executor: Type.String({ examples: ['Garden'] }),
  runtime: Type.String({ examples: ['luau'] }),
  user_key: shape.nullable(
    Type.String({ description: 'license key. Null for a guest, or if you lack the `users:read` scope' }),
  ),
  kind: Kind,
  text: Type.String({
    description: 'error message as reported, with line numbers from your source',
    examples: ["Garden:12: attempt to index field 'price' (a nil value)"],
  }),
  frames: Type.Array(Frame, { description: 'stack frames, innermost first' }),
  tags: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'tags passed to `WARD_REPORT`',
    examples: [{ item: 'rake' }],
  }),
  reported_at: Type.Integer({ examples: [AT] }),
})
const Detailed = Type.Object({
  ...Group,
  frames: Type.Array(
    Type.Object({
      ...frame,
      source: shape.nullable(
        Type.String({
          description: 'content of the line. Null without the `scripts:source` scope',
          examples: ['local price = item.price.gold'],
        }),
      ),
    }),
    { description: 'frames of the latest sample, innermost first' },
  ),
  code: shape.nullable(
    Type.Object(
      {
        version: Type.Integer({ examples: [3] }),
        file: frame.file,
        line: Type.Integer({ description: 'line that failed', examples: [12] }),
        first_line: Type.Integer({
          description: 'line number of the first entry in `lines`',
          examples: [11],
        }),
        lines: Type.Array(Type.String(), {
          examples: [['function shop.buy(item)', '  local price = item.price.gold', '  return price']],
        }),
      },
      {
        description:
          'your source around the innermost frame. Null if it has no source line, or without the `scripts:source` scope',
      },
    ),
  ),
  versions: Type.Array(Type.Object({ version: Type.Integer({ examples: [3] }), occurrences: Occurrences }), {
    description: 'occurrences by version, most first',
  }),
  executors: Type.Array(
    Type.Object({ executor: Type.String({ examples: ['Garden'] }), occurrences: Occurrences }),
    {
      description: 'occurrences by executor, most first. Beyond 50 executors, the rest is counted as `other`',
    },
  ),
  days: Type.Array(
    Type.Object({ day: Type.String({ examples: ['2026-11-29'] }), occurrences: Occurrences }),
    { description: 'occurrences by day in UTC, for the last 90 days, oldest first' },
  ),
  keys: Type.Integer({
    description: `number of keys that reported it and still exist, counted up to ${MAX_ANNOUNCED_KEYS}. An announcement with \`error_id\` reaches these keys`,
    examples: [90],
  }),
  samples: Type.Array(Sample, { description: 'the 20 latest reports, newest first' }),
})

const page = {
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
}

const filters = {
  state: Type.Optional(State),
  executor: shape.maybe(
    Type.String({
      maxLength: 255,
      pattern: ONE_LINE,
      description: 'only errors reported by runs in this executor',
      examples: ['Garden'],
    }),
  ),
  sort: Type.Optional(
    Type.Unsafe<ErrorSort>({
      type: 'string',
      enum: [...SORTS],
      description: 'value to sort by, highest first. Default: last_seen',
      examples: ['customers'],
    }),
  ),
}

const list = endpoint({
  name: 'v1.scriptErrors.list',
  summary: "List a script's errors",
  description:
    'Returns the errors that runs of the script reported, most recent first. Reports with the same innermost lines and the same message form one error, also across versions and hosts. An error is deleted 90 days after its last report.',
  method: 'GET',
  path,
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  query: shape.members({
    ...filters,
    version: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'only errors that this version reported',
      }),
    ),
    exec: shape.maybe(
      Type.String({
        maxLength: 64,
        pattern: ONE_LINE,
        description: 'only errors that the run with this execution ID reported in the last 30 days',
        examples: ['Zk1yTGVtb25zQXJlWWVsbG93'],
      }),
    ),
    ...page,
  }),
  response: Type.Object({ success: shape.Yes, errors: Type.Array(Listed), total: shape.Count }),
  handle: ({ subject, query }, deps) => listErrors(deps, subject.script, shape.given(query)),
})

const listOfProject = endpoint({
  name: 'v1.projects.errors',
  summary: "List a project's errors",
  description:
    "Returns the errors reported by runs of all scripts in the project, most recent first, each with its script. To retrieve or resolve an error, use its script's endpoints.",
  method: 'GET',
  path: '/v1/projects/:project_id/errors',
  auth: 'project',
  scope: 'scripts:read',
  cost: 2,
  params: shape.ProjectParams,
  query: shape.members({ ...filters, ...page }),
  response: Type.Object({ success: shape.Yes, errors: Type.Array(Found), total: shape.Count }),
  handle: ({ subject, query }, deps) => listProjectErrors(deps, subject, shape.given(query)),
})

const get = endpoint({
  name: 'v1.scriptErrors.get',
  summary: 'Retrieve an error',
  description:
    'Returns an error with its counts by version, executor and day, and its latest reports. Your source lines require the `scripts:source` scope, and license keys require the `users:read` scope.',
  method: 'GET',
  path: `${path}/:error_id`,
  auth: 'script',
  scope: 'scripts:read',
  cost: 2,
  params: Params,
  response: Type.Object({ success: shape.Yes, group: Detailed }),
  async handle({ subject, params, caller }, deps) {
    const group = await getError(deps, subject, params.error_id, caller)
    return group instanceof Refused ? group : { group }
  },
})

const edit = endpoint({
  name: 'v1.scriptErrors.edit',
  summary: 'Resolve, ignore or reopen an error',
  description:
    'Changes the state of an error. A resolved error reopens when it is reported by a version that is later than both the live version and every version that reported it before; reports from other versions are only counted. An ignored error stays ignored.',
  example: { body: { state: 'resolved', note: 'fixed in version 4' } },
  method: 'POST',
  path: `${path}/:error_id/edit`,
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  body: shape.members({
    state: Type.Unsafe<ErrorState>({ ...State, description: 'new state', examples: ['resolved'] }),
    note: shape.maybe(Type.String({ ...shape.Note, description: 'note for your team. Null removes it' })),
  }),
  response: shape.Done,
  handle: async ({ subject, params, body }, deps) =>
    (await editError(deps, subject.script, params.error_id, body)) ?? {},
})

const users = endpoint({
  name: 'v1.scriptErrors.users',
  summary: 'List the users affected by an error',
  description:
    'Returns the users whose runs reported the error, most recent first, for example to message them. Guests and removed users are not listed.',
  method: 'GET',
  path: `${path}/:error_id/users`,
  auth: 'script',
  scope: 'users:read',
  params: Params,
  query: shape.members(page),
  response: Type.Object({
    success: shape.Yes,
    users: Type.Array(
      Type.Object({
        user_key: Type.String(),
        chat_id: shape.nullable(Type.String()),
        note: shape.nullable(Type.String()),
        occurrences: Occurrences,
        last_at: Type.Integer({ description: 'time of the last report', examples: [AT] }),
      }),
    ),
  }),
  handle: ({ subject, params, query }, deps) =>
    listErrorCustomers(deps, subject, params.error_id, shape.given(query)),
})

export const scriptErrors: readonly Endpoint[] = [list, listOfProject, get, edit, users]
