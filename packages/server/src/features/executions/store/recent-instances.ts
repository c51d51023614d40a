/** Reads a project's newest rows of `instances`. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { InstancesTable } from '../../../database/schema/tables.ts'
import { ENDED_RETENTION_MS } from '../../sessions/store/instances.ts'

type Instance = Selectable<InstancesTable>

export type RecentInstance = {
  readonly seq: number
  readonly id: string
} & Pick<Instance, 'script_id' | 'script_version' | 'user_key' | 'executor' | 'runtime' | 'granted_at'>

/**
 * Rows with a `seq` greater than `after`, or the newest rows without `after`. `now` excludes rows past their
 * retention time.
 */
type Asked = { readonly projectId: string; readonly after: number | undefined; readonly now: number }

function recentOf(db: Queries, { projectId, after, now }: Asked) {
  const all = db
    .selectFrom('instances as i')
    .where('i.project_id', '=', projectId)
    .where('i.expires_at', '>', now - ENDED_RETENTION_MS)
  return after === undefined ? all : all.where('i.seq', '>', after)
}

/** Lists the oldest rows after `after`, or without it the newest rows in descending order. */
export const listRecentInstances = (db: Queries, asked: Asked, limit: number): Promise<RecentInstance[]> =>
  recentOf(db, asked)
    .select([
      'i.seq',
      'i.exec as id',
      'i.script_id',
      'i.script_version',
      'i.user_key',
      'i.executor',
      'i.runtime',
      'i.granted_at',
    ])
    .orderBy('i.seq', asked.after === undefined ? 'desc' : 'asc')
    .limit(limit)
    .execute()

/** Returns the `seq` of the last row granted at or before `before`; undefined if there is none. */
export const findSettledEnd = async (
  db: Queries,
  asked: Asked,
  before: number,
): Promise<number | undefined> => {
  const found = await recentOf(db, asked)
    .select('i.seq')
    .where('i.granted_at', '<=', before)
    .orderBy('i.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.seq
}
