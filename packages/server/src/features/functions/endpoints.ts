/** Server functions of a script: what its runs ask the service to run for them, with `ward.ask`. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { Refused } from '../../api/refusals.ts'
import * as shape from '../../api/shapes.ts'
import {
  FUNCTION_NAME,
  getServerFunction,
  listServerFunctions,
  MAX_FUNCTION_BYTES,
  MAX_FUNCTIONS,
  putServerFunction,
  removeServerFunction,
  type Trial,
  tryServerFunction,
} from '../scripts/server-functions.ts'
import { CALL_LIMITS, MAX_VALUES } from './values.ts'

const path = '/v1/scripts/:script_id/functions'
const SOURCE = 'return function(run, item, amount)\n  return 10 * amount\nend'

const Params = Type.Object({ ...shape.ScriptParams.properties, function_name: Type.String() })
const Listed = {
  name: Type.String({ description: 'as scripts ask for it', pattern: FUNCTION_NAME, examples: ['price'] }),
  source_bytes: Type.Integer({ examples: [57] }),
  created_at: Type.Integer(),
  updated_at: Type.Integer({
    description: 'when its source was last replaced',
    examples: [1_790_000_000_000],
  }),
  calls: Type.Integer({ description: 'by running scripts; written every few seconds', examples: [1204] }),
  failures: Type.Integer({ description: 'calls that brought no answer', examples: [3] }),
  last_problem: shape.nullable(
    Type.String({ description: 'of the last failure', examples: ['price:2: attempt to index nil'] }),
  ),
  last_failed_at: shape.nullable(
    Type.Integer({ description: 'null while it never failed', examples: [1_790_000_000_000] }),
  ),
}
const Source = Type.String({
  minLength: 1,
  description: `Luau that returns a function, at most ${MAX_FUNCTION_BYTES} bytes. Its first argument is a read-only table about the run, the others are the values that the script sent`,
  examples: [SOURCE],
})

const list = endpoint({
  name: 'v1.serverFunctions.list',
  summary: 'List the server functions of a script by name, without their sources.',
  description: `Up to ${MAX_FUNCTIONS}. For each function, \`calls\` counts calls from running scripts and \`failures\` counts those without a result.`,
  method: 'GET',
  path,
  auth: 'script',
  scope: 'scripts:read',
  params: shape.ScriptParams,
  response: Type.Object({ success: shape.Yes, functions: Type.Array(Type.Object(Listed)) }),
  handle: async ({ subject }, deps) => ({ functions: await listServerFunctions(deps, subject.script) }),
})

const get = endpoint({
  name: 'v1.serverFunctions.get',
  summary: 'Read a server function with its source.',
  description:
    'The source is stored encrypted and needs a scope of its own: no client of a script ever gets it.',
  method: 'GET',
  path: `${path}/:function_name`,
  auth: 'script',
  scope: 'scripts:source',
  params: Params,
  response: Type.Object({
    success: shape.Yes,
    function: Type.Object({ ...Listed, source: Type.String({ examples: [SOURCE] }) }),
  }),
  async handle({ subject, params }, deps) {
    const found = await getServerFunction(deps, subject.script, params.function_name)
    return found instanceof Refused ? found : { function: found }
  },
})

const put = endpoint({
  name: 'v1.serverFunctions.put',
  summary: 'Make a server function, or replace its source; runs that ask from now on get the new one.',
  description: `A script calls it by \`ward.ask(name, values…)\` and gets what it returns. It has ${CALL_LIMITS.ms} ms of processor time and ${CALL_LIMITS.mb} MiB for each call, Luau's own libraries, no network, and nothing that stays from one call to the next. A name is 1 to 40 of a to z, 0 to 9 and _. A source that does not compile is refused with line and message.`,
  example: { body: { source: SOURCE } },
  method: 'PUT',
  path: `${path}/:function_name`,
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  body: shape.members({ source: Source }),
  response: shape.Done,
  failures: { account_expired: 0, max_functions_reached: 1 },
  async handle({ subject, params, body }, deps) {
    return (await putServerFunction(deps, subject, params.function_name, body.source)) ?? {}
  },
})

const remove = endpoint({
  name: 'v1.serverFunctions.remove',
  summary: 'Remove a server function; scripts that ask for it get nil and a problem.',
  description: 'It is gone at once, with its counts. Removing the script removes its functions too.',
  method: 'POST',
  path: `${path}/:function_name/remove`,
  auth: 'script',
  scope: 'scripts:write',
  params: Params,
  response: shape.Done,
  async handle({ subject, params }, deps) {
    return (await removeServerFunction(deps, subject, params.function_name)) ?? {}
  },
})

const Run = Type.Optional(
  Type.Unsafe<Trial['run']>({
    type: 'object',
    additionalProperties: false,
    properties: {
      plan: { type: ['string', 'null'], maxLength: 255, description: 'name of the plan of the key' },
      features: { type: 'object', description: 'that the key has' },
      tags: { type: 'array', items: { type: 'string' }, description: 'of the key' },
      metadata: { type: 'object', description: 'of the key' },
      status: { type: 'string', maxLength: 64, description: 'of the key, such as `active`' },
      expiry: { type: ['integer', 'null'], description: 'when the key ends; null for never' },
      chat_id: { type: ['string', 'null'], maxLength: 255, description: 'of the key' },
      note: { type: ['string', 'null'], maxLength: 255, description: 'of the key' },
      executor: { type: 'string', maxLength: 255, description: 'where the script runs' },
      version: { type: 'integer', description: 'of the script' },
      user: {
        type: ['string', 'null'],
        maxLength: 255,
        description: 'a text of its own for each key, from which the key cannot be found; null without a key',
      },
    },
    description: 'facts about the run, in place of those of a guest',
    examples: [{ plan: 'Pro', features: { turbo: true } }],
  }),
)

const trial = endpoint({
  name: 'v1.serverFunctions.try',
  summary: 'Run a server function as a script would, and see its answer, its prints and its time.',
  description:
    'In the same sandbox and under the same limits. Nothing is counted. The answer has the whole problem, which scripts do not see.',
  example: {
    body: { values: ['gold', 3], run: { plan: 'Pro', features: { turbo: true } } },
    answer: { success: true, value: 30, problem: null, printed: ['gold'], duration_ms: 0.42 },
  },
  method: 'POST',
  path: `${path}/:function_name/try`,
  auth: 'script',
  scope: 'scripts:write',
  changes: false,
  params: Params,
  body: shape.members({
    values: Type.Array(Type.Unsafe<unknown>({}), {
      maxItems: MAX_VALUES,
      description: 'what the script would send',
      examples: [['gold', 3]],
    }),
    run: Run,
  }),
  response: Type.Object({
    success: shape.Yes,
    value: Type.Unsafe<unknown>({
      description: 'what it returned; null when there was a problem',
      examples: [30],
    }),
    problem: shape.nullable(Type.String({ description: 'why there is no value' })),
    printed: Type.Array(Type.String(), {
      description: 'the first lines that it printed',
      examples: [['gold']],
    }),
    duration_ms: Type.Number({ description: 'processor time', examples: [0.42] }),
  }),
  handle: ({ subject, params, body }, deps) =>
    tryServerFunction(deps, subject, params.function_name, { values: body.values, run: body.run ?? {} }),
})

export const serverFunctions: readonly Endpoint[] = [list, get, put, remove, trial]
