/** Labels for a delivery's outcome and endpoint. */
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { when } from '../../lib/when.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { type Delivery, KINDS, useWebhooks, type Webhook } from './queries.ts'

const t = webhooksText
const MINUTE = 60_000
const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  dropped: 'plain',
}

export function StateBadge({ delivery }: { delivery: Delivery }) {
  return <Badge tone={TONES[delivery.state]}>{stateOf(delivery)}</Badge>
}

/** After a failed attempt, shows when the next attempt is due, which is more useful than the state. */
function stateOf({ state, attempts, next_attempt }: Delivery): string {
  const isRetrying = state === 'pending' && attempts.length > 0 && next_attempt !== null
  if (!isRetrying) return t.deliveryStates[state]
  return next_attempt - Date.now() < MINUTE ? t.retryingSoon : t.retrying(when(next_attempt))
}

export function AddressName({ id }: { id: string }) {
  return nameOf(id, useWebhooks().data)
}

/** Also supports endpoints that have been removed. */
export function nameOf(id: string, webhooks: readonly Webhook[] | undefined): string {
  const kind = KINDS.find((each) => each === id)
  if (kind !== undefined) return t.kinds[kind]
  const found = webhooks?.find((each) => each.id === id)
  return found?.name ?? (webhooks === undefined ? '–' : t.removedAddress)
}

/** Returns the HTTP status, or the reason why the message was not delivered. */
export function outcomeOf(attempt: Delivery['attempts'][number] | undefined): ReactNode {
  if (attempt === undefined) return '–'
  return attempt.status === null ? (attempt.error ?? '–') : t.answered(attempt.status)
}
