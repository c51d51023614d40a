/**
 * Queries on the `sessions` table, which records which process holds each session. Rows are written when a
 * session starts, loses its connection, moves or ends. State that changes more often is in `instances`, which
 * every list joins.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { Order } from '../../../database/keyset-range.ts'
import type { Tables } from '../../../database/schema/tables.ts'

export type HeldSession = {
  readonly exec: string
  readonly id: string
  readonly epoch: number
  readonly project_id: string
  readonly script_id: string
  readonly user_key: string | null
  readonly created_at: number
  readonly detached: 0 | 1
}

/** Columns that a list can be filtered by. Null matches sessions without a value. */
const COLUMNS = {
  exec: 's.exec',
  id: 's.id',
  customer_id: 'p.customer_id',
  project_id: 's.project_id',
  script_id: 's.script_id',
  user_key: 's.user_key',
  executor: 'i.executor',
  game_user_id: 'i.game_user_id',
  place_id: 'i.place_id',
  job_id: 'i.job_id',
  script_version: 'i.script_version',
} as const
export type SessionCondition = Partial<Record<keyof typeof COLUMNS, string | number | null>>

/** A position in a list sorted by session start. */
type SessionPlace = { readonly created_at: number; readonly id: string }
export type SessionPage = {
  readonly after?: SessionPlace
  readonly from?: number
  readonly limit?: number
  readonly order?: Order
}

type Joined = Tables & { s: Tables['sessions']; i: Tables['instances']; p: Tables['projects'] }
type Narrowed<O> = SelectQueryBuilder<Joined, 's' | 'i' | 'p', O>

const joined = (db: Queries) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('instances as i', 'i.exec', 's.exec')
    .innerJoin('projects as p', 'p.id', 's.project_id')

/**
 * Uses left joins, because the owner or the instance may have been deleted. The engine skips joins that no
 * condition needs.
 */
const counted = (db: Queries) =>
  db
    .selectFrom('sessions as s')
    .leftJoin('instances as i', 'i.exec', 's.exec')
    .leftJoin('projects as p', 'p.id', 's.project_id')

const described = (db: Queries) =>
  joined(db)
    .select(['s.id', 's.exec', 's.process', 's.project_id', 's.script_id', 's.user_key', 's.created_at'])
    .select(['s.detached', 'i.executor', 'i.game_user_id', 'i.place_id', 'i.job_id', 'i.script_version'])
    .select((e) => ['p.customer_id', e.fn.coalesce('i.ws_seen', 's.created_at').as('last_seen')])

const ofId = prepared((db, p: { id: string }) => described(db).where('s.id', '=', p.id))
/** The caller must check the owner. */
export const findSessionRow = (db: Queries, id: string) => ofId.first(db, { id })
export type SessionRow = NonNullable<Awaited<ReturnType<typeof findSessionRow>>>

const ofInstance = prepared((db, p: { exec: string }) => described(db).where('s.exec', '=', p.exec))
export const findInstanceSession = (db: Queries, exec: string) => ofInstance.first(db, { exec })

const processOf = prepared((db, p: { exec: string }) =>
  db.selectFrom('sessions').select('process').where('exec', '=', p.exec),
)
/** Finds the process that holds an instance's session, even if the instance was deleted. */
export const findHolder = async (db: Queries, exec: string): Promise<string | undefined> =>
  (await processOf.first(db, { exec }))?.process

/** Returns one page, sorted by session start. */
export const listSessionRows = (
  db: Queries,
  condition: SessionCondition,
  { after, from = 0, limit, order = 'oldest' }: SessionPage,
): Promise<SessionRow[]> => {
  const direction = order === 'newest' ? 'desc' : 'asc'
  const beyond = sql.raw(order === 'newest' ? '<' : '>')
  const all = narrowed(described(db), condition)
    .orderBy('s.created_at', direction)
    .orderBy('s.id', direction)
    .limit(limit ?? Number.MAX_SAFE_INTEGER)
    .offset(from)
  return after === undefined
    ? all.execute()
    : all.where(sql<boolean>`(s.created_at, s.id) ${beyond} (${after.created_at}, ${after.id})`).execute()
}

export const countSessionRows = async (db: Queries, condition: SessionCondition): Promise<number> => {
  const rows = await narrowed(
    counted(db).select((e) => e.fn.countAll<number>().as('count')),
    condition,
  ).execute()
  return rows[0]?.count ?? 0
}

