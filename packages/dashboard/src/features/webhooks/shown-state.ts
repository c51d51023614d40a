/** How an address does, as it is shown: one that nothing was sent to yet does not count as one that works. */
import type { V1WebhooksListResponse } from '@scriptward/sdk'

type Webhook = V1WebhooksListResponse['webhooks'][number]
export type ShownState = Webhook['state'] | 'untried'

export function shownState({ state, last_delivered_at }: Webhook): ShownState {
  return state === 'active' && last_delivered_at === null ? 'untried' : state
}
