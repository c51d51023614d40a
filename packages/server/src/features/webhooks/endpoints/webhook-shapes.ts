/** A webhook endpoint in the form that `/v1` returns. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import type { WebhookResource } from '../addresses.ts'
import { type Viewer, visibleAddress } from '../events/visible-address.ts'

const KINDS = ['execution', 'information', 'blacklist', 'additional'] as const
export const Kind = Type.Unsafe<(typeof KINDS)[number]>({
  type: 'string',
  enum: [...KINDS],
  description: "one of the project's three webhooks, or additional for a custom endpoint",
})
export const WebhookId = Type.String({
  maxLength: 64,
  description: 'ID of a custom endpoint, or one of execution, information and blacklist',
})

export const Webhook = shape.named('Webhook', {
  id: WebhookId,
  kind: Kind,
  name: shape.nullable(Type.String({ description: 'custom endpoint name' })),
  address: Type.String({
    description: 'URL. Without webhooks:write, it is truncated to the host and first path segment',
    examples: ['https://discord.com/api/•••'],
  }),
  format: Type.String({ enum: ['generic', 'chat'] }),
  enabled: Type.Boolean({
    description: 'whether the endpoint receives events. If false, it only receives tests and resent events',
  }),
  events: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description:
      "event types sent to the endpoint. Null if it receives all types. The project's three webhooks receive the events of their kind",
    examples: [['user.created', 'user.removed']],
  }),
  scripts: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description:
      "IDs of the scripts whose events are sent. Null if events of all scripts are sent. Events that don't concern a script are always sent",
    examples: [null],
  }),
  state: Type.String({
    enum: ['active', 'failing', 'paused', 'disabled'],
    description:
      'delivery state. active: deliveries succeed, or none has been made yet if last_delivered_at is null. failing: the last delivery failed. paused: no delivery has succeeded for five days, so the endpoint is only retried once a day. disabled: the receiver responded that it is gone. To resume a paused or disabled endpoint, save its URL again',
  }),
  failures: Type.Integer({ description: 'number of consecutive failures' }),
  failing_since: shape.nullable(Type.Integer()),
  paused_at: shape.nullable(Type.Integer()),
  last_delivered_at: shape.nullable(
    Type.Integer({
      description: 'time of the last successful delivery since the URL was saved. Null if there was none',
    }),
  ),
  waiting: Type.Integer({ description: 'number of queued events, counted up to 10,000' }),
  secret: shape.nullable(
    Type.String({
      description: 'secret for the v1 signature. Null if the caller lacks webhooks:write',
    }),
  ),
  old_secret_until: shape.nullable(
    Type.Integer({ description: 'time until which messages are also signed with the previous secret' }),
  ),
})

/** Hides the secret from callers who can only read, because they could forge signed events with it. */
export function visibleWebhook(webhook: WebhookResource, viewer: Viewer): WebhookResource {
  if (viewer.scopes.has('webhooks:write')) return webhook
  return { ...webhook, secret: null, address: visibleAddress(webhook.address, viewer) }
}
