/** Deletes log rows that are older than the retention period of their account's service tier. */
import type { Deps } from '../../../deps.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { findLogDays } from '../../accounts/store/tiers.ts'
import { DEFAULT_LOG_DAYS } from '../../accounts/tiers.ts'
import { deleteOldLogRows, findNextLoggedProject } from '../store/execution-log.ts'

const DAY_MS = 86_400_000
/** In a tier, this value means unlimited. */
const FOREVER = -1
const EVERY_MS = 600_000
/** Limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 200

export function pruneLog({ db }: Pick<Deps, 'db'>, clock: () => number): Worker {
  return {
    name: 'prune-log',
    everyMs: EVERY_MS,
    async run(signal) {
      let project = await findNextLoggedProject(db.read, '')
      for (
        ;
        project !== undefined && !signal.aborted;
        project = await findNextLoggedProject(db.read, project)
      )
        await pruneProject(db, project, clock(), signal)
      return false
    },
  }
}

/** The log of a deleted project is kept for the default period. */
async function pruneProject(
  db: Deps['db'],
  project: string,
  now: number,
  signal: AbortSignal,
): Promise<void> {
  const days = (await findLogDays(db.read, project)) ?? DEFAULT_LOG_DAYS
  if (days === FOREVER) return
  const before = now - days * DAY_MS
  while (!signal.aborted) {
    const deleted = await db.transaction((tx) => deleteOldLogRows(tx, project, before, BATCH_SIZE))
    if (deleted < BATCH_SIZE) return
  }
}
