/** Webhooks of a project: health, deliveries, redelivery, a test; and the public keys. Addresses are managed in `webhook-addresses.ts`. */
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
  answer: shape.nullable(Type.String({ description: 'the first 200 characters' })),
  error: shape.nullable(Type.String()),
})

const Delivery = shape.named('Delivery', {
  id: Type.String({ description: 'that of the event, and for an additional address a dot and its id' }),
  event_id: Type.String({ description: 'sent as webhook-id' }),
  webhook_id: WebhookId,
  kind: Kind,
  type: Type.String(),
  state: State,
  created_at: Type.Integer(),
  next_attempt: shape.nullable(Type.Integer()),
  body: shape.nullable(
    Type.String({
      description:
        'what is sent, as JSON in a text; an address of the chat platform gets the same as an embed. Null for callers without users:read, because it has keys of users',
      examples: ['{"type":"webhook.test","timestamp":"2026-01-02T03:04:05.678Z","id":"evt_…","version":1,…}'],
    }),
  ),
  attempts: Type.Array(Attempt),
})

const list = endpoint({
  name: 'v1.webhooks.list',
  summary: 'The webhook addresses of a project and their health.',
  description:
    'The three addresses that are members of the project, as far as they are set, then the additional ones: what each is sent, whether it works, since when not, and how many events wait for it. An address without success for five days is paused, and one that answered 410 is disabled; saving it again ends both. Callers without `webhooks:write` see no secret, and of an address the host and the first part of its path.',
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
  summary: 'Events that were or will be sent, newest first, with every attempt.',
  description:
    'The log of the last 1,000 events of each address, for at most 30 days: what was sent, to where, what came back and when the next attempt is. Filter by `state`, by `type` of the event or by `webhook_id`. Addresses are masked as in the list of addresses.',
  method: 'GET',
  path: '/v1/projects/:project_id/webhooks/deliveries',
  auth: 'project',
  scope: 'webhooks:read',
  params: shape.ProjectParams,
  query: shape.members({
    ...shape.CursorPage.properties,
    limit: shape.maybe(Type.Integer({ minimum: 0, maximum: 1000, description: '100 unless given' })),
    state: Type.Optional(Type.Unsafe<State | null>({ ...STATES, type: ['string', 'null'] })),
    type: shape.maybe(Type.String({ maxLength: 100, description: 'such as execution.granted' })),
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
  summary: 'Send an event again, whatever its state, with the same id.',
  description:
    'For a receiver that was down or had a fault: the event is sent again now with the same id, so that a receiver that knows ids does not count it twice. It goes to the same webhook, at the address that it has now.',
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
  summary: 'Send a test to one of the addresses, even when it is paused; the delivery shows the outcome.',
  description:
    'Sends the event `webhook.test` now, so that you can see whether an address works without waiting for something to happen. Look at the outcome under `deliveries` with the id of the answer. Six a minute for one address, redeliveries included.',
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
        description: 'the same as webhook_id for one of the three',
      }),
    ),
  }),
  response: Type.Object({ success: shape.Yes, delivery_id: Type.String() }),
  failures: { no_webhook_address: 0 },
  async handle({ subject, body }, deps) {
    const id = body.webhook_id ?? body.kind
    if (!id) return refuseMember('webhook_id', 'must say which address gets the test')
    const delivery_id = await testWebhook(deps, subject, id)
    return delivery_id instanceof Refused ? delivery_id : { delivery_id }
  },
})

const keys = endpoint({
  name: 'webhooks.keys',
  summary: 'Public keys of the signature v1a, in the form of Standard Webhooks.',
  description:
    'Your receiver verifies the signature `v1a` with these Ed25519 keys. The first is in use; a former one stays for a week after a rotation, until its `not_after`. Keep the answer, and fetch it again when no key fits.',
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
