/** All queries on the `version_health` and `version_customers` tables. */
import { type Selectable, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, type JsonColumn } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { VersionHealthTable } from '../../../database/schema/log-tables.ts'

export type HealthRow = Selectable<VersionHealthTable>
export type VersionOf = Pick<HealthRow, 'script_id' | 'version'>
export type CustomerOf = VersionOf & { readonly executor: string; readonly customer: string }

/**
 * `executor` values of the rows that count all executors, and of the rows that count executors without their
 * own row.
 */
export const ALL_EXECUTORS = ''
export const OTHER_EXECUTORS = 'other'
/** `day` value of the rows that count all days. */
export const ALL_DAYS = 0

const COUNTED = ['runs', 'crashed', 'vanished', 'denied', 'customers', 'crashed_customers'] as const
export type Counted = (typeof COUNTED)[number]
const columns: readonly JsonColumn[] = [
  ['script_id', 'text'],
  ['version', 'integer'],
  ['executor', 'text'],
  ['day', 'integer'],
  ...COUNTED.map((name) => [name, 'bigint'] as const),
]

/** Adds to the stored counts, in key order to prevent deadlocks between processes. */
export const addHealth = async (tx: Queries, rows: readonly HealthRow[]): Promise<void> => {
  if (rows.length === 0) return
  const lists = JSON.stringify(rows.map((row) => columns.map(([name]) => row[name as keyof HealthRow])))
  const names = sql.raw(columns.map(([name]) => name).join(', '))
  const sums = sql.raw(
    COUNTED.map((name) => `${name} = version_health.${name} + excluded.${name}`).join(', '),
  )
  await sql`insert into version_health (${names}) select ${names} from ${dialectOf(tx).rowsFrom(lists, columns)} as given
    where true order by script_id, version, executor, day
    on conflict (script_id, version, executor, day) do update set ${sums}`.execute(tx)
}

const customerColumns = [
  ['script_id', 'text'],
  ['version', 'integer'],
  ['executor', 'text'],
  ['customer', 'text'],
] as const satisfies readonly JsonColumn[]

function customersFrom(tx: Queries, rows: readonly CustomerOf[]) {
  const lists = JSON.stringify(rows.map((row) => customerColumns.map(([name]) => row[name])))
  return dialectOf(tx).rowsFrom(lists, customerColumns)
}

/** Returns the new customers. */
export const insertCustomers = async (
  tx: Queries,
  rows: readonly CustomerOf[],
): Promise<readonly CustomerOf[]> => {
  if (rows.length === 0) return []
  const added = await sql<CustomerOf>`insert into version_customers (script_id, version, executor, customer)
    select distinct script_id, version, executor, customer from ${customersFrom(tx, rows)} as given
    where true order by script_id, version, executor, customer
    on conflict do nothing returning script_id, version, executor, customer`.execute(tx)
  return added.rows
}

/** Returns the customers for whom this is the first crash. */
export const updateCrashedCustomers = async (
  tx: Queries,
  rows: readonly CustomerOf[],
): Promise<readonly CustomerOf[]> => {
  if (rows.length === 0) return []
  const changed =
    await sql<CustomerOf>`update version_customers set crashed = 1 from ${customersFrom(tx, rows)} as given
    where version_customers.script_id = given.script_id and version_customers.version = given.version
    and version_customers.executor = given.executor and version_customers.customer = given.customer
    and version_customers.crashed = 0
    returning version_customers.script_id, version_customers.version, version_customers.executor,
      version_customers.customer`.execute(tx)
  return changed.rows
}

const executors = prepared((db, p: { script_id: string; version: number }) =>
  db
    .selectFrom('version_health')
    .select('executor')
    .where('script_id', '=', p.script_id)
    .where('version', '=', p.version)
    .where('day', '=', ALL_DAYS)
    .where('executor', 'not in', [ALL_EXECUTORS, OTHER_EXECUTORS]),
)
/** Lists the executors that are counted by name. */
export const listCountedExecutors = async (
  db: Queries,
  { script_id, version }: VersionOf,
): Promise<Set<string>> =>
  new Set((await executors.all(db, { script_id, version })).map(({ executor }) => executor))

/** Finds the latest version that has customers, and lists these customers' executors. */
export const listCustomersByExecutor = async (
  db: Queries,
  script_id: string,
): Promise<Pick<HealthRow, 'executor' | 'customers'>[]> => {
  const counted = db
    .selectFrom('version_health')
    .where('script_id', '=', script_id)
    .where('day', '=', ALL_DAYS)
    .where('customers', '>', 0)
  const newest = await counted.select('version').orderBy('version', 'desc').limit(1).executeTakeFirst()
  if (!newest) return []
  return counted
    .select(['executor', 'customers'])
    .where('version', '=', newest.version)
    .where('executor', '<>', ALL_EXECUTORS)
    .execute()
}

/**
 * Lists the rows of the versions starting with `from`, and of the versions in `served`: either the totals for
 * all days, or each day's counts for all executors.
 */
