/** Queries that count the activity of many scripts in a project at once. */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'

/** In `version_health`, rows with an empty executor count all executors. */
const ALL_EXECUTORS = ''

export type ScriptDay = {
  readonly script_id: string
  readonly day: number
  readonly runs: number
  readonly crashed: number
  readonly denied: number
}

/** Adds up the runs of all versions by script and day (UTC, days since 1970), oldest first. */
export const listScriptDays = async (
  db: Queries,
  ids: readonly string[],
  from: number,
): Promise<ScriptDay[]> => {
  // PostgreSQL does not accept an empty list in an `in` condition.
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('script_versions as v')
    .innerJoin('version_health as h', (join) =>
      join.onRef('h.script_id', '=', 'v.script_id').onRef('h.version', '=', 'v.version'),
    )
    .select(['h.script_id', 'h.day'])
    .select((e) => [
      e.fn.sum<number>('h.runs').as('runs'),
      e.fn.sum<number>('h.crashed').as('crashed'),
      e.fn.sum<number>('h.denied').as('denied'),
    ])
    .where('v.script_id', 'in', ids)
    .where('h.executor', '=', ALL_EXECUTORS)
    .where('h.day', '>=', from)
    .groupBy(['h.script_id', 'h.day'])
    .orderBy('h.day')
    .execute()
  return rows.map(({ script_id, day, runs, crashed, denied }) => ({
    ...{ script_id, day },
    ...{ runs: Number(runs), crashed: Number(crashed), denied: Number(denied) },
  }))
}

/** Counts the runs in progress by script. */
export const countRunning = async (
  db: Queries,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, number>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('instances')
    .select(['script_id', sql<number>`count(*)`.as('count')])
    .where('script_id', 'in', ids)
    .where('expires_at', '>', now)
    .where('kick', 'is', null)
    .groupBy('script_id')
    .execute()
  return new Map(rows.map(({ script_id, count }) => [script_id, Number(count)]))
}

/** Lists when and how the active version of each script was built. */
export const listActiveVersions = async (db: Queries, ids: readonly string[]) => {
  if (ids.length === 0) return []
  return db
    .selectFrom('scripts as s')
    .innerJoin('script_versions as v', (join) =>
      join.onRef('v.script_id', '=', 's.id').onRef('v.version', '=', 's.version'),
    )
    .select(['v.script_id', 'v.preset', 'v.created_at', 'v.source_bytes'])
    .where('s.id', 'in', ids)
    .execute()
}
