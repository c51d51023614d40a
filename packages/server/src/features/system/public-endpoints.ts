/** The server's endpoints for machines: liveness, readiness and capabilities. */
import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { refuse } from '../../api/refusals.ts'
import { Done } from '../../api/shapes.ts'
import { describeApi } from '../../reference/openapi.ts'

const healthz = endpoint({
  name: 'system.healthz',
  summary: 'Check liveness',
  description:
    'For process supervisors. Reads no data and needs no credentials, so it responds even when the database is unavailable.',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  scope: null,
  response: Done,
  handle: async () => ({}),
})

const readyz = endpoint({
  name: 'system.readyz',
  summary: 'Check readiness',
  description:
    'For load balancers. Responds with success while runs can be granted: the database accepts writes and, if configured, Valkey is reachable. Otherwise, such as with a full disk, responds with 503 `unavailable` while the process keeps trying to recover. The database is checked at most once per second.',
  method: 'GET',
  path: '/readyz',
  auth: 'none',
  scope: null,
  response: Done,
  handle: (_call, { readiness }) =>
    readiness.check().then(
      () => ({}),
      () => refuse('unavailable', { retry_after: 1 }),
    ),
})

/** The endpoints about the server, and the OpenAPI document that describes them and `others`. */
export function systemEndpoints(others: readonly Endpoint[]): Endpoint[] {
  const openapi: Endpoint = endpoint({
    name: 'system.openapi',
    summary: 'Retrieve the OpenAPI document',
    description:
      'The full API as OpenAPI 3.1, which this reference and the SDK are generated from. It is compressed and has an `ETag`, so you can revalidate it cheaply until the server is updated.',
    example: { answer: '{"openapi":"3.1.0","info":{"title":"Scriptward"},"paths":{}}' },
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    scope: null,
    response: Type.String({ contentMediaType: 'application/json' }),
    produces: 'text',
    compresses: 'file',
    async handle(_call, { config }) {
      const text = JSON.stringify(describeApi(all, manifest.version, config.baseUrl))
      return { status: 200, contentType: 'application/json; charset=utf-8', text }
    },
  })
  const all: readonly Endpoint[] = [...others, healthz, readyz, openapi]
  return [healthz, readyz, openapi]
}
