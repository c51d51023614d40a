/**
 * Counts the contents of projects. The counts read several tables, so they are not in any single table's
 * file.
 */
import { sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'

export type ProjectCounts = {
  readonly users: number
  readonly scripts: number
  readonly open_errors: number
  readonly recent_runs: number
}

/**
 * Counts the contents of each of these projects. `recent_runs` are the runs granted in the hours that begin
 * after `since`. The user count is stored in the project's row. Every other count reads one range of an
 * index.
 */
export const listProjectCounts = async (
  db: Queries,
  ids: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, ProjectCounts>> => {
  const given = dialectOf(db).rowsFrom(JSON.stringify(ids.map((id) => [id])), [['id', 'text']])
  const { rows } = await sql<ProjectCounts & { readonly id: string }>`select p.id, p.total_users as users,
      (select count(*) from scripts as s where s.project_id = p.id) as scripts,
      (select count(*) from error_groups as g where g.project_id = p.id and g.state = 'open') as open_errors,
      (select cast(coalesce(sum(o.count), 0) as bigint) from outcomes as o where o.project_id = p.id
        and o.script_id = '' and o.step = 'hour' and o.at > ${since} and o.outcome = 'granted') as recent_runs
    from projects as p where p.id in (select given.id from ${given} as given)`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}
