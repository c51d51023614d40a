/** Merges four paginated lists into one timeline of a user. */
import type { V1UserDenialsListResponse, V1UserExecutionsListResponse } from '@scriptward/sdk'
import type { AuditEntry } from '../../queries/access.ts'
import type { User } from './user.ts'

export type DenialEvent = V1UserDenialsListResponse['denials'][number]
type ExecutionEvent = V1UserExecutionsListResponse['executions'][number]

export type ActivityEvent =
  | { readonly kind: 'execution'; readonly at: number; readonly execution: ExecutionEvent }
  | { readonly kind: 'denial'; readonly at: number; readonly denial: DenialEvent }
  | { readonly kind: 'audit'; readonly at: number; readonly entry: AuditEntry }
  | { readonly kind: 'created' | 'reset'; readonly at: number }

export type Sources = {
  readonly user: User
  readonly executions: readonly ExecutionEvent[]
  readonly denials: readonly DenialEvent[]
  readonly entries: readonly AuditEntry[]
  /** The oldest loaded entry of each incomplete list. Entries older than any of these would leave gaps. */
  readonly ends: readonly number[]
}

/** Returns the events, newest first. */
export function eventsOf({ user, executions, denials, entries, ends }: Sources): ActivityEvent[] {
  const events: ActivityEvent[] = [
    ...executions.map((execution) => ({ kind: 'execution', at: execution.granted_at, execution }) as const),
    ...denials.map((denial) => ({ kind: 'denial', at: denial.last_at, denial }) as const),
    ...entries.map((entry) => ({ kind: 'audit', at: entry.created_at, entry }) as const),
  ]
  // Resets by customers on their own page are not in the audit log.
  if (user.last_reset !== 0 && !entries.some(isReset(user.last_reset)))
    events.push({ kind: 'reset', at: user.last_reset })
  if (!entries.some(({ action }) => action.endsWith('rojectUsers.create')))
    events.push({ kind: 'created', at: user.created_at })
  const from = Math.max(...ends, Number.NEGATIVE_INFINITY)
  return events.filter(({ at }) => at >= from).sort((one, other) => other.at - one.at)
}

const NEAR_MS = 1_000

function isReset(at: number) {
  return ({ action, created_at }: AuditEntry) =>
    /\b(reset|resetAll)$/.test(action) && Math.abs(created_at - at) < NEAR_MS
}
