/** All queries on the `hub_demand` table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { deleteOldest } from '../../../database/engine/delete-oldest.ts'
import type { HubDemandTable } from '../../../database/schema/hub-tables.ts'

type DemandRow = Selectable<HubDemandTable>

/** Lists the games that have a row, including the row for all games beyond the limit. */
export const listGamesOfDay = (
  tx: Queries,
  { project_id, day }: Pick<DemandRow, 'project_id' | 'day'>,
): Promise<Pick<DemandRow, 'place_id' | 'game_id'>[]> =>
  tx
    .selectFrom('hub_demand')
    .select(['place_id', 'game_id'])
    .where('project_id', '=', project_id)
    .where('day', '=', day)
    .execute()

export const addDemand = async (tx: Queries, rows: readonly DemandRow[]): Promise<void> => {
  await tx
    .insertInto('hub_demand')
    .values([...rows])
    .onConflict((on) =>
      on.columns(['project_id', 'day', 'place_id', 'game_id']).doUpdateSet((e) => ({
        requests: e('hub_demand.requests', '+', e.ref('excluded.requests')),
        last_at: e.ref('excluded.last_at'),
      })),
    )
    .execute()
}

/**
 * Sums the requests per game since a given day, most requested first. Omits games that a script now supports.
 */
export const listDemand = async (
  db: Queries,
  { project_id, from, limit }: { readonly project_id: string; readonly from: number; readonly limit: number },
) => {
  const rows = await db
    .selectFrom('hub_demand')
    .select(['place_id', 'game_id'])
    .select((e) => [e.fn.sum<number>('requests').as('requests'), e.fn.max('last_at').as('last_seen')])
    .where('project_id', '=', project_id)
    .where('day', '>=', from)
    .where('place_id', '<>', '')
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('hub_targets')
            .select('hub_targets.script_id')
            .whereRef('hub_targets.project_id', '=', 'hub_demand.project_id')
            .where((of) =>
              of.or([
                of.and([
                  of('hub_targets.kind', '=', 'place'),
                  of('hub_targets.target_id', '=', of.ref('hub_demand.place_id')),
                ]),
                of.and([
                  of('hub_targets.kind', '=', 'game'),
                  of('hub_targets.target_id', '=', of.ref('hub_demand.game_id')),
                ]),
              ]),
            ),
        ),
      ),
    )
    .groupBy(['place_id', 'game_id'])
    .orderBy('requests', 'desc')
    .orderBy('last_seen', 'desc')
    .orderBy('place_id')
    .orderBy('game_id')
    .limit(limit)
    .execute()
  return rows.map(({ requests, last_seen, ...ids }) => ({
    ...ids,
    requests: Number(requests),
    last_seen: Number(last_seen),
  }))
}

/** Counts the requests from all games beyond the daily limit. */
export const countOtherDemand = async (db: Queries, project_id: string, from: number): Promise<number> => {
  const row = await db
    .selectFrom('hub_demand')
    .select((e) => e.fn.sum<number | null>('requests').as('requests'))
    .where('project_id', '=', project_id)
    .where('day', '>=', from)
    .where('place_id', '=', '')
    .executeTakeFirst()
  return Number(row?.requests ?? 0)
}

/** Deletes the rows for days before `day`. */
export const deleteOldDemand = (tx: Queries, day: number, limit: number): Promise<number> =>
  deleteOldest(tx, {
    table: 'hub_demand',
    key: ['project_id', 'day', 'place_id', 'game_id'],
    column: 'day',
    before: day,
    limit,
  })
