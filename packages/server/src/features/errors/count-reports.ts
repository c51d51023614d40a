/** Counts the occurrences of an error by version, executor and day. */
import type { Queries } from '../../database/engine/db.ts'
import { MAX_EXECUTORS } from '../health/health-counts.ts'
import { OTHER_EXECUTORS } from '../health/store/version-health.ts'
import {
  addErrorCounts,
  deleteOldErrorDays,
  type ErrorCountRow,
  listErrorCounts,
} from './store/error-details.ts'
import type { ErrorReportRow } from './store/error-reports.ts'

const DAY_MS = 86_400_000
/** Groups are deleted this long after their last report. Daily counts are kept for the same time. */
export const ERROR_RETENTION_MS = 90 * DAY_MS

/** Returns the number of occurrences. */
export async function countReports(
  tx: Queries,
  errorId: string,
  rows: readonly ErrorReportRow[],
): Promise<number> {
  const stored = await listErrorCounts(tx, errorId)
  const known = new Set(stored.filter(({ dimension }) => dimension === 'executor').map(({ value }) => value))
  const counts = new Map<string, ErrorCountRow>()
  const add = (dimension: ErrorCountRow['dimension'], value: string, count: number) => {
    const name = `${dimension} ${value}`
    const occurrences = (counts.get(name)?.occurrences ?? 0) + count
    counts.set(name, { error_id: errorId, dimension, value, occurrences })
  }
  for (const { script_version, executor, reported_at, count } of rows) {
    if (known.size < MAX_EXECUTORS) known.add(executor)
    add('version', String(script_version), count)
    add('executor', known.has(executor) ? executor : OTHER_EXECUTORS, count)
    add('day', dayOf(reported_at), count)
  }
  await addErrorCounts(tx, [...counts.values()])
  const newest = Math.max(...rows.map(({ reported_at }) => reported_at))
  await deleteOldErrorDays(tx, errorId, dayOf(newest - ERROR_RETENTION_MS))
  return rows.reduce((sum, { count }) => sum + count, 0)
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
