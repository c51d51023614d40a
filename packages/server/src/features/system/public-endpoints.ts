/** What machines ask of the service itself: is it alive, is it ready, and what does it offer. */
import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { type Endpoint, endpoint } from '../../api/endpoint.ts'
import { refuse } from '../../api/refusals.ts'
import { Done } from '../../api/shapes.ts'
import { describeApi } from '../../reference/openapi.ts'

const healthz = endpoint({
  name: 'system.healthz',
  summary: 'Whether the process answers at all.',
  description:
    'For a supervisor that restarts what hangs. It reads nothing and needs no credential, so it also answers when the database does not.',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  scope: null,
  response: Done,
  handle: async () => ({}),
})

const readyz = endpoint({
  name: 'system.readyz',
  summary:
    'Whether runs can be granted: the database takes changes, and Valkey answers where it is configured.',
  description:
    'For a load balancer that should send requests only where they can be answered. While the database cannot be reached or changed, as with a full disk, or Valkey is lost, it answers 503 `unavailable`, and the process keeps trying. The database is asked at most once a second.',
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

/** The endpoints about the service, and the document that describes `others` and them. */
export function systemEndpoints(others: readonly Endpoint[]): Endpoint[] {
  const openapi: Endpoint = endpoint({
    name: 'system.openapi',
    summary: 'This document.',
    description:
      'The whole API as OpenAPI 3.1, from which this reference and the SDK are made. It is sent compressed and with an `ETag`, so asking again costs nothing as long as the service was not updated.',
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
