/** All queries on the `execution_log` table. */
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { skipLocked } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { Ending, ExecutionLogTable } from '../../../database/schema/log-tables.ts'

const DAY_MS = 86_400_000

export type LogRow = Selectable<ExecutionLogTable>

/**
 * Identifies a run's row. The row is found by the time of the grant, because an index on run IDs would slow
 * every grant.
 */
export type GrantedRun = Pick<LogRow, 'project_id' | 'exec'> & { readonly granted_at: number }

type Common =
  | 'project_id'
  | 'script_id'
  | 'script_version'
  | 'at'
  | 'exec'
  | 'user_key'
  | 'executor'
  | 'runtime'
export type GrantedRow = Pick<LogRow, Common | 'device'>
export type DeniedRow = Pick<LogRow, Common | 'reason' | 'value' | 'left_out'>
type Logged = Omit<LogRow, 'seq' | 'ended_at' | 'ending'>

const inserted = prepared((db, p: Logged) =>
  db.insertInto('execution_log').values({
    project_id: p.project_id,
    script_id: p.script_id,
    script_version: p.script_version,
    at: p.at,
    outcome: p.outcome,
    reason: p.reason,
    value: p.value,
    left_out: p.left_out,
    exec: p.exec,
    user_key: p.user_key,
    device: p.device,
    executor: p.executor,
    runtime: p.runtime,
  }),
)
export const insertGrantedRow = async (tx: Queries, row: GrantedRow): Promise<void> => {
  await inserted.count(tx, { ...row, outcome: 'granted', reason: null, value: null, left_out: 0 })
}
export const insertDeniedRow = async (tx: Queries, row: DeniedRow): Promise<void> => {
  await inserted.count(tx, { ...row, outcome: 'denied', device: null })
}

const ended = prepared((db, p: GrantedRun & { ended_at: number; ending: Ending }) =>
  db
    .updateTable('execution_log')
    .set({ ended_at: p.ended_at, ending: p.ending })
    .where('project_id', '=', p.project_id)
    .where('at', '=', p.granted_at)
    .where('exec', '=', p.exec)
    .where('ending', 'is', null),
)
/** Records how a run ended, unless that is already recorded. */
export const updateLogEnding = async (
  tx: Queries,
  { project_id, exec, granted_at }: GrantedRun,
  ending: Ending,
  ended_at: number,
): Promise<void> => {
  await ended.count(tx, { project_id, exec, granted_at, ending, ended_at })
}

const crashed = prepared((db, p: GrantedRun) =>
  db
    .updateTable('execution_log')
    .set({ outcome: 'crashed' })
    .where('project_id', '=', p.project_id)
    .where('at', '=', p.granted_at)
    .where('exec', '=', p.exec)
    .where('outcome', '=', 'granted'),
)
/** Returns whether this is the run's first crash. */
export const updateLogCrashed = async (
  tx: Queries,
  { project_id, exec, granted_at }: GrantedRun,
): Promise<boolean> => (await crashed.count(tx, { project_id, exec, granted_at })) > 0

/** Conditions for a project's log. A row must match all of them. Times are inclusive. */
export type LogFilter = {
  readonly project_id: string
  readonly outcome?: LogRow['outcome']
  readonly reason?: string
  readonly script_id?: string
  readonly version?: number
  readonly executor?: string
  readonly user_key?: string
  readonly from?: number
  readonly to?: number
}
/** A row's position in the log. */
export type LogPlace = Pick<LogRow, 'at' | 'seq'>

/** Columns of the run's row in `instances`. Null once that row is deleted. */
const LIVE = ['i.last_seen', 'i.expires_at', 'i.kick', 'i.granted_at'] as const

export type LogRange = {
  /** Rows after this one in list order. */
  readonly after: LogPlace | undefined
  /** Rows up to and including this one. */
  readonly end: LogPlace | undefined
  readonly order: 'oldest' | 'newest'
  readonly limit: number
}

/** Lists the first matching rows in a range, with the state of runs that have not ended. */
export const listLogRows = (db: Queries, filter: LogFilter, range: LogRange) => {
  const found = scannedConditions(filter)
    .reduce(
      (query, [column, value]) => query.where(sql<SqlBool>`${sql.ref(column)} = ${value}`),
      selectIndexed(db, filter, range),
    )
    .selectAll()
    .limit(range.limit)
  const direction = range.order === 'newest' ? 'desc' : 'asc'
  return db
    .selectFrom(found.as('l'))
    .leftJoin('instances as i', (join) => join.onRef('i.exec', '=', 'l.exec').on('l.ending', 'is', null))
    .selectAll('l')
    .select(LIVE)
    .orderBy('l.at', direction)
    .orderBy('l.seq', direction)
    .execute()
}
export type ListedLogRow = Awaited<ReturnType<typeof listLogRows>>[number]

/**
 * Returns the position of the last of `size` rows in a range, whether or not the scanned conditions match.
 */
export const findLogScanEnd = (
  db: Queries,
  filter: LogFilter,
  range: Omit<LogRange, 'limit' | 'end'>,
  size: number,
): Promise<LogPlace | undefined> =>
  selectIndexed(db, filter, { ...range, end: undefined })
    .select(['at', 'seq'])
    .offset(size - 1)
    .limit(1)
    .executeTakeFirst()

