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
    'Checks whether the process responds, for use by process supervisors. Reads no data, so it responds even when the database is unavailable. No credentials required.',
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
    'Checks whether runs can be granted, for use by load balancers. Responds with success while the database accepts writes and, if configured, Valkey is reachable. Otherwise, for example if the disk is full, responds with 503 `unavailable` while the process tries to recover. The database is checked at most once per second.',
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

/** Returns the endpoints about the server, and the OpenAPI document that describes them and `others`. */
export function systemEndpoints(others: readonly Endpoint[]): Endpoint[] {
  const openapi: Endpoint = endpoint({
    name: 'system.openapi',
    summary: 'Retrieve the OpenAPI document',
    description:
      'Returns the OpenAPI 3.1 document that this reference and the SDK are generated from. The response has an `ETag` that changes only when the server is updated, so you can cache it and revalidate it cheaply.',
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
