/** Size and rate limits of requests, as this service is configured. What a plan allows is in its tier. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { ANSWER_RETENTION_MS, allowedRequests } from '../../../api/limits.ts'
import { Yes } from '../../../api/shapes.ts'

const Bytes = Type.Integer({ description: 'in bytes' })

const get = endpoint({
  name: 'v1.limits.get',
  summary: 'What a request may carry, and how many requests there may be.',
  description:
    'Sizes in bytes, entries in one import, keys in one call, requests per second and more, as the operator of this service set them. Read it instead of writing such numbers into your program.',
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
          'of one API key, token or sign-in, and twice that for all tokens and sign-ins of an account; what takes long counts as several; 0 means no limit',
      }),
      requests_at_once: Type.Integer({ description: 'what may come in one burst; 0 means no limit' }),
      idempotency_key_ms: Type.Integer({ description: 'how long an answer is given again' }),
      session_answer_ms: Type.Integer({ description: 'how long a message waits for its answer' }),
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
