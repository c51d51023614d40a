/** All queries on the `hub_targets` table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { HubTargetsTable } from '../../../database/schema/hub-tables.ts'

type HubTargetRow = Selectable<HubTargetsTable>
export type TargetKind = HubTargetRow['kind']
export type Target = Pick<HubTargetRow, 'kind' | 'target_id'>

/** The `any` game, which marks a project's default script. */
export const ANY = 'any'

const matching = prepared((db, p: { project_id: string; place: string; game: string }) =>
  db
    .selectFrom('hub_targets')
    .select(['kind', 'target_id', 'script_id'])
    .where('project_id', '=', p.project_id)
    .where((e) =>
      e.or([
        e.and([e('kind', '=', 'place'), e('target_id', '=', p.place)]),
        e.and([e('kind', '=', 'game'), e('target_id', '=', p.game)]),
        e.and([e('kind', '=', 'game'), e('target_id', '=', ANY)]),
      ]),
    ),
)
/** Lists at most three rows: the script for the place, the script for the game, and the default script. */
export const listMatching = (
  db: Queries,
  asked: { readonly project_id: string; readonly place: string; readonly game: string },
) => matching.all(db, asked)
export type MatchingRow = Awaited<ReturnType<typeof listMatching>>[number]

/** Returns whether the project has any target besides its default script. */
export const hasGames = async (db: Queries, projectId: string): Promise<boolean> => {
  const row = await db
    .selectFrom('hub_targets')
    .select('script_id')
    .where('project_id', '=', projectId)
    .where('target_id', '<>', ANY)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the names of the first enabled scripts with targets, and how many such scripts there are. */
export const listSupported = async (
  db: Queries,
  projectId: string,
  limit: number,
): Promise<{ readonly names: string[]; readonly total: number }> => {
  const rows = await db
    .selectFrom('scripts')
    .select(['name', (e) => e.fn.countAll<number>().over().as('total')])
    .where('project_id', '=', projectId)
    .where('enabled', '=', 1)
    .where((e) =>
      e.exists(
        e.selectFrom('hub_targets').select('kind').whereRef('hub_targets.script_id', '=', 'scripts.id'),
      ),
    )
    .orderBy('seq')
    .limit(limit)
    .execute()
  return { names: rows.map(({ name }) => name), total: Number(rows[0]?.total ?? 0) }
}

/** Lists all targets of a project with their scripts, in the order the scripts were created. */
export const listProjectTargets = (db: Queries, projectId: string) =>
  db
    .selectFrom('hub_targets')
    .innerJoin('scripts', 'scripts.id', 'hub_targets.script_id')
    .select(['hub_targets.kind', 'hub_targets.target_id', 'scripts.id', 'scripts.name', 'scripts.enabled'])
    .where('hub_targets.project_id', '=', projectId)
    .orderBy('scripts.seq')
    .execute()

export const listScriptTargets = (db: Queries, scriptId: string): Promise<Target[]> =>
  db.selectFrom('hub_targets').select(['kind', 'target_id']).where('script_id', '=', scriptId).execute()

type Wanted = { readonly project_id: string; readonly script_id: string; readonly kind: TargetKind }

/** If one of these targets belongs to another script of the project, returns the target and that script. */
export const findTaken = (tx: Queries, { project_id, script_id, kind }: Wanted, ids: readonly string[]) =>
  tx
    .selectFrom('hub_targets')
    .innerJoin('scripts', 'scripts.id', 'hub_targets.script_id')
    .select(['hub_targets.target_id', 'scripts.id', 'scripts.name'])
    .where('hub_targets.project_id', '=', project_id)
    .where('hub_targets.kind', '=', kind)
    .where('hub_targets.target_id', 'in', ids)
    .where('hub_targets.script_id', '<>', script_id)
    .orderBy('hub_targets.target_id')
    .limit(1)
    .executeTakeFirst()

export const replaceTargets = async (tx: Queries, wanted: Wanted, ids: readonly string[]): Promise<void> => {
  const { script_id, kind } = wanted
  await tx.deleteFrom('hub_targets').where('script_id', '=', script_id).where('kind', '=', kind).execute()
  if (ids.length === 0) return
  await tx
    .insertInto('hub_targets')
    .values(ids.map((target_id) => ({ ...wanted, target_id })))
    .execute()
}
