/** What machines ask of the service itself: is it alive, is it ready, and what does it offer. */
import { Type } from 'typebox'
import manifest from '../../package.json' with { type: 'json' }
import { refuse } from '../domain/refusals.ts'
import { type Endpoint, endpoint, Nothing } from './endpoint.ts'
import { describeApi } from './openapi.ts'
import { Done } from './shapes.ts'

const healthz = endpoint({
  name: 'system.healthz',
  summary: 'Whether the process answers at all.',
  method: 'GET',
  path: '/healthz',
  auth: 'none',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: {},
  handle: async () => ({}),
})

const readyz = endpoint({
  name: 'system.readyz',
  summary: 'Whether requests can be answered: the database is reached.',
  method: 'GET',
  path: '/readyz',
  auth: 'none',
  scope: null,
  params: Nothing,
  query: Nothing,
  body: Nothing,
  response: Done,
  failures: {},
  async handle(_call, { db }) {
    const reached = await db.ping().then(
      () => true,
      () => false,
    )
    return reached ? {} : refuse('unavailable', { retry_after: 1 })
  },
})

/** The endpoints about the service, and the document that describes `others` and them. */
export function systemEndpoints(others: readonly Endpoint[]): Endpoint[] {
  let text: string | undefined
  const openapi: Endpoint = endpoint({
    name: 'system.openapi',
    summary: 'This document.',
    method: 'GET',
    path: '/openapi.json',
    auth: 'none',
    scope: null,
    params: Nothing,
    query: Nothing,
    body: Nothing,
    response: Type.String({ contentMediaType: 'application/json' }),
    failures: {},
    produces: 'text',
    compresses: 'file',
    async handle() {
      text ??= JSON.stringify(describeApi(all, manifest.version))
      return { status: 200, contentType: 'application/json; charset=utf-8', text }
    },
  })
  const all: readonly Endpoint[] = [...others, healthz, readyz, openapi]
  return [healthz, readyz, openapi]
}
