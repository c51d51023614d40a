/** All queries on the `script_activations` table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { ScriptActivationsTable } from '../../../database/schema/version-tables.ts'

/** If two activations happen in the same millisecond, the later one wins. */
export const insertActivation = async (
  tx: Queries,
  row: Insertable<ScriptActivationsTable>,
): Promise<void> => {
  await tx
    .insertInto('script_activations')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['script_id', 'activated_at']).doUpdateSet({ version: row.version }),
    )
    .execute()
}

const activeAt = prepared((db, p: { script_id: string; at: number }) =>
  db
    .selectFrom('script_activations')
    .select('version')
    .where('script_id', '=', p.script_id)
    .where('activated_at', '<=', p.at)
    .orderBy('activated_at', 'desc')
    .limit(1),
)
/** Returns the version that was active at a given time, or null before the first activation. */
export const findVersionAt = async (db: Queries, scriptId: string, at: number): Promise<number | null> =>
  (await activeAt.first(db, { script_id: scriptId, at }))?.version ?? null
