/** How a delivery went, in a word. */
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { text } from '../../text/text.ts'
import type { Delivery } from './queries.ts'

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

/** In short: the status, else what kept the message from arriving. */
export function outcomeOf(attempt: Delivery['attempts'][number] | undefined): ReactNode {
  if (attempt === undefined) return '–'
  return attempt.status === null ? (attempt.error ?? '–') : t.answered(attempt.status)
}