const byProject = prepared((db, p: { customer_id: string }) =>
  db
    .selectFrom('sessions as s')
    .innerJoin('projects as p', 'p.id', 's.project_id')
    .select((e) => ['s.project_id', e.fn.countAll<number>().as('count')])
    .where('p.customer_id', '=', p.customer_id)
    .groupBy('s.project_id'),
)
/** Counts an account's sessions by project. Projects without sessions are omitted. */
export const countProjectSessions = async (
  db: Queries,
  customer_id: string,
): Promise<Map<string, number>> => {
  const rows = await byProject.all(db, { customer_id })
  return new Map(rows.map(({ project_id, count }) => [project_id, count]))
}

/** Lists the processes that have sessions matching these fields. */
export const listHolders = async (db: Queries, condition: SessionCondition): Promise<string[]> => {
  const rows = await narrowed(counted(db).select('s.process').distinct(), condition).execute()
  return rows.map((row) => row.process)
}

/**
 * Lists the first sessions of a process, in no particular order. Omits those whose instance or project was
 * deleted.
 */
export const listHeldSessions = (db: Queries, process: string, limit: number): Promise<SessionRow[]> =>
  described(db).where('s.process', '=', process).limit(limit).execute()

const put = prepared((db, p: { process: string; rows: string }) => {
  const rows = dialectOf(db).rowsFrom(p.rows, [
    ['exec', 'text'],
    ['id', 'text'],
    ['epoch', 'bigint'],
    ['project_id', 'text'],
    ['script_id', 'text'],
    ['user_key', 'text'],
    ['created_at', 'bigint'],
    ['detached', 'integer'],
  ])
  return sql<{ exec: string }>`
    insert into sessions (exec, id, process, epoch, project_id, script_id, user_key, created_at, detached)
    select g.exec, g.id, ${p.process}, g.epoch, g.project_id, g.script_id, g.user_key, g.created_at, g.detached
    from ${rows} as g join instances as i on i.exec = g.exec where i.ws_epoch = g.epoch
    on conflict (exec) do update set id = excluded.id, process = excluded.process, epoch = excluded.epoch,
      created_at = excluded.created_at, detached = excluded.detached
    where sessions.epoch <= excluded.epoch returning exec`
})
/**
 * Writes the sessions of a process, and returns the instances whose sessions it still has. Excludes clients
 * that have since connected elsewhere, and deleted instances.
 */
export const putSessions = async (
  tx: Queries,
  process: string,
  sessions: readonly HeldSession[],
): Promise<Set<string>> => {
  const rows = sessions.map((one) => [
    ...[one.exec, one.id, one.epoch, one.project_id, one.script_id, one.user_key],
    ...[one.created_at, one.detached],
  ])
  const done = await put.all(tx, { process, rows: JSON.stringify(rows) })
  return new Set(done.map(({ exec }) => exec))
}

/**
 * Deletes the given instances' sessions that still belong to the process, and returns those instances. If
 * `left` is true, the process is considered dead, and nothing is deleted if it has come back.
 */
export const deleteSessions = async (
  tx: Queries,
  process: string,
  execs: readonly string[],
  { left = false } = {},
): Promise<Set<string>> => {
  if (execs.length === 0) return new Set()
  const theirs = tx.deleteFrom('sessions').where('process', '=', process).where('exec', 'in', execs)
  const done = await theirs
    .$if(left, (query) => query.where(hasEnded(process)))
    .returning('exec')
    .execute()
  return new Set(done.map(({ exec }) => exec))
}

/** Deletes all sessions of the process, including those whose instance or project was deleted. */
export const deleteProcessSessions = async (
  tx: Queries,
  process: string,
  { left = false } = {},
): Promise<void> => {
  await tx
    .deleteFrom('sessions')
    .where('process', '=', process)
    .$if(left, (query) => query.where(hasEnded(process)))
    .execute()
}

const hasEnded = (process: string) =>
  sql<boolean>`exists (select 1 from processes where id = ${process} and ended = 1)`

function narrowed<O>(query: Narrowed<O>, condition: SessionCondition): Narrowed<O> {
  return Object.entries(condition).reduce((some, [member, value]) => {
    const column = COLUMNS[member as keyof SessionCondition]
    return value === null ? some.where(column, 'is', null) : some.where(column, '=', value as never)
  }, query)
}