/** Returns whether a filter has conditions that require rows to be scanned. */
export function isScanned(filter: LogFilter): boolean {
  return scannedConditions(filter).length > 0
}

/** The first of these fields that is set selects the index. The other conditions are checked row by row. */
function indexOf({ user_key, version, outcome }: LogFilter): 'user' | 'version' | 'outcome' | 'project' {
  if (user_key !== undefined) return 'user'
  if (version !== undefined) return 'version'
  return outcome === undefined || outcome === 'granted' ? 'project' : 'outcome'
}

function scannedConditions(filter: LogFilter): [string, string | number][] {
  const index = indexOf(filter)
  const { outcome, reason, script_id, version, executor } = filter
  const others = {
    executor,
    reason,
    ...(index !== 'outcome' && { outcome }),
    ...(index !== 'version' && { script_id, script_version: version }),
  }
  return Object.entries(others).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]]))
}

/** Selects the rows in a range that an index can find without scanning others. */
function selectIndexed(db: Queries, filter: LogFilter, { after, end, order }: Omit<LogRange, 'limit'>) {
  const { project_id, outcome = 'granted', script_id = '', version = 0, user_key = '', from, to } = filter
  const index = indexOf(filter)
  const [beyond, upTo, direction] =
    order === 'newest' ? (['<', '>=', 'desc'] as const) : (['>', '<=', 'asc'] as const)
  return (
    db
      .selectFrom('execution_log')
      .where('project_id', '=', project_id)
      .$if(index === 'user', (query) => query.where('user_key', '=', user_key))
      .$if(index === 'version', (query) =>
        query.where('script_id', '=', script_id).where('script_version', '=', version),
      )
      // The second condition repeats that of the partial index, which SQLite does not infer from the first.
      .$if(index === 'outcome', (query) =>
        query.where('outcome', '=', outcome).where('outcome', '<>', sql.lit('granted')),
      )
      .$if(from !== undefined, (query) => query.where('at', '>=', from ?? 0))
      .$if(to !== undefined, (query) => query.where('at', '<=', to ?? 0))
      .$if(after !== undefined, (query) => query.where(isBeside(beyond, after)))
      .$if(end !== undefined, (query) => query.where(isBeside(upTo, end)))
      .orderBy('at', direction)
      .orderBy('seq', direction)
  )
}

function isBeside(operator: '<' | '>' | '<=' | '>=', place: LogPlace | undefined) {
  return sql<SqlBool>`(at, seq) ${sql.raw(operator)} (${place?.at}, ${place?.seq})`
}

type UserOutcomesQuery = {
  readonly project_id: string
  readonly user_key: string
  readonly from: number
  /** Older rows are not counted, which limits the cost of a query. */
  readonly limit: number
}

/**
 * Counts a user's latest log rows by UTC day, outcome and reason, including denials that were not recorded.
 */
export const listUserOutcomes = (db: Queries, { project_id, user_key, from, limit }: UserOutcomesQuery) => {
  const newest = db
    .selectFrom('execution_log')
    .select(['outcome', 'reason', 'left_out', sql<number>`at / ${sql.lit(DAY_MS)}`.as('day')])
    .select(
      sql<number>`case when outcome = 'granted' and ending = 'vanished' then 1 else 0 end`.as('vanished'),
    )
    .where('project_id', '=', project_id)
    .where('user_key', '=', user_key)
    .where('at', '>=', from)
    .orderBy('at', 'desc')
    .orderBy('seq', 'desc')
    .limit(limit)
  return db
    .selectFrom(newest.as('l'))
    .select((e) => [
      'day',
      'outcome',
      'reason',
      'vanished',
      e.fn.countAll<number>().as('rows'),
      e.fn.sum<number>('left_out').as('left_out'),
    ])
    .groupBy(['day', 'outcome', 'reason', 'vanished'])
    .execute()
}

const nextProject = prepared((db, p: { after: string }) =>
  db
    .selectFrom('execution_log')
    .select((e) => e.fn.min<string | null>('project_id').as('project_id'))
    .where('project_id', '>', p.after),
)
/** Returns the next project, by ID, that has a log, or undefined if there is none. */
export const findNextLoggedProject = async (db: Queries, after: string): Promise<string | undefined> =>
  (await nextProject.first(db, { after }))?.project_id ?? undefined

const deleted = prepared((db, p: { project_id: string; before: number; limit: number }) =>
  db.deleteFrom('execution_log').where('seq', 'in', (e) => {
    const old = e
      .selectFrom('execution_log')
      .select('seq')
      .where('project_id', '=', p.project_id)
      .where('at', '<', p.before)
      .orderBy('at')
      .limit(p.limit)
    return skipLocked(old, db)
  }),
)
/** Deletes the oldest rows of a project's log, and returns their number. */
export const deleteOldLogRows = (
  tx: Queries,
  project_id: string,
  before: number,
  limit: number,
): Promise<number> => deleted.count(tx, { project_id, before, limit })
