/** The server's configured size and rate limits for requests. An account's limits are in its service tier. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { ANSWER_RETENTION_MS, allowedRequests } from '../../../api/limits.ts'
import { Yes } from '../../../api/shapes.ts'

const Bytes = Type.Integer({ description: 'size in bytes' })

const get = endpoint({
  name: 'v1.limits.get',
  summary: 'Retrieve the limits',
  description:
    'Returns the limits of this server as configured by its operator: request sizes, entries per import, keys per request, rate limits and more. Read them at runtime instead of hard-coding them.',
  method: 'GET',
  path: '/v1/limits',
  auth: 'customer',
  scope: null,
  response: Type.Object({
    success: Yes,
    limits: Type.Object({
      body: Bytes,
      script: Bytes,
      import_body: Bytes,
      users_to_import: Type.Integer(),
      keys_to_generate: Type.Integer(),
      requests_per_second: Type.Number({
        description:
          "maximum number of requests per second for each API key, token or dashboard session. All of an account's tokens and sessions together can send twice as many. Expensive requests count more than once. 0 if there is no limit",
      }),
      requests_at_once: Type.Integer({ description: 'maximum burst of requests. 0 if there is no limit' }),
      idempotency_key_ms: Type.Integer({
        description: 'time that responses to idempotent requests are kept, in milliseconds',
      }),
      session_answer_ms: Type.Integer({
        description: 'maximum time to wait for the response to a session message, in milliseconds',
      }),
    }),
  }),
  async handle(_call, { config }) {
    const { perSecond, burst } = allowedRequests(config.apiRates)
    return {
      limits: {
        body: config.bodyLimit,
        script: config.scriptLimit,
        import_body: config.importBodyLimit,
        users_to_import: config.importLimit,
        keys_to_generate: config.generateLimit,
        requests_per_second: perSecond,
        requests_at_once: burst,
        idempotency_key_ms: ANSWER_RETENTION_MS,
        session_answer_ms: config.sessionWaitMs,
      },
    }
  },
})

export const limits: readonly Endpoint[] = [get]
