/** Deletes the counts of removed scripts, and of versions that are too old to be listed. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { findNewestVersion } from '../scripts/store/script-versions.ts'
import { findScriptName } from '../scripts/store/scripts.ts'
import { MAX_VERSIONS } from './health.ts'
import { deleteOldVersions, findNextCountedScript } from './store/version-health.ts'

const EVERY_MS = 3_600_000
const MAX_VERSION = 2_147_483_646
/** Limits how long a transaction blocks SQLite's writer. */
const BATCH_SIZE = 500

export function pruneHealth({ db }: Pick<Deps, 'db'>): Worker {
  return {
    name: 'prune-health',
    everyMs: EVERY_MS,
    async run(signal) {
      let script = await findNextCountedScript(db.read, '')
      for (; script !== undefined && !signal.aborted; script = await findNextCountedScript(db.read, script))
        await pruneScript(db, script, signal)
      return false
    },
  }
}

async function pruneScript(db: Deps['db'], script_id: string, signal: AbortSignal): Promise<void> {
  const isRemoved = (await findScriptName(db.read, script_id)) === undefined
  const newest = await findNewestVersion(db.read, script_id)
  const before = isRemoved ? MAX_VERSION + 1 : newest - MAX_VERSIONS + 1
  for (const table of ['version_customers', 'version_health'] as const)
    while (!signal.aborted) {
      const old = { script_id, before, limit: BATCH_SIZE }
      if ((await db.transaction((tx) => deleteOldVersions(tx, table, old))) < BATCH_SIZE) break
    }
}
