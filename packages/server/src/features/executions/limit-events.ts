/**
 * Reports to webhooks when a key is denied because it reached a limit, at most once a day per key and limit.
 */
import type { DenialReason } from '@scriptward/client/messages'
import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import { deviceTermsOf } from '../key-validity/terms.ts'
import { noteLimit } from '../keys/store/limit-notices.ts'
import type { UserRow } from '../keys/store/users.ts'
import { findPlanOf, type PlanRow } from '../plans/store.ts'
import type { Limit } from '../webhooks/events/end-events.ts'
import { addEvent, eventUser } from '../webhooks/events/events.ts'

const DAY_MS = 86_400_000

const LIMIT_OF: Readonly<Partial<Record<DenialReason, Limit>>> = {
  max_executions: 'max_executions',
  quota_spent: 'quota',
  max_instances: 'max_instances',
  fingerprint_mismatch: 'max_devices',
}

export async function reportMetLimit(
  tx: Queries,
  deps: Pick<Deps, 'now' | 'random' | 'secrets'>,
  user: UserRow,
  reason: DenialReason,
): Promise<void> {
  const limit = LIMIT_OF[reason]
  if (limit === undefined) return
  const most = mostOf(limit, user, await findPlanOf(tx, user))
  if (most === null) return
  const { project_id } = user
  const notice = { user_seq: user.seq, kind: limit, day: Math.floor(deps.now() / DAY_MS) }
  if (!(await noteLimit(tx, project_id, notice))) return
  const data = { user: eventUser(user), actor: 'service', limit, most } as const
  await addEvent(tx, deps, { type: 'user.limit_reached', project_id, data })
}

/**
 * Null if the limit was removed, or if the key allows only one device, in which case denying a second device
 * is expected and not worth an event.
 */
function mostOf(limit: Limit, user: UserRow, plan: PlanRow | null): number | null {
  if (limit === 'quota') return plan?.quota_count ?? null
  if (limit === 'max_executions') return user.max_executions ?? plan?.max_executions ?? null
  if (limit === 'max_instances') return user.max_instances ?? plan?.max_instances ?? null
  const { most } = deviceTermsOf(user, plan)
  return most > 1 ? most : null
}
