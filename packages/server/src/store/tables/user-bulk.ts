/**
 * Changes of many users of a project, each in one statement regardless of their number, for `Database.bulk`, and the
 * reads of an export. Callers that insert or delete here also call `changeUserCount`.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { dialectOf, type JsonColumn } from '../engine/dialect.ts'
import { prepared } from '../engine/prepared.ts'
import { isVisible } from './user-batches.ts'
import { isBanned } from './user-filter.ts'
import type { NewUserFingerprint } from './user-fingerprints.ts'
import type { DeletedUser, UserRow } from './users.ts'

/** A user of an import; columns that are not listed here have their default. */
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
] as const satisfies readonly (readonly [keyof ListedUser, JsonColumn[1]])[]

export type NewUsers = {
  readonly projectId: string
  readonly createdAt: number
  /** Member or token that issues them; absent for those who see all users. */
  readonly issuer?: string | undefined
  /** Without it they are visible when the transaction commits. */
  readonly batch?: number
}

/** They are created in the order of the list. */
export const insertUsers = async (
  tx: Queries,
  { projectId, createdAt, issuer, batch }: NewUsers,
  users: readonly ListedUser[],
): Promise<void> => {
  const columns = namesOf(userColumns)
  const owner = sql`(select customer_id from projects where id = ${projectId})`
  await sql`insert into users (customer_id, project_id, created_at, issuer, batch, ${columns})
    select ${owner}, ${projectId}, ${createdAt}, cast(${issuer ?? null} as text), cast(${batch ?? null} as bigint), ${columns} from ${rowsOf(tx, userColumns, users)} as given
    order by position`.execute(tx)
}

const fingerprintColumns = [
  ['user_key', 'text'],
  ['project_id', 'text'],
  ['component', 'text'],
  ['strength', 'integer'],
  ['hash', 'text'],
] as const satisfies readonly (readonly [keyof NewUserFingerprint, JsonColumn[1]])[]

export const insertListedFingerprints = async (
  tx: Queries,
  fingerprints: readonly NewUserFingerprint[],
): Promise<void> => {
  const columns = namesOf(fingerprintColumns)
  await sql`insert into user_fingerprints (${columns})
    select ${columns} from ${rowsOf(tx, fingerprintColumns, fingerprints)} as given`.execute(tx)
}

type Page = { readonly after: number; readonly limit: number }

const exportedJson = prepared<
  { project_id: string; now: number; after: number; limit: number },
  { text: string | null; last: number | null }
>((db, p) => {
  const banned = isBanned(p.now)
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
  return sql`select string_agg(text, ',' order by seq) as text, max(seq) as last from (
    select u.seq, ${user} as text from users as u
    where u.project_id = ${p.project_id} and u.seq > ${p.after} and ${isVisible('u')} order by u.seq limit ${p.limit}) as page`
})
/**
 * The users after one as JSON objects separated by commas, in order of creation, and the `seq` of the last; nulls when
 * there are none. The engine writes the text, because building a million rows in JavaScript takes seconds.
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
/** The columns of a text export for the users after one, in order of creation. */
export const listExportedUsers = (
  db: Queries,
  projectId: string,
  { after, limit }: Page,
): Promise<ExportedUser[]> => exported.all(db, { project_id: projectId, after, limit })

/** Those of the keys that exist in any project of the customer, or that a batch is adding. */
export const listTakenKeys = async (
  db: Queries,
  customerId: string,
  keys: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`select users.key from ${textsOf(db, keys)} as given
    cross join users where users.customer_id = ${customerId} and users.key = given.text`.execute(db)
  return rows.map((row) => row.key)
}

/** Those of the chat ids that exist in the project, or that a batch is adding. */
export const listTakenChats = async (
  db: Queries,
  projectId: string,
  chatIds: readonly string[],
): Promise<string[]> => {
  const { rows } = await sql<{ chat_id: string }>`select users.chat_id from ${textsOf(db, chatIds)} as given
    cross join users where users.chat_id = given.text and users.project_id = ${projectId}`.execute(db)
  return rows.map((row) => row.chat_id)
}

/** Up to so many of a project's users who were created no later than one. */
export type Some = { readonly projectId: string; readonly last: number; readonly limit: number }

/** Unbinds users who are bound, and returns their keys. Their fingerprints are deleted separately. */
export const updateSomeUnbound = async (tx: Queries, some: Some, now: number): Promise<string[]> => {
  const { rows } = await sql<{
    key: string
  }>`update users set fingerprint_assigned = 0, fingerprint_display = null,
    last_reset = ${now}, total_fingerprint_resets = total_fingerprint_resets + 1
    where seq in (${someOf(some, sql`fingerprint_assigned = 1`)}) returning key`.execute(tx)
  return rows.map(({ key }) => key)
}

export const deleteListedFingerprints = async (
  tx: Queries,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  await sql`delete from user_fingerprints
    where project_id = ${projectId} and user_key in (select given.text from ${textsOf(tx, keys)} as given)`.execute(
    tx,
  )
}

/** Extends keys that can expire, up to `latest`; keys that expired by `now` only when requested. */
export const updateExpiries = async (
  tx: Queries,
  projectId: string,
  { duration, latest, now, expired }: { duration: number; latest: number; now: number; expired: boolean },
): Promise<number> => {
  const { numAffectedRows } = await sql`update users
    set key_expires = case when key_expires > ${latest - duration} then ${latest} else key_expires + ${duration} end
    where project_id = ${projectId} and key_expires > ${expired ? -1 : now}`.execute(tx)
  return Number(numAffectedRows)
}

/** Deletes users who never executed, have no fingerprint and no chat id. */
export const deleteUnusedUsers = (tx: Queries, some: Some): Promise<DeletedUser[]> =>
  deleteSome(tx, some, sql`executions = 0 and fingerprint_assigned = 0 and chat_id is null`)

export const deleteAnyUsers = (tx: Queries, some: Some): Promise<DeletedUser[]> =>
  deleteSome(tx, some, sql`1 = 1`)

/** Returns those whom it deleted; others are being deleted by another transaction. */
async function deleteSome(tx: Queries, some: Some, condition: RawBuilder<unknown>): Promise<DeletedUser[]> {
  const { rows } = await sql<DeletedUser>`delete from users where seq in (${someOf(some, condition)})
    returning ad_system_id`.execute(tx)
  return rows
}

function someOf({ projectId, last, limit }: Some, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select seq from users
    where project_id = ${projectId} and seq <= ${last} and ${condition} limit ${limit}`
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
