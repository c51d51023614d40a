/** Labels for the outcome and the endpoint of a delivery. */
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../components/badge.tsx'
import { text } from '../../messages/text.ts'
import { type Delivery, KINDS, useWebhooks, type Webhook } from './queries.ts'

const t = text.webhooks
const TONES: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  dropped: 'plain',
}

export function StateBadge({ state }: { state: Delivery['state'] }) {
  return <Badge tone={TONES[state]}>{t.deliveryStates[state]}</Badge>
}

export function AddressName({ id }: { id: string }) {
  return nameOf(id, useWebhooks().data)
}

/** Also handles removed endpoints. */
export function nameOf(id: string, webhooks: readonly Webhook[] | undefined): string {
  const kind = KINDS.find((each) => each === id)
  if (kind !== undefined) return t.kinds[kind]
  const found = webhooks?.find((each) => each.id === id)
  return found?.name ?? (webhooks === undefined ? '–' : t.removedAddress)
}

/** Returns the HTTP status, or the reason why the message did not arrive. */
export function outcomeOf(attempt: Delivery['attempts'][number] | undefined): ReactNode {
  if (attempt === undefined) return '–'
  return attempt.status === null ? (attempt.error ?? '–') : t.answered(attempt.status)
}
