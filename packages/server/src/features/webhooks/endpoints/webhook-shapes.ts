/** A webhook address as `/v1` shows it. */
import { Type } from 'typebox'
import * as shape from '../../../api/shapes.ts'
import type { WebhookResource } from '../addresses.ts'
import { type Viewer, visibleAddress } from '../events/visible-address.ts'

const KINDS = ['execution', 'information', 'blacklist', 'additional'] as const
export const Kind = Type.Unsafe<(typeof KINDS)[number]>({
  type: 'string',
  enum: [...KINDS],
  description: 'which of the three that are members of the project, or additional',
})
export const WebhookId = Type.String({
  maxLength: 64,
  description: 'execution, information, blacklist, or the id of an additional address',
})

export const Webhook = shape.named('Webhook', {
  id: WebhookId,
  kind: Kind,
  name: shape.nullable(Type.String({ description: 'of an additional address' })),
  address: Type.String({
    description: 'callers without webhooks:write see host and first part of the path only',
    examples: ['https://discord.com/api/•••'],
  }),
  format: Type.String({ enum: ['generic', 'chat'] }),
  enabled: Type.Boolean({ description: 'false: it gets no events, except tests and what is sent again' }),
  events: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description: 'the only events that it gets; null for all. The three get those of their kind.',
    examples: [['user.created', 'user.removed']],
  }),
  scripts: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description: 'the only scripts whose events it gets; null for all. Events about no script it gets too.',
    examples: [null],
  }),
  state: Type.String({
    enum: ['active', 'failing', 'paused', 'disabled'],
    description:
      'active: nothing failed lately; nothing was delivered yet while last_delivered_at is null. paused: five days without success, tried once a day; disabled: the receiver said that it is gone. Saving the address ends both.',
  }),
  failures: Type.Integer({ description: 'in a row' }),
  failing_since: shape.nullable(Type.Integer()),
  paused_at: shape.nullable(Type.Integer()),
  last_delivered_at: shape.nullable(
    Type.Integer({
      description: 'when the receiver last took something, since the address was saved; null if never',
    }),
  ),
  waiting: Type.Integer({ description: 'events that wait for it, counted up to 10000' }),
  secret: shape.nullable(
    Type.String({
      description: 'for the signature v1; null for callers without webhooks:write',
    }),
  ),
  old_secret_until: shape.nullable(
    Type.Integer({ description: 'until then the secret before the last rotation signs too' }),
  ),
})

/** Who only reads would otherwise be able to sign events, and to send what looks like one. */
export function visibleWebhook(webhook: WebhookResource, viewer: Viewer): WebhookResource {
  if (viewer.scopes.has('webhooks:write')) return webhook
  return { ...webhook, secret: null, address: visibleAddress(webhook.address, viewer) }
}
