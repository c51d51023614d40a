/** All queries on the `execution_marks` table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { type KeysetRange, keysetOrder } from '../../../database/keyset-range.ts'
import type { ExecutionMarksTable } from '../../../database/schema/tables.ts'
import type { UserRow } from '../../keys/store/users.ts'

export type ExecutionMarkRow = Selectable<ExecutionMarksTable>

export type OneMark = Omit<ExecutionMarkRow, 'seq'>

const inserted = prepared((db, p: OneMark) =>
  db.insertInto('execution_marks').values({
    script_id: p.script_id,
    script_version: p.script_version,
    exec: p.exec,
    holder: p.holder,
    user_key: p.user_key,
    executor: p.executor,
    granted_at: p.granted_at,
  }),
)
export const insertExecutionMark = async (tx: Queries, mark: OneMark): Promise<void> => {
  await inserted.count(tx, mark)
}

/** Lists a version's executions in order, starting after row `after`. */
export const listExecutionMarks = (
  db: Queries,
  { script_id, version }: { readonly script_id: string; readonly version: number },
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ExecutionMarkRow[]> =>
  db
    .selectFrom('execution_marks')
    .selectAll()
    .where('script_id', '=', script_id)
    .where('script_version', '=', version)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()

/** Returns how many users and devices received a copy of a version. */
export const countHolders = async (
  db: Queries,
  { script_id, version }: { readonly script_id: string; readonly version: number },
): Promise<number> => {
  const { holders } = await db
    .selectFrom('execution_marks')
    .select((e) => e.fn.count('holder').distinct().as('holders'))
    .where('script_id', '=', script_id)
    .where('script_version', '=', version)
    .executeTakeFirstOrThrow()
  return Number(holders)
}

export type UserMark = Pick<
  ExecutionMarkRow,
  'seq' | 'script_id' | 'script_version' | 'executor' | 'granted_at'
>

/** Lists a user's executions. Executions of a removed user with the same key are omitted. */
export const listUserMarks = (
  db: Queries,
  { project_id, key, created_at }: Pick<UserRow, 'project_id' | 'key' | 'created_at'>,
  range: KeysetRange,
): Promise<UserMark[]> => {
  const { beyond, start, direction } = keysetOrder(range)
  return db
    .selectFrom('execution_marks as m')
    .select(['m.seq', 'm.script_id', 'm.script_version', 'm.executor', 'm.granted_at'])
    .where('m.user_key', '=', key)
    .where('m.granted_at', '>=', created_at)
    .where('m.script_id', 'in', (e) =>
      e.selectFrom('scripts').select('scripts.id').where('scripts.project_id', '=', project_id),
    )
    .where('m.seq', beyond, start)
    .orderBy('m.seq', direction)
    .limit(range.limit)
    .execute()
}

/**
 * Deletes up to `limit` rows for executions before a given time, and returns their number. Rows are inserted
 * in chronological order, so only the oldest are read, and no index on the time is needed.
 */
export const deleteOldExecutionMarks = async (
  tx: Queries,
  before: number,
  limit: number,
): Promise<number> => {
  const oldest = tx.selectFrom('execution_marks').select(['seq', 'granted_at']).orderBy('seq').limit(limit)
  const taken = skipLocked(oldest, tx)
  const done = await tx
    .deleteFrom('execution_marks')
    .where('seq', 'in', (e) =>
      e.selectFrom(taken.as('oldest')).select('oldest.seq').where('oldest.granted_at', '<', before),
    )
    .executeTakeFirst()
  return Number(done.numDeletedRows)
}
