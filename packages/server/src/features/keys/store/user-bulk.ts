/**
 * Queries for many users: inserts for `Database.bulk`, and reads for exports and for the bulk changes in
 * `trash.ts`. Callers of the inserts must also call `changeUserCount`.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, type JsonColumn } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import type { UserDeviceRow } from '../../devices/store/user-devices.ts'
import type { NewUserFingerprint } from '../../devices/store/user-fingerprints.ts'
import { isBlacklistedNow, type SeqRange } from '../../key-validity/store/user-status.ts'
import type { UserRow } from './users.ts'

/** An imported user. Columns not listed here have their defaults. */
export type ListedUser = Pick<
  UserRow,
  | 'key'
  | 'chat_id'
  | 'key_expires'
  | 'note'
  | 'executor'
  | 'blacklisted'
  | 'blacklist_reason'
  | 'blacklist_expires'
  | 'fingerprint_assigned'
  | 'fingerprint_display'
  | 'plan_id'
  | 'starts_at'
  | 'clock_basis'
  | 'clock_duration'
  | 'clock_began'
  | 'clock_waits'
  | 'features'
  | 'executions'
  | 'last_reset'
  | 'total_fingerprint_resets'
  | 'first_used_at'
  | 'last_used_at'
  | 'max_executions'
  | 'use_fingerprint'
  | 'paused_at'
  | 'foreign_device'
  | 'max_devices'
  | 'device_match'
  | 'tags'
  | 'metadata'
  | 'metadata_labels'
  | 'private_note'
  | 'issued_to'
  | 'issued_by'
  | 'issued_at'
>

const userColumns = [
  ['key', 'text'],
  ['chat_id', 'text'],
  ['key_expires', 'bigint'],
  ['note', 'text'],
  ['executor', 'text'],
  ['blacklisted', 'integer'],
  ['blacklist_reason', 'text'],
  ['blacklist_expires', 'bigint'],
  ['fingerprint_assigned', 'integer'],
  ['fingerprint_display', 'text'],
  ['plan_id', 'text'],
  ['starts_at', 'bigint'],
  ['clock_basis', 'text'],
  ['clock_duration', 'bigint'],
  ['clock_began', 'bigint'],
  ['clock_waits', 'integer'],
  ['features', 'text'],
  ['executions', 'integer'],
  ['last_reset', 'bigint'],
  ['total_fingerprint_resets', 'integer'],
  ['first_used_at', 'bigint'],
  ['last_used_at', 'bigint'],
  ['max_executions', 'integer'],
  ['use_fingerprint', 'integer'],
  ['paused_at', 'bigint'],
  ['foreign_device', 'text'],
  ['max_devices', 'integer'],
  ['device_match', 'text'],
  ['tags', 'text'],
  ['metadata', 'text'],
  ['metadata_labels', 'text'],
  ['private_note', 'text'],
  ['issued_to', 'text'],
  ['issued_by', 'text'],
  ['issued_at', 'bigint'],
] as const satisfies readonly (readonly [keyof ListedUser, JsonColumn[1]])[]

export type NewUsers = {
  readonly projectId: string
  readonly createdAt: number
  /** The team member or token that issues the users. Absent for callers who can see all users. */
  readonly issuer?: string | undefined
  /** If absent, the users become visible when the transaction commits. */
  readonly change?: number
}

/** Inserts the users in list order. */
export const insertUsers = async (
  tx: Queries,
  { projectId, createdAt, issuer, change }: NewUsers,
  users: readonly ListedUser[],
): Promise<void> => {
  const columns = namesOf(userColumns)
  const owner = sql`(select customer_id from projects where id = ${projectId})`
  await sql`insert into users (customer_id, project_id, created_at, issuer, change, ${columns})
    select ${owner}, ${projectId}, ${createdAt}, cast(${issuer ?? null} as text), cast(${change ?? null} as bigint), ${columns} from ${rowsOf(tx, userColumns, users)} as given
    order by position`.execute(tx)
}

const fingerprintColumns = [
  ['user_key', 'text'],
  ['project_id', 'text'],
  ['component', 'text'],
  ['strength', 'integer'],
  ['hash', 'text'],
  ['device', 'text'],
] as const satisfies readonly (readonly [keyof NewUserFingerprint, JsonColumn[1]])[]

