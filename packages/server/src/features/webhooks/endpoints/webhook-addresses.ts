/**
 * Endpoints for a project's additional webhook endpoints: add, edit and remove them, rotate their secrets,
 * and replay missed events.
 */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { addAddress, editAddress, MAX_ADDRESSES, removeAddress, rotateSecret } from '../additional.ts'
import { EVENT_TYPES, type EventType, OF_THE_ADDRESS } from '../events/event-catalog.ts'
import { recoverEvents } from '../resend.ts'
import { Webhook } from './webhook-shapes.ts'

const MAX_SCRIPTS = 100
const CHOSEN = EVENT_TYPES.filter((type) => !OF_THE_ADDRESS.has(type))
const WebhookParams = Type.Object({ project_id: Type.String(), webhook_id: Type.String() })
const WithWebhook = Type.Object({ success: shape.Yes, webhook: Webhook })

const Events = Type.Unsafe<EventType[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', enum: CHOSEN },
  minItems: 1,
  maxItems: CHOSEN.length,
  description: 'event types to send. Null for all types',
  examples: [['user.created', 'user.removed']],
})
const Scripts = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 100 },
  minItems: 1,
  maxItems: MAX_SCRIPTS,
  description:
    "IDs of the scripts whose events to send. Null for all scripts. Events that don't concern a script are always sent",
  examples: [null],
})
const filters = {
  events: Type.Optional(Events),
  scripts: Type.Optional(Scripts),
  enabled: Type.Optional(
    Type.Boolean({ description: 'whether the endpoint receives events. Default: true' }),
  ),
}

const add = endpoint({
  name: 'v1.webhooks.create',
  summary: 'Add a webhook endpoint',
  description: `Adds an endpoint alongside the project's three webhooks, for example for a second receiver. The endpoint receives the events you choose, or all events, signed with its own secret. Each endpoint has its own deliveries and retries, so a failing endpoint does not block the others. A project can have up to ${MAX_ADDRESSES}. Also requires \`users:read\`, because events contain license keys.`,
  example: {
    body: {
      name: 'Shop',
      address: 'https://hooks.shop.example.com/keys',
      events: ['user.created', 'user.removed'],
    },
  },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/new',
  auth: 'project',
  scope: 'webhooks:write',
  params: shape.ProjectParams,
  body: shape.members({ name: shape.Name, address: shape.WebhookAddress, ...filters }),
  response: WithWebhook,
  failures: { too_many_webhooks: 0 },
  async handle({ subject, caller, body }, deps) {
    const webhook = await addAddress(deps, { ...subject, caller }, body)
    return webhook instanceof Refused ? webhook : { webhook }
  },
})

const edit = endpoint({
  name: 'v1.webhooks.edit',
  summary: 'Update a webhook endpoint',
  description:
    'Changes the URL or filters of a custom endpoint, effective with the next event. Fields that are absent are unchanged, and null removes a filter. Saving the URL or setting `enabled` to true resumes a paused endpoint. While `enabled` is false, queued events are dropped and new ones are not stored. Also requires `users:read`.',
  example: { body: { events: ['user.created', 'user.removed', 'user.edited'] } },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/:webhook_id/edit',
  auth: 'project',
  scope: 'webhooks:write',
  params: WebhookParams,
  body: shape.members({
    name: Type.Optional(shape.Name),
    address: Type.Optional(shape.WebhookAddress),
    ...filters,
  }),
  response: WithWebhook,
  failures: { cannot_edit_nothing: 0 },
  async handle({ subject, caller, params, body }, deps) {
    const webhook = await editAddress(deps, { ...subject, caller }, { ...body, id: params.webhook_id })
    return webhook instanceof Refused ? webhook : { webhook }
  },
})

const rotate = endpoint({
  name: 'v1.webhooks.rotate',
  summary: 'Rotate a webhook secret',
  description:
    'Replaces the secret of one of the three webhooks or of a custom endpoint, for example after a leak. With `overlap_ms`, messages are signed with both secrets for up to 24 hours (`webhook-signature` then has two `v1` values), so that you can update the receiver without a gap.',
  example: { body: { overlap_ms: 3_600_000 } },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/:webhook_id/rotate',
  auth: 'project',
  scope: 'webhooks:write',
  params: WebhookParams,
  body: shape.members({ overlap_ms: shape.maybe(shape.Overlap) }),
  response: WithWebhook,
  failures: { no_webhook_address: 0 },
  async handle({ subject, params, body }, deps) {
    const asked = { id: params.webhook_id, overlapMs: body.overlap_ms ?? 0 }
    const webhook = await rotateSecret(deps, subject, asked)
    return webhook instanceof Refused ? webhook : { webhook }
  },
})

const remove = endpoint({
  name: 'v1.webhooks.remove',
  summary: 'Remove a webhook endpoint',
  description:
    "Removes a custom endpoint and drops its queued events. Its deliveries stay listed until they are pruned. To remove one of the project's three webhooks, edit the project.",
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/:webhook_id/remove',
  auth: 'project',
  scope: 'webhooks:write',
  params: WebhookParams,
  response: shape.Done,
  async handle({ subject, params }, deps) {
    return (await removeAddress(deps, subject, params.webhook_id)) ?? {}
  },
})

const recover = endpoint({
  name: 'v1.webhooks.recover',
  summary: 'Replay events',
  description:
    'Resends all events since a given time to an endpoint, for example after an outage or to backfill a new receiver. This includes events that the endpoint never received because it was paused or did not exist yet, if its filters allow them. Event IDs are the same, so receivers can ignore duplicates. At most the latest 5,000 events are sent, or 500 to chat webhooks; `left_out` counts the older ones. The log keeps the last 1,000 events of each endpoint, for at most 30 days. Limited to six requests per minute and endpoint, including tests and resends.',
  example: { body: { since: 1_790_000_000_000, undelivered_only: true } },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/:webhook_id/recover',
  auth: 'project',
  scope: 'webhooks:write',
  cost: 10,
  params: WebhookParams,
  body: shape.members({
    since: shape.milliseconds('time of the oldest event to resend, in Unix milliseconds'),
    undelivered_only: shape.maybe(
      Type.Boolean({ description: 'whether to skip events that were already delivered successfully' }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    recovered: Type.Integer({ description: 'number of events queued' }),
    left_out: Type.Integer({ description: 'number of older events that were not sent' }),
  }),
  failures: { no_webhook_address: 0 },
  handle: ({ subject, params, body }, deps) =>
    recoverEvents(deps, subject, {
      id: params.webhook_id,
      since: body.since,
      undeliveredOnly: body.undelivered_only ?? false,
    }),
})

export const webhookAddresses: readonly Endpoint[] = [add, edit, rotate, remove, recover]
