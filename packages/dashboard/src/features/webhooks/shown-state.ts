/**
 * The health to display for an endpoint. Until its first delivery, an endpoint is shown as untried instead of
 * working.
 */
import type { V1WebhooksListResponse } from '@scriptward/sdk'

type Webhook = V1WebhooksListResponse['webhooks'][number]
export type ShownState = Webhook['state'] | 'untried'

export function shownState({ state, last_delivered_at }: Webhook): ShownState {
  return state === 'active' && last_delivered_at === null ? 'untried' : state
}
