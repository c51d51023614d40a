/** All queries on the `script_channels` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { ScriptChannelsTable } from '../../../database/schema/release-tables.ts'

export type ChannelRow = Selectable<ScriptChannelsTable>

export const listChannels = (db: Queries, scriptId: string): Promise<ChannelRow[]> =>
  db
    .selectFrom('script_channels')
    .selectAll()
    .where('script_id', '=', scriptId)
    .orderBy('created_at')
    .orderBy('name')
    .execute()

export const upsertChannel = async (tx: Queries, row: Insertable<ScriptChannelsTable>): Promise<void> => {
  const { version, tags, plans } = row
  await tx
    .insertInto('script_channels')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['script_id', 'name']).doUpdateSet({
        version,
        ...(tags !== undefined && { tags }),
        ...(plans !== undefined && { plans }),
      }),
    )
    .execute()
}

export const updateChannelVersion = async (
  tx: Queries,
  { script_id, name }: Pick<ChannelRow, 'script_id' | 'name'>,
  version: number,
): Promise<void> => {
  await tx
    .updateTable('script_channels')
    .set({ version })
    .where('script_id', '=', script_id)
    .where('name', '=', name)
    .execute()
}

export const deleteChannel = async (tx: Queries, scriptId: string, name: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('script_channels')
    .where('script_id', '=', scriptId)
    .where('name', '=', name)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