export const insertListedFingerprints = async (
  tx: Queries,
  fingerprints: readonly Required<NewUserFingerprint>[],
): Promise<void> => {
  const columns = namesOf(fingerprintColumns)
  await sql`insert into user_fingerprints (${columns})
    select ${columns} from ${rowsOf(tx, fingerprintColumns, fingerprints)} as given`.execute(tx)
}

const deviceColumns = [
  ['user_key', 'text'],
  ['project_id', 'text'],
  ['id', 'text'],
  ['display', 'text'],
  ['bound_at', 'bigint'],
] as const satisfies readonly (readonly [keyof UserDeviceRow, JsonColumn[1]])[]

export type ListedDevice = Pick<UserDeviceRow, (typeof deviceColumns)[number][0]>

export const insertListedDevices = async (tx: Queries, devices: readonly ListedDevice[]): Promise<void> => {
  const columns = namesOf(deviceColumns)
  await sql`insert into user_devices (${columns})
    select ${columns} from ${rowsOf(tx, deviceColumns, devices)} as given`.execute(tx)
}

type Page = { readonly after: number; readonly limit: number }

const exportedJson = prepared<
  { project_id: string; now: number; after: number; limit: number },
  { text: string | null; last: number | null }
>((db, p) => {
  const banned = isBlacklistedNow(p.now)
  const whileBanned = (column: string) => sql`case when ${banned} then ${sql.ref(`u.${column}`)} end`
  const user = dialectOf(db).jsonObject([
    ['key', { plain: sql`u.key` }],
    ['chat_id', { plain: sql`u.chat_id` }],
    ['executor', { plain: sql`u.executor` }],
    ['key_expires', { plain: sql`u.key_expires` }],
    ['note', { plain: sql`u.note` }],
    ['blacklisted', { flag: banned }],
    ['blacklist_reason', { plain: whileBanned('blacklist_reason') }],
    ['blacklist_expires', { plain: whileBanned('blacklist_expires') }],
  ])
  const more = dialectOf(db).jsonObject([
    ['tags', { json: sql`coalesce(u.tags, '[]')` }],
    ['metadata', { json: sql`coalesce(u.metadata, '{}')` }],
    ['private_note', { plain: sql`u.private_note` }],
    ['issued_to', { plain: sql`u.issued_to` }],
    ['issued_by', { plain: sql`u.issued_by` }],
    ['issued_at', { plain: sql`u.issued_at` }],
  ])
  // Included only if set, so that the export format stays the same for authors who don't use these fields.
  const whole = sql`case when coalesce(u.tags, u.metadata, u.private_note, u.issued_to, u.issued_by, cast(u.issued_at as text)) is null
    then ${user} else substr(${user}, 1, length(${user}) - 1) || ',' || substr(${more}, 2) end`
  return sql`select string_agg(text, ',' order by seq) as text, max(seq) as last from (
    select u.seq, ${whole} as text from users as u
    where u.project_id = ${p.project_id} and u.seq > ${p.after} and ${isVisible('u')} order by u.seq limit ${p.limit}) as page`
})
/**
 * Returns the users after `after` as comma-separated JSON objects in order of creation, and the last `seq`.
 * Both are null if there are no users. The database builds the string, because JavaScript would take seconds
 * for a million rows.
 */
export const readExportedJson = async (
  db: Queries,
  { projectId, now }: { projectId: string; now: number },
  { after, limit }: Page,
): Promise<{ text: string | null; last: number | null }> => {
  const row = await exportedJson.first(db, { project_id: projectId, now, after, limit })
  return row ?? { text: null, last: null }
}

export type ExportedUser = Pick<UserRow, 'seq' | (typeof exportColumns)[number]>

const exportColumns = ['key', 'chat_id', 'executor', 'executions', 'fingerprint_assigned'] as const

const exported = prepared((db, p: { project_id: string; after: number; limit: number }) =>
  db
    .selectFrom('users')
    .select(['seq', ...exportColumns])
    .where('project_id', '=', p.project_id)
    .where('seq', '>', p.after)
    .where(isVisible())
    .orderBy('seq')
    .limit(p.limit),
)
/** Lists the columns of a text export for the users after `after`, in order of creation. */
export const listExportedUsers = (
  db: Queries,
  projectId: string,
  { after, limit }: Page,
): Promise<ExportedUser[]> => exported.all(db, { project_id: projectId, after, limit })

