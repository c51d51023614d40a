/**
 * Stores the errors that a run reports, in the transaction that accepts its heartbeat, frame or end. To keep
 * reporting cheap, a worker groups the errors and counts crashes later. Any error that the script didn't
 * catch marks the run as crashed.
 */
import type { ErrorReport } from '@scriptward/client/live-messages'
import type { Queries } from '../../database/engine/db.ts'
import type { ErrorReportsTable } from '../../database/schema/error-tables.ts'
import type { Deps } from '../../deps.ts'
import { updateLogCrashed } from '../executions/store/execution-log.ts'
import { insertErrorReports } from './store/error-reports.ts'

/** The run that reports the errors. */
export type ErrorRun = Pick<
  ErrorReportsTable,
  'project_id' | 'script_id' | 'script_version' | 'exec' | 'user_key' | 'executor' | 'runtime'
> & { readonly granted_at: number; readonly device: string | null }

export async function recordErrors(
  tx: Queries,
  { now, outcomes }: Pick<Deps, 'now' | 'outcomes'>,
  run: ErrorRun,
  reports: readonly ErrorReport[],
): Promise<void> {
  const { project_id, script_id, script_version, exec, user_key, executor, runtime, device } = run
  const crash = reports.findIndex(({ kind }) => kind !== 'caught')
  const isFirst = crash >= 0 && (await updateLogCrashed(tx, run))
  const rows = reports.map(({ kind, text, at, n, tags }, i) => ({
    ...{ project_id, script_id, script_version, exec, user_key, executor, runtime, device },
    crashed_run_at: isFirst && i === crash ? run.granted_at : null,
    ...{ kind, text: storable(text), at: JSON.stringify(at), count: n },
    tags: tags === undefined ? null : JSON.stringify(mapTags(tags)),
    reported_at: now(),
  }))
  await insertErrorReports(tx, rows)
  if (!isFirst) return
  outcomes.countOutcome({ script: { id: script_id, project_id }, outcome: 'crashed', now: run.granted_at })
}

function mapTags(tags: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(tags).map(([name, value]) => [storable(name), storable(value)]))
}

/** PostgreSQL can store neither NUL nor lone surrogates. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '?')
}
