import type { Queries } from '../../database/engine/db.ts'
import type { Deps } from '../../deps.ts'
import type { EventData } from '../webhooks/events/event-catalog.ts'
import { addEvent } from '../webhooks/events/events.ts'

/** Sends one event for all removed users, or none if no user was removed. */
export async function reportRemoval(
  tx: Queries,
  deps: Pick<Deps, 'now' | 'random' | 'secrets'>,
  projectId: string,
  data: EventData['users.removed'],
): Promise<void> {
  if (data.count > 0) await addEvent(tx, deps, { type: 'users.removed', project_id: projectId, data })
}
