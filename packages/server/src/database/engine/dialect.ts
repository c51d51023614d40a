/**
 * Declares the capabilities in which the two engines differ, so that no statement has to check which engine
 * it runs on. Also classifies their errors, because each engine reports errors differently.
 */
import { type Expression, PostgresAdapter, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from './db.ts'
import { postgresLabels, postgresTagLists, sqliteLabels, sqliteTagLists, type TagLists } from './labels.ts'
import { postgresLastUsedDay, sqliteLastUsedDay } from './last-used-day.ts'
import { postgresRoleChecks, sqliteRoleChecks } from './role-checks.ts'
import { fts5, pgTrgm, type Trigrams } from './trigrams.ts'
import { postgresUsageState, sqliteUsageState } from './usage-state.ts'

export type Dialect = TagLists & {
  /** Column type used in migrations. */
  readonly integer: string
  readonly bigint: string
  readonly double: string
  readonly bytes: string
  /** The ascending primary key `seq`. Without `autoincrement`, SQLite would reuse the last number. */
  readonly seq: string
  /** Table options that follow the columns. `strict` makes SQLite reject wrong types, as PostgreSQL does. */
  readonly table: string
  /** Options for tables that are always read by their full primary key. */
  readonly clusteredTable: string
  /** Pattern operator that ignores the case of ASCII letters. */
  readonly like: 'like' | 'ilike'
  /** Function that returns the largest of its arguments. */
  readonly greatest: 'max' | 'greatest'
  /**
   * Expression that lowercases the ASCII letters of a string. Results are compared by bytes on both engines.
   */
  readonly lower: (text: string) => string
  /** Creates the triggers that maintain `users.last_used_day`. */
  readonly lastUsedDay: readonly string[]
  /** Whether reads can lock single rows. An engine without row locks runs one transaction at a time. */
  readonly rowLocks: boolean
  /** The substring index for searching users. */
  readonly trigrams: Trigrams
  /** Creates the triggers that maintain `users.standing`. */
  readonly standing: readonly string[]
  /** Creates the triggers that maintain `user_labels`. */
  readonly labels: readonly string[]
  /** Creates the triggers that maintain `discord_role_checks`. */
  readonly roleChecks: readonly string[]
  /**
   * Turns a JSON array of arrays into rows. The columns are the inner arrays' entries in order, plus
   * `position` in the outer array. Uses one parameter and the same SQL for any number of rows.
   */
  readonly rowsFrom: (json: string, columns: readonly JsonColumn[]) => RawBuilder<unknown>
  /** A JSON object with these fields in this order, serialized byte for byte like `JSON.stringify`. */
  readonly jsonObject: (members: readonly JsonMember[]) => RawBuilder<string>
  /** Expression for the hex digits of bytes. */
  readonly hex: (bytes: RawBuilder<unknown>) => RawBuilder<string>
  /**
   * Unpacks rows with `user_key`, `after` and a JSON object as `content`. Returns the first two as
   * `trashed_key` and `trashed_after`, and the object's fields as columns. `bytes` are hex-encoded in the
   * JSON.
   */
  readonly unpacked: (source: RawBuilder<unknown>, members: readonly PackedMember[]) => RawBuilder<unknown>
  /** Clause before the values of an insert that sets `seq`. */
  readonly overriding: RawBuilder<unknown>
}
export type PackedMember = readonly [name: string, kind: 'number' | 'text' | 'bytes']
/** `bytes` are hex-encoded in the JSON. */
export type JsonColumn = readonly [
  name: string,
  type: 'text' | 'integer' | 'bigint' | 'double precision' | 'bytes',
]
type JsonMember = readonly [
  name: string,
  value:
    | { readonly plain: RawBuilder<unknown> }
    | { readonly flag: RawBuilder<SqlBool> }
    /** A serialized JSON value. */
    | { readonly json: RawBuilder<unknown> },
]

const sqlite: Dialect = {
  integer: 'integer',
  bigint: 'integer',
  double: 'real',
  bytes: 'blob',
  seq: 'integer primary key autoincrement',
  table: 'strict',
  clusteredTable: 'strict, without rowid',
  like: 'like',
  greatest: 'max',
  lower: (text) => `lower(${text})`,
  lastUsedDay: sqliteLastUsedDay,
  rowLocks: false,
  trigrams: fts5,
  standing: sqliteUsageState,
  labels: sqliteLabels,
  roleChecks: sqliteRoleChecks,
  ...sqliteTagLists,
  rowsFrom: (json, columns) => {
    const list = columns.map(([name, type], index) => {
      const member = `json_extract(value, '$[${index}]')`
      return `${type === 'bytes' ? `unhex(${member})` : member} as ${name}`
    })
    return sql`(select ${sql.raw(list.join(', '))}, key as position from json_each(${json}))`
  },
  jsonObject: (members) => {
    const list = members.map(([name, value]) => {
      if ('json' in value) return sql`${sql.lit(name)}, json(${value.json})`
      return 'flag' in value
        ? sql`${sql.lit(name)}, json(iif(${value.flag}, 'true', 'false'))`
        : sql`${sql.lit(name)}, ${value.plain}`
    })
    return sql`json_object(${sql.join(list)})`
  },
  hex: (bytes) => sql`iif(${bytes} is null, null, hex(${bytes}))`,
  unpacked: (source, members) => {
    const list = members.map(([name, kind]) => {
      const member = sql`json_extract(given.content, ${sql.lit(`$."${name}"`)})`
      return sql`${kind === 'bytes' ? sql`unhex(${member})` : member} as ${sql.id(name)}`
    })
    return sql`(select given.user_key as trashed_key, given.after as trashed_after, ${sql.join(list)} from (${source}) as given)`
  },
  overriding: sql``,
}

const postgres: Dialect = {
  integer: 'integer',
  bigint: 'bigint',
  double: 'double precision',
  bytes: 'bytea',
  seq: 'bigint generated always as identity primary key',
  table: '',
  clusteredTable: '',
  like: 'ilike',
  greatest: 'greatest',
  lower: (text) => `lower((${text}) collate "C")`,
  lastUsedDay: postgresLastUsedDay,
  rowLocks: true,
  trigrams: pgTrgm,
  standing: postgresUsageState,
  labels: postgresLabels,
  roleChecks: postgresRoleChecks,
  ...postgresTagLists,
  rowsFrom: (json, columns) => {
    const list = columns.map(([name, type], index) => {
      const member = `(value ->> ${index})`
      return `${type === 'bytes' ? `decode(${member}, 'hex')` : `${member}::${type}`} as ${name}`
    })
    return sql`(select ${sql.raw(list.join(', '))}, position
      from jsonb_array_elements(${json}::jsonb) with ordinality as given (value, position))`
  },
  jsonObject: (members) => {
    const columns = members.map(([name, value]) => {
      if ('json' in value) return sql`cast(${value.json} as json) as ${sql.id(name)}`
      return sql`${'flag' in value ? value.flag : value.plain} as ${sql.id(name)}`
    })
    return sql`(select row_to_json(object)::text from (select ${sql.join(columns)}) as object)`
  },
  hex: (bytes) => sql`encode(${bytes}, 'hex')`,
  unpacked: (source, members) => {
    const types = members.map(
      ([name, kind]) => sql`${sql.id(name)} ${sql.raw(kind === 'number' ? 'numeric' : 'text')}`,
    )
    const list = members.map(([name, kind]) => {
      const member = sql`m.${sql.id(name)}`
      return sql`${kind === 'bytes' ? sql`decode(${member}, 'hex')` : member} as ${sql.id(name)}`
    })
    // Uses a join, because extracting each field separately would parse the entire JSON every time.
    return sql`(select given.user_key as trashed_key, given.after as trashed_after, ${sql.join(list)} from (${source}) as given
      cross join lateral jsonb_to_record(given.content::jsonb) as m (${sql.join(types)}))`
  },
  overriding: sql`overriding system value`,
}

export const dialectOf = (db: Pick<Queries, 'getExecutor'>): Dialect =>
  db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite

type Lockable<Q> = { forNoKeyUpdate(): Q }

/**
 * Locks the rows of a query against other transactions. A no-op update would lock them too, but
 * PostgreSQL would write a new version of each row, and new index entries if the page is full.
 */
export const forUpdate = <Q extends Lockable<Q>>(query: Q, db: Pick<Queries, 'getExecutor'>): Q =>
  dialectOf(db).rowLocks ? query.forNoKeyUpdate() : query

type Modifiable<Q> = { modifyEnd(modifier: Expression<unknown>): Q }

/** Locks the rows of a query and skips those locked by another transaction. */
export const skipLocked = <Q extends Modifiable<Q>>(query: Q, db: Pick<Queries, 'getExecutor'>): Q =>
  dialectOf(db).rowLocks ? query.modifyEnd(sql`for update skip locked`) : query

/**
 * Whether a row violated a unique constraint or primary key. Prefer `on conflict`: an error aborts the
 * transaction.
 */
export const isUniqueViolation = (error: unknown): boolean =>
  UNIQUE.has(sqliteCode(error)) || sqlState(error) === '23505'

/** Whether a row cannot be deleted because another one references it. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  sqliteCode(error) === SQLITE_CONSTRAINT_FOREIGNKEY || sqlState(error) === '23503'

/** Whether the database was unavailable, so that a retry may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  BUSY_OR_BROKEN.has(sqliteCode(error) & 0xff) ||
  UNAVAILABLE_STATES.test(sqlState(error)) ||
  isOfStandby(error) ||
  isConnectionFailure(error)

/**
 * Whether a transaction failed only because of another one (serialization failure or deadlock) and may be
 * retried.
 */
export const isSerializationFailure = (error: unknown): boolean => /^40(001|P01)$/.test(sqlState(error))

/** Whether a PostgreSQL prepared statement no longer exists, or its table has been altered. */
export const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '26000' || isUnsupportedBy(error, 'RevalidateCachedQuery')

/** A standby that has not been promoted rejects read-write transactions. */
const isOfStandby = (error: unknown): boolean => isUnsupportedBy(error, 'call_bool_check_hook')

/** SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_ROWID. */
const UNIQUE = new Set([2067, 1555, 2579])
const SQLITE_CONSTRAINT_FOREIGNKEY = 787
/** SQLITE_BUSY, LOCKED, IOERR, FULL and CANTOPEN. */
const BUSY_OR_BROKEN = new Set([5, 6, 10, 13, 14])
/**
 * Error classes 08 (connection), 53 (resources) and 57 (operator intervention, including statement timeouts),
 * and 55P03 (lock timeout).
 */
const UNAVAILABLE_STATES = /^(08...|53...|57...|55P03)$/
/** Messages from `pg` for failures without a code. */
const CONNECTION_MESSAGES =
  /^(timeout exceeded when trying to connect|Query read timeout|Connection terminated)/

function sqliteCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

/** PostgreSQL errors have a severity. Checking for it avoids loading the driver. */
function sqlState(error: unknown): string {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code ?? '') : ''
}

/**
 * The code is too generic, and messages are localized, so this checks the routine that reported the error.
 */
function isUnsupportedBy(error: unknown, routine: string): boolean {
  return sqlState(error) === '0A000' && (error as { routine?: string }).routine === routine
}

function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return 'syscall' in error || CONNECTION_MESSAGES.test(error.message)
}
