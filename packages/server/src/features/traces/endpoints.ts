/**
 * Endpoints that trace a leaked copy to its recipient, list earlier traces, and map a copy's errors to source
 * lines.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { userName } from '../executions/endpoints/user-name.ts'
import { getTrace, listKeptTraces, MAX_KEPT, traceAndKeep } from './kept-traces.ts'
import { mapScriptTraceback } from './tracebacks.ts'

const ID = 'trc_0VMc4VLkQ8sTuVwXyZaBcD'

const TracedVersion = Type.Object({
  version: Type.Integer(),
  slots: Type.Integer({ description: 'number of watermark slots in this version' }),
  slots_read: Type.Integer({ description: 'number of slots that could be read from the text' }),
  slots_lifted: Type.Integer({
    description:
      'number of slots that were only readable from the order of statements and comparisons; more than 0 if the text was decompiled',
  }),
  executions: Type.Integer({ description: 'number of executions of this version that were compared' }),
  numbers: Type.Integer({ description: 'number of `WARD_VARY` macros in this version' }),
  numbers_read: Type.Integer({
    description:
      'number of those macros whose number was found in the text; always 0 if the text was not decompiled',
  }),
  numbers_needed: shape.nullable(
    Type.Integer({
      description:
        'number of these matches needed to identify one user among all who received this version; null if none were found',
      examples: [2],
    }),
  ),
})

const Accused = Type.Object({
  user_key: shape.nullable(
    Type.String({ description: 'license key. Null if the copy was delivered to a device without a key' }),
  ),
  version: Type.Integer(),
  execution: shape.nullable(
    Type.String({
      description:
        'ID of the execution that received the copy. Null if the text mixes too many copies to tell',
    }),
  ),
  executor: Type.String({ description: 'executor of the best matching execution' }),
  granted_at: Type.Integer({ description: 'time the execution was granted' }),
  matches: Type.Integer({
    description: 'number of slots read from the text that match the copy of the execution',
  }),
  deviations: Type.Number({ description: 'number of standard deviations above a random match, at least 6' }),
  chance: Type.Number({
    description:
      'upper bound on the probability that any execution of the version matches this well by chance',
  }),
})

const Candidate = Type.Object({
  user_key: shape.nullable(Type.String({ description: 'license key; null for a device without a key' })),
  version: Type.Integer(),
  executor: Type.String({ description: "executor of this user's last execution of the version" }),
  granted_at: Type.Integer({ description: 'time that execution was granted' }),
  numbers_matched: Type.Integer({ description: "number of this user's `WARD_VARY` numbers in the text" }),
  likelihood: Type.Number({
    description: "probability that the text comes from this user's copy, from 0 to 1",
  }),
  named: Type.Boolean({
    description:
      'whether the numbers identify this user, with a likelihood of at least 0.999. If false, do not act without more evidence',
  }),
})

const result = {
  versions: Type.Array(TracedVersion),
  accused: Type.Array(Accused, {
    description: 'matching users or devices, each once per version, best match first',
  }),
  candidates: Type.Array(Candidate, {
    description: 'users or devices whose `WARD_VARY` numbers are in a decompiled text, most likely first',
    examples: [[]],
  }),
}

const trace = endpoint({
  name: 'v1.scripts.trace',
  summary: 'Trace a leaked copy',
  description:
    'Identifies the user a leaked copy was delivered to. Every run receives a copy with small unique differences. Comparing the text with all of them identifies the user even if identifiers were renamed, the code was reformatted, several copies were mixed, or the copy was decompiled (for long scripts, and those with `WARD_VARY`). Random matches are ruled out; see `deviations` and `chance`.',
  example: { body: { text: 'local a,b="\\104\\101\\108",3 …' } },
  method: 'POST',
  path: '/v1/scripts/:script_id/trace',
  auth: 'script',
  scope: 'scripts:source',
  cost: 20,
  params: shape.ScriptParams,
  body: shape.members({
    text: Type.String({
      minLength: 1,
      description:
        'leaked copy, or part of one, up to 1,000,000 characters. Its identifiers may be renamed and its code reformatted',
    }),
  }),
  response: Type.Object({
    success: shape.Yes,
    ...result,
    trace_id: Type.String({ description: 'ID of the stored result', examples: [ID] }),
  }),
  bodyLimit: 'script',
  handle: ({ subject, caller, body, origin }, deps) =>
    traceAndKeep(deps, subject, caller.actor, { text: body.text, closed: origin.closed?.() }),
})

const Kept = {
  id: Type.String({ examples: [ID] }),
  script_id: Type.String(),
  script_name: Type.String({ examples: ['Garden'] }),
  actor: shape.Actor,
  created_at: Type.Integer({ description: 'time of the trace', examples: [1_790_000_000_000] }),
  bytes: Type.Integer({ description: 'size of the copy in bytes', examples: [48_200] }),
  sha256: Type.String({
    description: 'SHA-256 digest of the copy in hexadecimal. The copy itself is not stored',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  matches: Type.Integer({
    description: 'number of users and devices that were found',
    examples: [1],
  }),
  users: Type.Array(
    Type.Object({
      user_key: shape.nullable(Type.String({ description: 'license key. Null for a device without a key' })),
      ...userName,
      version: Type.Integer({ description: 'version of the copy', examples: [3] }),
      named: Type.Boolean({
        description: 'whether the evidence identifies this user. If false, do not act without more evidence',
      }),
      confidence: Type.Number({
        description:
          'probability that the copy was delivered to this user, from 0 to 1. Rounded down to six decimals',
        examples: [0.999999],
      }),
    }),
    { description: 'the first five matches, best match first' },
  ),
}
const KeptTrace = shape.named('Trace', Kept)
const path = '/v1/projects/:project_id/traces'

const list = endpoint({
  name: 'v1.traces.list',
  summary: 'List traces',
  description: `Returns the copies that were traced in this project, newest first. The last ${MAX_KEPT} traces are kept, for as long as runs stay in the log.`,
  method: 'GET',
  path,
  auth: 'project',
  scope: 'users:read',
  params: shape.ProjectParams,
  query: shape.members({
    script_id: Type.Optional(Type.String({ maxLength: 64, description: 'only copies of this script' })),
    ...shape.onward,
  }),
  response: Type.Object({ success: shape.Yes, traces: Type.Array(KeptTrace), next: shape.Next }),
  handle: ({ subject, query }, deps) => listKeptTraces(deps, subject.project, shape.given(query)),
})

const get = endpoint({
  name: 'v1.traces.get',
  summary: 'Retrieve a trace',
  description: 'Returns a trace with its full result from the time the copy was traced.',
  method: 'GET',
  path: `${path}/:trace_id`,
  auth: 'project',
  scope: 'users:read',
  params: Type.Object({ ...shape.ProjectParams.properties, trace_id: Type.String() }),
  response: Type.Object({
    success: shape.Yes,
    trace: shape.named('TraceResult', { ...Kept, ...result }),
  }),
  async handle({ subject, params }, deps) {
    const found = await getTrace(deps, subject.project, params.trace_id)
    return found instanceof Refused ? found : { trace: found }
  },
})

const Place = Type.Object({
  chunk: Type.String({ description: 'chunk name of the script in the error' }),
  output_line: Type.Integer({ description: 'line number in the error' }),
  file: shape.nullable(
    Type.String({ description: 'path of the source file. Null if the script has a single file' }),
  ),
  line: shape.nullable(
    Type.Integer({ description: 'line number in the source. Null if no source line corresponds to it' }),
  ),
  source: shape.nullable(Type.String({ description: 'content of the source line, up to 300 characters' })),
  function: shape.nullable(
    Type.String({
      description: 'name of the function that contains the line. Null if the function has no name',
    }),
  ),
})

const traceback = endpoint({
  name: 'v1.scripts.traceback',
  summary: 'Map an error to source lines',
  description:
    'Maps an error message or traceback from a protected script back to the lines of your source, for Lua 5.1, LuaJIT, Lua 5.4 and Luau. Every version is stored with a line map of its build. Errors do not contain the version, so the active version is assumed unless you set one; `other_versions` lists the others. Versions built before line maps existed have `mapped: false`, and their line numbers are unchanged.',
  example: {
    body: { text: "Garden:57: attempt to index local 'a' (a nil value)" },
    answer: {
      success: true,
      version: 3,
      assumed: true,
      mapped: true,
      other_versions: [2, 1],
      places: [
        {
          chunk: 'Garden',
          output_line: 57,
          file: null,
          line: 12,
          source: 'local price = item.price.gold',
          function: 'shop.buy',
        },
      ],
      truncated: false,
      text: "Garden:12: attempt to index local 'a' (a nil value)",
    },
  },
  method: 'POST',
  path: '/v1/scripts/:script_id/traceback',
  auth: 'script',
  scope: 'scripts:source',
  cost: 5,
  params: shape.ScriptParams,
  body: shape.members({
    text: Type.String({
      minLength: 1,
      description: 'error message or traceback with any surrounding text, up to 1,000,000 characters',
    }),
    version: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'version that failed. Default: the active version',
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    version: Type.Integer({ description: 'version whose line map was used' }),
    assumed: Type.Boolean({ description: 'whether the active version was assumed because none was set' }),
    mapped: Type.Boolean({ description: 'whether that version has a line map' }),
    other_versions: Type.Array(Type.Integer(), {
      description: 'other versions with a line map, newest first, up to 100',
    }),
    places: Type.Array(Place, {
      description: 'code locations in order of appearance, without duplicates, up to 500',
    }),
    truncated: Type.Boolean({ description: 'whether the text contains more locations' }),
    text: Type.String({ description: 'the text, with line numbers and function names from your source' }),
  }),
  bodyLimit: 'script',
  handle({ subject, body, origin }, deps) {
    const { text, version = null } = body
    return mapScriptTraceback(deps, subject, { text, version, closed: origin.closed?.() })
  },
})

export const traces: readonly Endpoint[] = [trace, list, get, traceback]
