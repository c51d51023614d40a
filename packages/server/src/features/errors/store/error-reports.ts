/** Rows of `error_reports` and every statement on that table. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { ErrorReportsTable } from '../../../database/schema/error-tables.ts'

export type NewErrorReport = Insertable<ErrorReportsTable>

export const insertErrorReports = async (tx: Queries, rows: readonly NewErrorReport[]): Promise<void> => {
  await tx.insertInto('error_reports').values(rows).execute()
}
