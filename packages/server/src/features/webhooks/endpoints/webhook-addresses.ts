/** Webhook addresses that a project has beside its three: add, edit, rotate the secret, remove; and sending again what was missed. */
import { Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../api/endpoint.ts'
import { Refused } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import { addAddress, editAddress, MAX_ADDRESSES, removeAddress, rotateSecret } from '../additional.ts'
import { EVENT_TYPES, type EventType, OF_THE_ADDRESS } from '../events/event-catalogue.ts'
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
  description: 'the only events that it gets; null for all',
  examples: [['user.created', 'user.removed']],
})
const Scripts = Type.Unsafe<string[] | null>({
  type: ['array', 'null'],
  items: { type: 'string', maxLength: 100 },
  minItems: 1,
  maxItems: MAX_SCRIPTS,
  description:
    'ids of the only scripts whose events it gets; null for all. Events about no script it gets too.',
  examples: [null],
})
const filters = {
  events: Type.Optional(Events),
  scripts: Type.Optional(Scripts),
  enabled: Type.Optional(Type.Boolean({ description: 'true unless given' })),
}

const add = endpoint({
  name: 'v1.webhooks.create',
  summary: 'Add a webhook address beside the three of the project.',
  description: `For a second receiver: it gets the events that you choose, or all, each signed with a secret of its own, and has deliveries and retries of its own, so one that fails holds no other back. A project has at most ${MAX_ADDRESSES} of them. Needs \`users:read\` too, because events have keys of users.`,
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
  summary: 'Edit an additional webhook address: members that are absent stay; null lifts a filter.',
  description:
    'Changes what an address is sent, or where it leads, from the next event on. Saving the address, or `enabled: true`, ends a pause. `enabled: false` drops what waits and stores nothing until it is true again. Needs `users:read` too.',
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
  summary: 'Give a webhook address another secret.',
  description:
    'For a secret that may be known to others, of one of the three addresses of the project or of an additional one. With `overlap_ms` messages are signed with both for up to a day, so that the receiver can be changed without a gap: `webhook-signature` then has two values `v1`.',
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
  summary: 'Remove an additional webhook address.',
  description:
    'Nothing more is sent to it, and what waits is dropped. Its deliveries stay listed until they are too old. One of the three addresses is removed by an edit of the project.',
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
  summary: 'Send an address again every event since a time, with the same ids.',
  description:
    'For a receiver that was down, lost data or is new. It gets what the log of the project holds since then and its filters let through, also what it never got because it was paused or not there yet. Ids stay, so a receiver that stores ids drops what it knows. At most 5,000 events, the newest, or 500 for an address of the chat platform; `left_out` counts the older ones. The log has the last 1,000 events of each address, for at most 30 days. Six a minute for one address, tests and redeliveries included.',
  example: { body: { since: 1_790_000_000_000, undelivered_only: true } },
  method: 'POST',
  path: '/v1/projects/:project_id/webhooks/:webhook_id/recover',
  auth: 'project',
  scope: 'webhooks:write',
  cost: 10,
  params: WebhookParams,
  body: shape.members({
    since: shape.Milliseconds,
    undelivered_only: shape.maybe(
      Type.Boolean({ description: 'true leaves out what the address has answered with success' }),
    ),
  }),
  response: Type.Object({
    success: shape.Yes,
    recovered: Type.Integer({ description: 'how many events are on their way' }),
    left_out: Type.Integer({ description: 'older events since then that are not sent' }),
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
