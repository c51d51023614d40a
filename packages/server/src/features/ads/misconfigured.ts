/** Notifies owners immediately when a provider rejects their settings, but at most once an hour. */
import type { Deps } from '../../deps.ts'
import { addEvent } from '../webhooks/events/events.ts'
import { type AdCheckpointRow, updateAdCheckpoint } from './store/ad-checkpoints.ts'
import { findVisitedAdSystem } from './store/ad-systems.ts'

const HOUR_MS = 3_600_000
/** How long the step stays closed after a rejection. */
const PAUSE_MS = 600_000

export async function reportMisconfigured(deps: Deps, { id, system_id }: AdCheckpointRow): Promise<void> {
  const now = deps.now()
  await deps.db.transaction(async (tx) => {
    const row = await updateAdCheckpoint(tx, system_id, id, { misconfigured_at: now })
    if (!row || now - (row.misconfigured_told ?? 0) < HOUR_MS) return
    const system = await findVisitedAdSystem(tx, system_id)
    if (!system) return
    await updateAdCheckpoint(tx, system_id, id, { misconfigured_told: now })
    const data = {
      system: { id: system.id, name: system.name },
      checkpoint: { id: row.id, name: row.name, index: row.index, provider: row.provider },
    }
    await addEvent(tx, deps, { type: 'ads.misconfigured', project_id: system.project_id, data })
  })
}

export function isMisconfigured({ misconfigured_at }: AdCheckpointRow, now: number): boolean {
  return misconfigured_at !== null && now - misconfigured_at < PAUSE_MS
}
