/** Who leaked a copy of a script, and where in its source an error of a copy is. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import { mapScriptTraceback } from './tracebacks.ts'
import { traceCopy } from './traces.ts'

const TracedVersion = Type.Object({
  version: Type.Integer(),
  slots: Type.Integer({ description: 'places in which copies of this version differ' }),
  slots_read: Type.Integer({ description: 'of those, what could be read in the text' }),
  slots_lifted: Type.Integer({
    description:
      'of those, what only the order of statements and the sides of comparisons told; more than 0 when the text was translated back into source',
  }),
  executions: Type.Integer({ description: 'executions of this version that were compared' }),
})

const Accused = Type.Object({
  user_key: shape.nullable(Type.String({ description: 'null for a device without a key' })),
  version: Type.Integer(),
  execution: shape.nullable(
    Type.String({
      description: 'the execution that the text was taken from; null when it mixes too many runs to tell',
    }),
  ),
  executor: Type.String({ description: 'of the execution that agrees best with the text' }),
  granted_at: Type.Integer({ description: 'when that execution was granted' }),
  matches: Type.Integer({
    description: 'slots that were read and are as they were in the copy of that execution',
  }),
  deviations: Type.Number({ description: 'standard deviations above what chance gives; at least 6' }),
  chance: Type.Number({
    description: 'bound for the probability that any execution of the version agrees so well by chance',
  }),
})

const trace = endpoint({
  name: 'v1.scripts.trace',
  summary: 'Find out to whom a copy of a script was served.',
  description:
    'Paste what somebody published. Every execution gets a copy with small differences of its own; this compares the text with all of them and names the user, even when names, quotes and spaces were changed, several copies were mixed, or a tool translated a long script back into source. Nobody is accused by chance: see `deviations` and `chance`.',
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
        'the copy or a part of it, up to 1,000,000 characters, with other names, quotes and spaces as it may be',
    }),
  }),
  response: Type.Object({
    success: shape.Yes,
    versions: Type.Array(TracedVersion),
    accused: Type.Array(Accused, { description: 'each user or device once for a version, the surest first' }),
  }),
  bodyLimit: 'script',
  async handle({ subject, body, origin }, deps) {
    const found = await traceCopy(deps, subject, { text: body.text, closed: origin.closed?.() })
    return found instanceof Refused ? found : { versions: [...found.versions], accused: [...found.accused] }
  },
})

const Place = Type.Object({
  chunk: Type.String({ description: 'what the host calls the script there' }),
  output_line: Type.Integer({ description: 'the line that the text names' }),
  file: shape.nullable(Type.String({ description: 'path of the file; null when the source is one file' })),
  line: shape.nullable(
    Type.Integer({ description: 'line of the source; null when that line of the output comes from none' }),
  ),
  source: shape.nullable(Type.String({ description: 'the text of that line, up to 300 characters' })),
  function: shape.nullable(
    Type.String({ description: 'the function that the line is in; null when it has no name' }),
  ),
})

const traceback = endpoint({
  name: 'v1.scripts.traceback',
  summary: 'Find the lines of your source that an error of a protected script names.',
  description:
    'Paste an error or a whole traceback as a user sent it: of Lua 5.1, LuaJIT, Lua 5.4 or Luau. Every version is stored with a map from the lines of its build to those of your source. Texts of errors do not tell the version, so the active one is taken unless you name another; `other_versions` has the rest. Versions that were built before there were maps have `mapped: false`, and their lines stay as they are.',
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
      description: 'the error or the traceback with whatever stands around it, up to 1,000,000 characters',
    }),
    version: shape.maybe(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'the version that failed; by default the active one',
      }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    version: Type.Integer({ description: 'whose map was used' }),
    assumed: Type.Boolean({ description: 'whether it is the active version because you named none' }),
    mapped: Type.Boolean({ description: 'whether that version has a map' }),
    other_versions: Type.Array(Type.Integer(), {
      description: 'other versions with a map, the newest first, up to 100',
    }),
    places: Type.Array(Place, { description: 'each place once, in the order of the text, up to 500' }),
    truncated: Type.Boolean({ description: 'whether the text names more places' }),
    text: Type.String({ description: 'the text with the lines and functions of your source' }),
  }),
  bodyLimit: 'script',
  handle({ subject, body, origin }, deps) {
    const { text, version = null } = body
    return mapScriptTraceback(deps, subject, { text, version, closed: origin.closed?.() })
  },
})

export const traces: readonly Endpoint[] = [trace, traceback]
