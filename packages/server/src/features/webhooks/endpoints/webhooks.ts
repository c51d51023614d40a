/**
 * Endpoints for a project's webhooks: health, deliveries, redelivery, tests, and public keys.
 * `webhook-addresses.ts` contains the endpoints that manage additional webhook endpoints.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused, refuseMember } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { listDeliveries, listProjectWebhooks, redeliver, testWebhook, webhookKeys } from '../addresses.ts'
import { Kind, visibleWebhook, Webhook, WebhookId } from './webhook-shapes.ts'

const STATES = { type: 'string', enum: ['pending', 'delivered', 'failed', 'dropped'] } as const
type State = (typeof STATES.enum)[number]
const State = Type.Unsafe<State>(STATES)

const Attempt = Type.Object({
  attempted_at: Type.Integer(),
  duration_ms: Type.Number(),
  address: Type.String(),
  status: shape.nullable(Type.Integer()),
  answer: shape.nullable(Type.String({ description: 'first 200 characters of the response' })),
  error: shape.nullable(Type.String()),
})

const Delivery = shape.named('Delivery', {
  id: Type.String({
    description: 'delivery ID: the event ID, followed by a dot and the endpoint ID for custom endpoints',
  }),
  event_id: Type.String({ description: 'event ID, sent as webhook-id' }),
  webhook_id: WebhookId,
  kind: Kind,
  type: Type.String({ description: 'event type, such as execution.granted' }),
  state: State,
  created_at: Type.Integer(),
  next_attempt: shape.nullable(Type.Integer()),
  body: shape.nullable(
    Type.String({
      description:
        'payload as a JSON string. Chat webhooks receive the same content as an embed. Null for callers without users:read, because it contains license keys',
      examples: ['{"type":"webhook.test","timestamp":"2026-01-02T03:04:05.678Z","id":"evt_…","version":1,…}'],
    }),
  ),
  attempts: Type.Array(Attempt),
})

const list = endpoint({
  name: 'v1.webhooks.list',
  summary: 'List webhook endpoints',
  description:
    'Returns the webhooks set in the project settings and all custom endpoints, with their filters, health and number of queued events. An endpoint without a successful delivery for five days is paused, and one that responded with 410 is disabled; saving the URL again resumes either. Without `webhooks:write`, secrets are omitted and URLs are truncated to the host and first path segment.',
  method: 'GET',
  path: '/v1/projects/:project_id/webhooks',
  auth: 'project',
  scope: 'webhooks:read',
  params: shape.ProjectParams,
  response: Type.Object({ success: shape.Yes, webhooks: Type.Array(Webhook) }),
  async handle({ subject, caller }, deps) {
    const webhooks = await listProjectWebhooks(deps, subject)
    return { webhooks: webhooks.map((one) => visibleWebhook(one, caller)) }
  },
})

const deliveries = endpoint({
  name: 'v1.webhooks.deliveries',
  summary: 'List deliveries',
  description:
    'Returns sent and queued events with all attempts, newest first: the payload, the destination, the responses and the time of the next attempt. Filter by `state`, event `type` or `webhook_id`. URLs are masked as in the list of endpoints. The last 1,000 events of each endpoint are kept, for at most 30 days.',
  method: 'GET',
  path: '/v1/projects/:project_id/webhooks/deliveries',
  auth: 'project',
  scope: 'webhooks:read',
  params: shape.ProjectParams,
  query: shape.members({
    ...shape.CursorPage.properties,
    limit: shape.maybe(
      Type.Integer({ minimum: 0, maximum: 1000, description: 'number of entries per page. Default: 100' }),
    ),
    state: Type.Optional(Type.Unsafe<State | null>({ ...STATES, type: ['string', 'null'] })),
    type: shape.maybe(Type.String({ maxLength: 100, description: 'event type, such as execution.granted' })),
    webhook_id: shape.maybe(WebhookId),
  }),
  response: Type.Object({
    success: shape.Yes,
    deliveries: Type.Array(Delivery),
    total: shape.Count,
    next: shape.Next,
  }),
  async handle({ subject, caller, query }, deps) {
    return listDeliveries(deps, subject, { ...shape.given(query), viewer: caller })
  },
})

const again = endpoint({
  name: 'v1.webhooks.redeliver',
  summary: 'Resend an event',
  description:
    "Sends an event again immediately, regardless of its state, to the same webhook's current URL. The event ID is the same, so receivers can ignore duplicates.",
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/deliveries/:delivery_id/redeliver',
  auth: 'project',
  scope: 'webhooks:write',
  params: Type.Object({ project_id: Type.String(), delivery_id: Type.String() }),
  response: shape.Done,
  failures: { no_webhook_address: 0 },
  async handle({ subject, params }, deps) {
    return (await redeliver(deps, subject, params.delivery_id)) ?? {}
  },
})

const test = endpoint({
  name: 'v1.webhooks.test',
  summary: 'Send a test event',
  description:
    'Sends a `webhook.test` event immediately, even if the endpoint is paused, so that you can check it without waiting for a real event. Look up the result under `deliveries` with the ID in the response. Limited to six requests per minute and endpoint, including resends.',
  example: { body: { webhook_id: 'execution' } },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/test',
  auth: 'project',
  scope: 'webhooks:write',
  params: shape.ProjectParams,
  body: shape.members({
    webhook_id: shape.maybe(WebhookId),
    kind: shape.maybe(
      Type.String({
        enum: ['execution', 'information', 'blacklist'],
        description: "alias of webhook_id for the project's three webhooks",
      }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, delivery_id: Type.String() }),
  failures: { no_webhook_address: 0 },
  async handle({ subject, body }, deps) {
    const id = body.webhook_id ?? body.kind
    if (!id) return refuseMember('webhook_id', 'is required: the webhook to send the test to')
    const delivery_id = await testWebhook(deps, subject, id)
    return delivery_id instanceof Refused ? delivery_id : { delivery_id }
  },
})

const keys = endpoint({
  name: 'webhooks.keys',
  summary: 'List webhook signing keys',
  description:
    'Returns the Ed25519 public keys for verifying the `v1a` signature, in the Standard Webhooks format. The first key is in use; a previous one is listed for a week after a rotation, until its `not_after`. Cache the response, and fetch it again when no key matches.',
  method: 'GET',
  path: '/.well-known/webhook-keys.json',
  auth: 'none',
  scope: null,
  response: Type.Object({
    success: shape.Yes,
    keys: Type.Array(
      Type.Object({ id: Type.String(), whpk: Type.String(), not_after: shape.nullable(Type.Integer()) }),
    ),
  }),
  handle: async (_call, deps) => webhookKeys(deps),
})

export const webhooks: readonly Endpoint[] = [list, deliveries, again, test, keys]
