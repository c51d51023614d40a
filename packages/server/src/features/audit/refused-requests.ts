/** Audit entries for denied requests: one per sender, operation and hour, with a count. */

import { newId } from '../../api/ids.ts'
import type { Reason } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { Keyed } from './mac.ts'
import { countLater, networkFor, writeEntry } from './record.ts'
import type { Counted } from './refused-counter.ts'

/** Errors caused by a missing permission. */
export const DENIALS: ReadonlySet<Reason> = new Set([
  ...(['forbidden', 'network_not_allowed', 'path_key_closed', 'second_factor_needed'] as const),
  ...(['owners_only', 'beyond_own_rights'] as const),
])

type Writing = Keyed & Pick<Deps, 'config' | 'db' | 'now' | 'random' | 'refusedRequests'>

/** Writes the counts that changed since the last call. */
export function writeRefusedRequests(deps: Writing): Promise<void> {
  return deps.refusedRequests.inTurn(() => writeAll(deps))
}

async function writeAll(deps: Writing): Promise<void> {
  for (const counted of deps.refusedRequests.unwritten(deps.now())) {
    const { count, id } = counted
    if (id === undefined) counted.id = await writeRefused(deps, counted)
    else await countLater(deps, id, count)
    counted.written = count
  }
}

async function writeRefused(deps: Writing, { first, at, count }: Counted): Promise<string> {
  const { customerId, actor, operation, reason, address, requestId } = first
  const id = newId('aud', at, deps.random)
  await deps.db.transaction((tx) =>
    writeEntry(tx, deps, {
      id,
      customer_id: customerId,
      created_at: at,
      ...{ actor_kind: actor.kind, actor_id: actor.id, actor_name: actor.name },
      network: networkFor(deps, address),
      request_id: requestId,
      action: 'refused',
      nouns: '{}',
      changes: JSON.stringify({ operation: { after: operation }, reason: { after: reason } }),
      count,
    }),
  )
  return id
}