/** Returns which of the keys belong to any project of the account or are being added by a bulk change. */
export const listTakenKeys = async (
  db: Queries,
  customerId: string,
  keys: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`select users.key from ${textsOf(db, keys)} as given
    cross join users where users.customer_id = ${customerId} and users.key = given.text`.execute(db)
  return rows.map((row) => row.key)
}

/** Returns which of the chat IDs are used in the project or are being added by a bulk change. */
export const listTakenChats = async (
  db: Queries,
  projectId: string,
  chatIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ chat_id: string }>`select users.chat_id from ${textsOf(db, chatIds)} as given
    cross join users where users.chat_id = given.text and users.project_id = ${projectId}`.execute(db)
  return rows.map((row) => row.chat_id)
}

/** Lists the `seq` of the users in a range that match a condition on `u`. */
export const listRange = async (
  db: Queries,
  projectId: string,
  { after, end }: SeqRange,
  where: RawBuilder<SqlBool>,
): Promise<number[]> => {
  const last = end ?? Number.MAX_SAFE_INTEGER
  const { rows } = await sql<{ seq: number }>`select u.seq from users as u
    where u.project_id = ${projectId} and u.seq > ${after} and u.seq <= ${last} and ${where} and ${isVisible('u')}
    order by u.seq`.execute(db)
  return rows.map(({ seq }) => seq)
}

/** Lists the `seq` of the project's users with these keys. */
export const listKeySeqs = async (
  db: Queries,
  projectId: string,
  keys: readonly string[],
): Promise<number[]> => {
  const { rows } = await sql<{ seq: number }>`select u.seq from ${textsOf(db, keys)} as given
    cross join users as u where u.project_id = ${projectId} and u.key = given.text and ${isVisible('u')}
    order by u.seq`.execute(db)
  return rows.map(({ seq }) => seq)
}

/** Returns which of the keys exist in the project. */
export const listPresentKeys = async (
  db: Queries,
  projectId: string,
  keys: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`select u.key from ${textsOf(db, keys)} as given
    cross join users as u where u.project_id = ${projectId} and u.key = given.text and ${isVisible('u')}`.execute(
    db,
  )
  return rows.map(({ key }) => key)
}

/**
 * Counts the users that match a condition on `u` within a range of `size` users. `end` is the last user in
 * the range, or undefined at the end of the list.
 */
export const countTouched = async (
  db: Queries,
  { projectId, where }: { readonly projectId: string; readonly where: RawBuilder<SqlBool> },
  { after, size }: { readonly after: number; readonly size: number },
): Promise<{ readonly count: number; readonly end: number | undefined }> => {
  const { rows } = await sql<{ looked: number; count: number | null; last: number | null }>`
    select count(*) as looked, sum(touched) as count, max(seq) as last
    from (select u.seq, case when ${where} and ${isVisible('u')} then 1 else 0 end as touched
      from users as u where u.project_id = ${projectId} and u.seq > ${after} order by u.seq limit ${size}) as near`.execute(
    db,
  )
  const { looked = 0, count = 0, last } = rows[0] ?? {}
  return { count: count ?? 0, end: looked < size ? undefined : (last ?? undefined) }
}

function rowsOf<Name extends string>(
  db: Queries,
  columns: readonly (readonly [Name, JsonColumn[1]])[],
  rows: readonly Readonly<Record<Name, unknown>>[],
): RawBuilder<unknown> {
  const lists = rows.map((row) => columns.map(([name]) => row[name]))
  return dialectOf(db).rowsFrom(JSON.stringify(lists), columns)
}

function textsOf(db: Queries, texts: readonly string[]): RawBuilder<unknown> {
  return dialectOf(db).rowsFrom(JSON.stringify(texts.map((text) => [text])), [['text', 'text']])
}

function namesOf(columns: readonly JsonColumn[]): RawBuilder<unknown> {
  return sql.raw(columns.map(([name]) => name).join(', '))
}
