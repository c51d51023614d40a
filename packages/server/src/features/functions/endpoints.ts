/** Endpoints for a script's server functions, which runs of the script call with `ward.ask`. */
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
  name: Type.String({
    description: 'name that scripts pass to ward.ask',
    pattern: FUNCTION_NAME,
    examples: ['price'],
  }),
  source_bytes: Type.Integer({ examples: [57] }),
  created_at: Type.Integer(),
  updated_at: Type.Integer({
    description: 'time the source was last replaced',
    examples: [1_790_000_000_000],
  }),
  calls: Type.Integer({
    description: 'number of calls by running scripts, updated every few seconds',
    examples: [1204],
  }),
  failures: Type.Integer({ description: 'number of calls without a result', examples: [3] }),
  last_problem: shape.nullable(
    Type.String({
      description: 'error message of the last failure',
      examples: ['price:2: attempt to index nil'],
    }),
  ),
  last_failed_at: shape.nullable(
    Type.Integer({
      description: 'time of the last failure. Null if no call has failed',
      examples: [1_790_000_000_000],
    }),
  ),
}
const Source = Type.String({
  minLength: 1,
  description: `Luau source that returns a function, at most ${MAX_FUNCTION_BYTES} bytes. The function's first argument is a read-only table about the run; the others are the values sent by the script`,
  examples: [SOURCE],
})

const list = endpoint({
  name: 'v1.serverFunctions.list',
  summary: "List a script's server functions",
  description: `Returns the script's server functions, sorted by name and without their sources. A script can have up to ${MAX_FUNCTIONS}. \`calls\` counts calls from running scripts, and \`failures\` those without a result.`,
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
  summary: 'Retrieve a server function',
  description:
    'Returns a server function with its source. Sources are stored encrypted and require a separate scope. Clients never receive them.',
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
  summary: 'Create or replace a server function',
  description: `Creates a server function, or replaces the source of an existing one for all future calls. Scripts call it with \`ward.ask(name, values…)\` and receive its result. Each call has ${CALL_LIMITS.ms} ms of CPU time, ${CALL_LIMITS.mb} MiB of memory, the standard Luau libraries, no network access, and no state shared between calls. Names have 1 to 40 characters of a-z, 0-9 and _. If the source does not compile, the error contains the line and message.`,
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
  summary: 'Remove a server function',
  description:
    'Removes the function and its call counts immediately. Scripts that call it receive nil and an error message. Removing a script also removes its functions.',
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
      plan: { type: ['string', 'null'], maxLength: 255, description: "name of the key's plan" },
      features: { type: 'object', description: "key's features, by name" },
      tags: { type: 'array', items: { type: 'string' }, description: "key's tags" },
      metadata: { type: 'object', description: "key's metadata" },
      status: { type: 'string', maxLength: 64, description: 'key status, such as `active`' },
      expiry: { type: ['integer', 'null'], description: 'key expiry. Null if the key never expires' },
      chat_id: {
        type: ['string', 'null'],
        maxLength: 255,
        description: 'ID of the chat account linked to the key',
      },
      note: { type: ['string', 'null'], maxLength: 255, description: 'note on the key' },
      executor: { type: 'string', maxLength: 255, description: 'executor the script runs in' },
      version: { type: 'integer', description: 'script version' },
      user: {
        type: ['string', 'null'],
        maxLength: 255,
        description: 'string that identifies the key without revealing it. Null if the run has no key',
      },
    },
    description: "details of the simulated run. Omitted fields have the same values as in a guest's run",
    examples: [{ plan: 'Pro', features: { turbo: true } }],
  }),
)

const trial = endpoint({
  name: 'v1.serverFunctions.try',
  summary: 'Test a server function',
  description:
    "Calls a server function as a script would, and returns its result, its output and the CPU time it took. The call runs in the same sandbox with the same limits, but isn't counted. Unlike a script, you receive the full error message.",
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
      description: 'arguments that the script would send',
      examples: [['gold', 3]],
    }),
    run: Run,
  }),
  response: Type.Object({
    success: shape.Yes,
    value: Type.Unsafe<unknown>({
      description: 'return value. Null if the call failed',
      examples: [30],
    }),
    problem: shape.nullable(Type.String({ description: 'error message. Null if the call succeeded' })),
    printed: Type.Array(Type.String(), {
      description: 'first lines of the output',
      examples: [['gold']],
    }),
    duration_ms: Type.Number({ description: 'CPU time of the call, in milliseconds', examples: [0.42] }),
  }),
  handle: ({ subject, params, body }, deps) =>
    tryServerFunction(deps, subject, params.function_name, { values: body.values, run: body.run ?? {} }),
})

export const serverFunctions: readonly Endpoint[] = [list, get, put, remove, trial]
