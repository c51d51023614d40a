/** What executors can do. */
import { PROBED_FUNCTIONS } from '@scriptward/client/probe'
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import * as shape from '../../api/shapes.ts'
import { MIN_ANSWERS } from './answers.ts'
import { describeExecutors } from './executors.ts'

const MAX_PAGE = 1000
const AT = 1_790_000_000_000
const ExecutorName = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  description: 'name of the executor, as reported by the client',
  examples: ['Garden'],
})
const Functions = (description: string, example: string) =>
  Type.Array(Type.String(), { description, examples: [[example]] })

const list = endpoint({
  name: 'v1.executors.list',
  summary: 'List what executors can do',
  description: `Returns versions of executors and which of ${PROBED_FUNCTIONS.length} functions they have, newest version first. Loaders report only whether each function exists, with no data about the customer or the script, and clients of all accounts count. A version is listed once clients in ${MIN_ANSWERS} networks have reported it, and what most of them report is returned. Versions that nobody has reported for 90 days are removed.`,
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
          description: 'version of the executor. Empty if it has none',
          examples: ['2.1'],
        }),
        functions: Functions('functions that it has', 'writefile'),
        missing: Functions("functions that it doesn't have", 'hookfunction'),
        answers: Type.Integer({ description: 'number of networks that were counted', examples: [9] }),
        first_seen: Type.Integer({ description: 'time of the first report', examples: [AT] }),
        last_seen: Type.Integer({ description: 'time of the last report', examples: [AT] }),
      }),
    ),
    more: Type.Boolean({ description: 'whether there are more entries', examples: [false] }),
  }),
  handle: ({ query }, deps) => describeExecutors(deps, shape.given(query)),
})

export const executors: readonly Endpoint[] = [list]
