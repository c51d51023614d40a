/** Reads the logged runs that a release is compared with. */
import type { Queries } from '../../../database/engine/db.ts'

type Recent = {
  readonly script_id: string
  readonly version: number
  /** Includes only runs that started after this time. */
  readonly after: number
  readonly limit: number
}

/** Lists a version's latest granted runs, oldest first, with the user columns that determine the channel. */
export const listRecentRuns = async (tx: Queries, { script_id, version, after, limit }: Recent) => {
  const newest = await tx
    .selectFrom('execution_log as l')
    .leftJoin('users as u', 'u.key', 'l.user_key')
    .select(['l.user_key', 'l.device', 'l.exec', 'l.executor', 'l.outcome', 'u.tags', 'u.plan_id'])
    .where('l.script_id', '=', script_id)
    .where('l.script_version', '=', version)
    .where('l.at', '>', after)
    .where('l.outcome', '<>', 'denied')
    .orderBy('l.at', 'desc')
    .orderBy('l.seq', 'desc')
    .limit(limit)
    .execute()
  return newest.reverse()
}