export const listHealth = (
  db: Queries,
  script_id: string,
  {
    from,
    served,
    days,
  }: { readonly from: number; readonly served: readonly number[]; readonly days: boolean },
): Promise<HealthRow[]> => {
  const ofVersions = db
    .selectFrom('version_health')
    .selectAll()
    .where('script_id', '=', script_id)
    .where((e) => e.or([e('version', '>=', from), e('version', 'in', served)]))
  const wanted = days
    ? ofVersions.where('executor', '=', ALL_EXECUTORS).where('day', '<>', ALL_DAYS)
    : ofVersions.where('day', '=', ALL_DAYS)
  return wanted
    .orderBy('version', 'desc')
    .orderBy('day')
    .orderBy('runs', 'desc')
    .orderBy('executor')
    .execute()
}

const live = prepared((db, p: { project_id: string }) =>
  db
    .selectFrom('scripts as s')
    .innerJoin('version_health as h', (join) =>
      join.onRef('h.script_id', '=', 's.id').onRef('h.version', '=', 's.version'),
    )
    .select((e) => COUNTED.map((name) => e.fn.sum<number | null>(`h.${name}`).as(name)))
    .where('s.project_id', '=', p.project_id)
    .where('h.executor', '=', ALL_EXECUTORS)
    .where('h.day', '=', ALL_DAYS),
)
/** Adds up the counts of the live versions of a project's scripts, with one row per script. */
export const sumLiveHealth = async (db: Queries, project_id: string): Promise<Pick<HealthRow, Counted>> => {
  const sums = await live.first(db, { project_id })
  const counted = COUNTED.map((name) => [name, Number(sums?.[name] ?? 0)] as const)
  return Object.fromEntries(counted) as Pick<HealthRow, Counted>
}

type CrashingQuery = {
  readonly project_id: string
  readonly channel: string
  readonly crashed: number
  readonly limit: number
}
type CrashingScript = {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly staging: string | null
}

/**
 * Lists the scripts in a project whose live version, or whose version in an open release of the channel,
 * crashed for at least this many customers. The scripts with the most affected customers come first.
 */
export const listCrashing = async (
  db: Queries,
  { project_id, channel, crashed, limit }: CrashingQuery,
): Promise<CrashingScript[]> => {
  const live = db.selectFrom('scripts as s').select(['s.id', 's.version as served'])
  const released = db
    .selectFrom('releases as r')
    .innerJoin('scripts as s', 's.id', 'r.script_id')
    .select(['s.id', 'r.version as served'])
    .where('r.channel', '=', channel)
    .where('r.state', 'in', ['running', 'paused'])
  const served = live
    .where('s.project_id', '=', project_id)
    .union(released.where('s.project_id', '=', project_id))
  return db
    .selectFrom(served.as('v'))
    .innerJoin('version_health as h', (join) =>
      join.onRef('h.script_id', '=', 'v.id').onRef('h.version', '=', 'v.served'),
    )
    .innerJoin('scripts', 'scripts.id', 'v.id')
    .select(['scripts.id', 'scripts.name', 'scripts.version', 'scripts.staging'])
    .where('h.executor', '=', ALL_EXECUTORS)
    .where('h.day', '=', ALL_DAYS)
    .where('h.crashed_customers', '>=', crashed)
    .groupBy(['scripts.id', 'scripts.name', 'scripts.version', 'scripts.staging'])
    .orderBy((e) => e.fn.max('h.crashed_customers'), 'desc')
    .orderBy('scripts.id')
    .limit(limit)
    .execute()
}

const nextScript = prepared((db, p: { after: string }) =>
  db
    .selectFrom('version_health')
    .select((e) => e.fn.min<string | null>('script_id').as('script_id'))
    .where('script_id', '>', p.after),
)
/** Returns the next counted script, by ID, or undefined if there is none. */
export const findNextCountedScript = async (db: Queries, after: string): Promise<string | undefined> =>
  (await nextScript.first(db, { after }))?.script_id ?? undefined

const KEYS = {
  version_customers: 'script_id, version, executor, customer',
  version_health: 'script_id, version, executor, day',
} as const

/**
 * Deletes up to `limit` rows of a script's versions older than `before`, except those in `kept`. Returns the
 * number of deleted rows.
 */
export const deleteOldVersions = async (
  tx: Queries,
  table: keyof typeof KEYS,
  {
    script_id,
    before,
    kept,
    limit,
  }: {
    readonly script_id: string
    readonly before: number
    readonly kept: readonly number[]
    readonly limit: number
  },
): Promise<number> => {
  const key = sql.raw(KEYS[table])
  const lock = dialectOf(tx).rowLocks ? sql`for update skip locked` : sql``
  // PostgreSQL does not accept an empty list in an `in` condition.
  const others = kept.length === 0 ? sql`` : sql`and version not in (${sql.join(kept)})`
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${key}) in (
    select ${key} from ${sql.table(table)} where script_id = ${script_id} and version < ${before} ${others}
    limit ${limit} ${lock})`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}
