/** All queries on the `line_maps` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { LineMapsTable } from '../../../database/schema/version-tables.ts'

export type LineMapRow = Selectable<LineMapsTable>
export type NewLineMap = Insertable<LineMapsTable>

export const insertLineMap = async (tx: Queries, row: NewLineMap): Promise<void> => {
  await tx.insertInto('line_maps').values(row).execute()
}

export const findLineMap = (
  db: Queries,
  scriptId: string,
  version: number,
): Promise<LineMapRow | undefined> =>
  db
    .selectFrom('line_maps')
    .selectAll()
    .where('script_id', '=', scriptId)
    .where('version', '=', version)
    .executeTakeFirst()

/** Lists versions that have a line map, newest first. */
export const listMappedVersions = async (db: Queries, scriptId: string, limit: number): Promise<number[]> => {
  const rows = await db
    .selectFrom('line_maps')
    .select('version')
    .where('script_id', '=', scriptId)
    .orderBy('version', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ version }) => version)
}
