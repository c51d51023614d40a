/** Lists and follows a project's log of executions. */
import { setImmediate } from 'node:timers/promises'
import { Refused, refuseMember } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import { currentEnding, describeEnding } from '../../health/ending.ts'
import { nameUsers } from '../../keys/user-names.ts'
import type { ProjectRow } from '../../projects/store/projects.ts'
import {
  findLogScanEnd,
  isScanned,
  type ListedLogRow,
  type LogFilter,
  type LogPlace,
  type LogRange,
  listLogRows,
} from '../store/execution-log.ts'

export type LogQuery = Omit<LogFilter, 'project_id'> & { readonly after?: string; readonly limit?: number }

const LISTED = 100
/**
 * Maximum number of rows per query that filters by a column without an index. SQLite reads this many in a few
 * milliseconds.
 */
const SCAN_CHUNK = 20_000
/** Maximum number of rows scanned per request. A page may therefore be short even if `next` is set. */
const MAX_SCANNED = 200_000
/**
 * Transactions may commit in a different order than they began, and the clocks of processes differ. A cursor
 * stops this long before the current time, so that late commits are not skipped.
 */
const SETTLED_MS = 5000
const CURSOR = /^log:(\d{1,15}):(\d{1,16})$/

/** Lists the log, newest first. */
export async function listLog(deps: Deps, project: ProjectRow, query: LogQuery) {
  const asked = readQuery(project, query)
  if (asked instanceof Refused) return asked
  const { filter, after, limit } = asked
  const { rows, next } = await scan(deps, filter, { after, limit, order: 'newest' })
  const executions = await describeRows(deps, project, rows)
  return { executions, next: next && writeCursor(next) }
}

/**
 * Lists the rows logged after a cursor, oldest first. Without a cursor, lists the latest rows. `next` is
 * always set. Pass it as `after` to get newer rows.
 */
export async function followLog(deps: Deps, project: ProjectRow, query: LogQuery) {
  const asked = readQuery(project, query)
  if (asked instanceof Refused) return asked
  const { filter, after, limit } = asked
  const now = deps.now()
  const order = after === undefined ? 'newest' : 'oldest'
  const { rows, next } = await scan(deps, filter, { after, limit, order })
  const settled = { at: now - SETTLED_MS, seq: Number.MAX_SAFE_INTEGER }
  const isPart = next !== null && order === 'oldest' && isBefore(next, settled)
  const executions = await describeRows(deps, project, rows)
  return {
    executions: order === 'newest' ? executions.reverse() : executions,
    next: writeCursor(isPart ? next : latest(settled, after)),
  }
}

/** If the clock was set back, the cursor must not move back with it. */
function latest(settled: LogPlace, after: LogPlace | undefined): LogPlace {
  return after !== undefined && isBefore(settled, after) ? after : settled
}

function isBefore(a: LogPlace, b: LogPlace): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq)
}

type Asked = { readonly filter: LogFilter } & Pick<LogRange, 'after' | 'limit'>

function readQuery(
  { id: project_id }: ProjectRow,
  { after: cursor, limit = LISTED, ...given }: LogQuery,
): Asked | Refused<'invalid_request'> {
  if (given.version !== undefined && given.script_id === undefined)
    return refuseMember('version', 'needs script_id, because each script counts its own versions')
  const after = readCursor(cursor)
  if (after instanceof Refused) return after
  const implied = given.reason === undefined ? {} : { outcome: 'denied' as const }
  return { filter: { ...implied, ...given, project_id }, after, limit }
}

type Found = { readonly rows: ListedLogRow[]; readonly next: LogPlace | null }
type Wanted = Pick<LogRange, 'after' | 'limit' | 'order'>

/**
 * Reads in chunks and stops after `MAX_SCANNED` rows, because a filter may match only a small fraction of the
 * rows.
 */
async function scan({ db }: Deps, filter: LogFilter, { after, limit, order }: Wanted): Promise<Found> {
  const isComplete = !isScanned(filter)
  const rows: ListedLogRow[] = []
  let start = after
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += SCAN_CHUNK) {
    const end = isComplete
      ? undefined
      : await findLogScanEnd(db.read, filter, { after: start, order }, SCAN_CHUNK)
    const left = limit + 1 - rows.length
    rows.push(...(await listLogRows(db.read, filter, { after: start, end, order, limit: left })))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1] ?? null }
    if (end === undefined) return { rows, next: null }
    start = end
    await setImmediate()
  }
  return { rows, next: start ?? null }
}

async function describeRows(deps: Deps, { id }: ProjectRow, rows: readonly ListedLogRow[]) {
  const named = await nameUsers(deps.db.read, id, rows)
  return named.map(({ note, chat_id, ...row }) => ({ ...describeRow(row, deps.now()), note, chat_id }))
}

function describeRow(row: ListedLogRow, now: number) {
  const { exec: id, at, outcome, reason, value, left_out } = row
  const { script_id, script_version, user_key, executor, runtime } = row
  const shown = {
    id,
    at,
    outcome,
    reason,
    value,
    left_out,
    script_id,
    script_version,
    user_key,
    executor,
    runtime,
  }
  return { ...shown, ...describeRun(row, now) }
}

function describeRun(row: ListedLogRow, now: number) {
  if (row.outcome === 'denied') return { state: null, stop_reason: null, ended_at: null }
  const { granted_at, last_seen, expires_at, kick } = row
  const isLive = granted_at !== null && last_seen !== null && expires_at !== null
  const ending = isLive
    ? currentEnding({ granted_at, last_seen, expires_at, kick }, now)
    : (row.ending ?? 'unknown')
  const isTimeKnown = ending !== null && ending !== 'unknown'
  return { ...describeEnding(ending), ended_at: isTimeKnown ? (row.ended_at ?? last_seen) : null }
}

function readCursor(cursor: string | undefined): LogPlace | undefined | Refused<'invalid_request'> {
  if (cursor === undefined) return undefined
  const [, at, seq] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (at === undefined) return refuseMember('after', 'must be the next cursor of an earlier response')
  return { at: Number(at), seq: Number(seq) }
}

function writeCursor({ at, seq }: LogPlace): string {
  return Buffer.from(`log:${at}:${seq}`).toString('base64url')
}
