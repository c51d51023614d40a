/**
 * Replays events since a point in time to an endpoint whose receiver is new or was down. Events keep their
 * IDs.
 */

import { Refused, refuse } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import type { ProjectRow } from '../projects/store/projects.ts'
import { addressOf, findOwnWebhook, formatOf, limitSending } from './addresses.ts'
import { EVENT_TYPES, events, OF_THE_ADDRESS } from './events/event-catalog.ts'
import {
  countRecoverableEvents,
  insertMissedEvents,
  type Recovery,
  updateRecoveredEvents,
} from './store/outbox-recovery.ts'
import { updateWebhookTried, type WebhookRow } from './store/webhooks.ts'

export type RecoveryAsked = {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly since: number
  readonly undeliveredOnly: boolean
}
/** `left_out` is the number of older events in this period that exceed the limit of one replay. */
export type Recovered = { readonly recovered: number; readonly left_out: number }

/**
 * Maximum number of events per replay. It is low enough that a replay alone never overflows an endpoint's
 * pending events.
 */
const MOST = { generic: 5000, chat: 500 } as const

export async function recoverEvents(
  deps: Deps,
  { project }: { readonly project: ProjectRow },
  { id, since, undeliveredOnly }: RecoveryAsked,
): Promise<Recovered | Refused<'not_found' | 'no_webhook_address' | 'rate_limited'>> {
  const row = await findOwnWebhook(deps, project, id)
  if (row instanceof Refused) return row
  const limited = await limitSending(deps, project, row)
  if (limited) return limited
  const most = MOST[formatOf(deps, addressOf(deps, project, row))]
  const filters = { types: typesFor(row), scripts: listOf(row.scripts) }
  const recovery = { project_id: project.id, kind: row.kind, since, undeliveredOnly, most, ...filters }
  const now = deps.now()
  return deps.db.transaction(async (tx) => {
    if (!(await updateWebhookTried(tx, project.id, row.kind))) return refuse('no_webhook_address')
    await insertMissedEvents(tx, recovery, now)
    const found = await countRecoverableEvents(tx, recovery)
    const recovered = await updateRecoveredEvents(tx, recovery, now)
    deps.annotateAudit({ count: recovered })
    return { recovered, left_out: found - recovered }
  })
}

/** Excludes tests and counts of dropped events, which concern only the endpoint that they were sent to. */
function typesFor({ kind, events: chosen }: WebhookRow): Recovery['types'] {
  const all = EVENT_TYPES.filter((type) => !OF_THE_ADDRESS.has(type))
  if (!kind.startsWith('whk_')) return all.filter((type) => events[type].kind === kind)
  return listOf(chosen) ?? all
}

function listOf(json: string | null): readonly string[] | null {
  return json === null ? null : JSON.parse(json)
}
