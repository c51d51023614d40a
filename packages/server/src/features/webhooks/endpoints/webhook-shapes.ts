/** A webhook endpoint as `/v1` returns it. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import type { WebhookResource } from '../addresses.ts'
import { type Viewer, visibleAddress } from '../events/visible-address.ts'

const KINDS = ['execution', 'information', 'blacklist', 'additional'] as const
export const Kind = Type.Unsafe<(typeof KINDS)[number]>({
  type: 'string',
  enum: [...KINDS],
  description: 'one of the three webhooks of the project, or additional',
})
export const WebhookId = Type.String({
  maxLength: 64,
  description: 'ID of an additional endpoint, or one of execution, information and blacklist',
})

export const Webhook = shape.named('Webhook', {
  id: WebhookId,
  kind: Kind,
  name: shape.nullable(Type.String({ description: 'name of an additional endpoint' })),
  address: Type.String({
    description: 'URL. Without webhooks:write, it is truncated to the host and first path segment',
    examples: ['https://discord.com/api/•••'],
  }),
  format: Type.String({ enum: ['generic', 'chat'] }),
  enabled: Type.Boolean({
    description: 'whether the endpoint receives events; false only lets through tests and resent events',
  }),
  events: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description:
      'event types sent to the endpoint; null for all. The three webhooks of the project receive the events of their kind',
    examples: [['user.created', 'user.removed']],
  }),
  scripts: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description: 'scripts whose events are sent; null for all. Events that concern no script are always sent',
    examples: [null],
  }),
  state: Type.String({
    enum: ['active', 'failing', 'paused', 'disabled'],
    description:
      'delivery state. active: no recent failures, or nothing delivered yet if last_delivered_at is null. paused: five days without success, retried once a day. disabled: the receiver responded that it is gone. Saving the URL resets both',
  }),
  failures: Type.Integer({ description: 'number of failures in a row' }),
  failing_since: shape.nullable(Type.Integer()),
  paused_at: shape.nullable(Type.Integer()),
  last_delivered_at: shape.nullable(
    Type.Integer({
      description: 'time of the last successful delivery since the URL was saved; null for none',
    }),
  ),
  waiting: Type.Integer({ description: 'number of queued events, counted up to 10,000' }),
  secret: shape.nullable(
    Type.String({
      description: 'secret for the v1 signature; null for callers without webhooks:write',
    }),
  ),
  old_secret_until: shape.nullable(
    Type.Integer({ description: 'time until which the previous secret also signs messages' }),
  ),
})

/** Hides the secret from readers, who could otherwise forge signed events. */
export function visibleWebhook(webhook: WebhookResource, viewer: Viewer): WebhookResource {
  if (viewer.scopes.has('webhooks:write')) return webhook
  return { ...webhook, secret: null, address: visibleAddress(webhook.address, viewer) }
}
