/** Deletes the counts of removed scripts, and of old versions that no customers get. */
import type { Deps } from '../../deps.ts'
import type { Worker } from '../../jobs/worker.ts'
import { servedVersions } from '../releases/customer-version.ts'
import { findNewestVersion } from '../scripts/store/script-versions.ts'
import { findServing } from '../scripts/store/scripts.ts'
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
  const script = await findServing(db.read, script_id)
  const kept = script === undefined ? [] : servedVersions(script)
  const newest = await findNewestVersion(db.read, script_id)
  const before = script === undefined ? MAX_VERSION + 1 : newest - MAX_VERSIONS + 1
  for (const table of ['version_customers', 'version_health'] as const)
    while (!signal.aborted) {
      const old = { script_id, before, kept, limit: BATCH_SIZE }
      if ((await db.transaction((tx) => deleteOldVersions(tx, table, old))) < BATCH_SIZE) break
    }
}
