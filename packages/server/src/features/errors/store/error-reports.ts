/** All queries on the `error_reports` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import type { ErrorReportsTable } from '../../../database/schema/error-tables.ts'

export type NewErrorReport = Insertable<ErrorReportsTable>
export type ErrorReportRow = Selectable<ErrorReportsTable>

export const insertErrorReports = async (tx: Queries, rows: readonly NewErrorReport[]): Promise<void> => {
  await tx.insertInto('error_reports').values(rows).execute()
}

/** The next script, by ID, that has reports. */
export const findReportedScript = async (db: Queries, after: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('error_reports')
    .select('script_id')
    .where('script_id', '>', after)
    .orderBy('script_id')
    .limit(1)
    .executeTakeFirst()
  return row?.script_id
}

/** Lists a script's reports, oldest first. */
export const listErrorReports = (db: Queries, scriptId: string, limit: number): Promise<ErrorReportRow[]> =>
  db
    .selectFrom('error_reports')
    .selectAll()
    .where('script_id', '=', scriptId)
    .orderBy('seq')
    .limit(limit)
    .execute()

/** Deletes reports, and returns those that no other process has taken. */
export const takeErrorReports = async (tx: Queries, seqs: readonly number[]): Promise<Set<number>> => {
  const free = tx.selectFrom('error_reports').select('seq').where('seq', 'in', seqs).orderBy('seq')
  const taken = await tx
    .deleteFrom('error_reports')
    .where('seq', 'in', skipLocked(free, tx))
    .returning('seq')
    .execute()
  return new Set(taken.map(({ seq }) => seq))
}
