/** Deletes the customer counts of ended releases. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { deleteReleaseCustomers, findNextCountedRelease } from './store/release-customers.ts'
import { isReleaseOpen } from './store/releases.ts'

const EVERY_MS = 600_000
/** Maximum number of rows per transaction, which limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 500

export function pruneReleases({ db }: Pick<Deps, 'db'>): Worker {
  return {
    name: 'prune-releases',
    everyMs: EVERY_MS,
    async run(signal) {
      let id = await findNextCountedRelease(db.read, '')
      for (; id !== undefined && !signal.aborted; id = await findNextCountedRelease(db.read, id))
        if (!(await isReleaseOpen(db.read, id))) await deleteAll(db, id, signal)
      return false
    },
  }
}

async function deleteAll(db: Deps['db'], id: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    if ((await db.transaction((tx) => deleteReleaseCustomers(tx, id, BATCH_SIZE))) < BATCH_SIZE) return
}
