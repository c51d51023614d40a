/** All queries on the `users` table. */
import type { Insertable, Selectable, Updateable, UpdateObject } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { forUpdate, skipLocked } from '../../../database/engine/dialect.ts'
import { prepared } from '../../../database/engine/prepared.ts'
import type { Tables, UsersTable } from '../../../database/schema/tables.ts'
import { isVisible } from '../../changes/store/visible-users.ts'
import { isEndAnnounced } from '../../key-validity/store/announced-ends.ts'
import { runsNoMore } from '../../plans/store.ts'

export type UserRow = Selectable<UsersTable>
/** `customer_id` is read from the project. */
export type NewUser = Omit<Insertable<UsersTable>, 'customer_id'>
export type UserChanges = Updateable<UsersTable>

/**
 * Finds a user by chat ID, including users that a bulk change is adding, because their chat IDs are taken.
 */
export const findUserByChat = (
  db: Queries,
  projectId: string,
  chatId: string,
): Promise<UserRow | undefined> =>
  db
    .selectFrom('users')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('chat_id', '=', chatId)
    .executeTakeFirst()

const locked = prepared((db, p: { project_id: string; key: string }) =>
  forUpdate(
    db
      .selectFrom('users')
      .selectAll()
      .where('key', '=', p.key)
      .where('project_id', '=', p.project_id)
      .where(isVisible()),
    db,
  ),
)
/** Locks and returns the user, or null if the project has no such key. */
export const lockUser = (tx: Queries, projectId: string, key: string): Promise<UserRow | null> =>
  locked.first(tx, { project_id: projectId, key })

const keysListed = prepared((db, p: { project_id: string; after: number; limit: number }) =>
  db
    .selectFrom('users')
    .select(['seq', 'key'])
    .where('project_id', '=', p.project_id)
    .where('seq', '>', p.after)
    .orderBy('seq')
    .limit(p.limit),
)
/**
 * Lists keys with a `seq` greater than `after` in order of creation, including those of users that a bulk
 * change is adding.
 */
export const listKeysAfter = (
  db: Queries,
  projectId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ seq: number; key: string }[]> => keysListed.all(db, { project_id: projectId, after, limit })

const listed = prepared((db, p: { project_id: string; after: number; limit: number }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('project_id', '=', p.project_id)
    .where('seq', '>', p.after)
    .where(isVisible())
    .orderBy('seq')
    .limit(p.limit),
)
/** Lists users with a `seq` greater than `after` in order of creation. The cost doesn't depend on `after`. */
export const listUsersAfter = (
  db: Queries,
  projectId: string,
  { after, limit }: { after: number; limit: number },
): Promise<UserRow[]> => listed.all(db, { project_id: projectId, after, limit })

export type UserName = Pick<UserRow, 'key' | 'note' | 'chat_id'>

/** Lists the notes and Discord accounts for these keys. Keys that are not in the project are omitted. */
export const listUserNames = async (
  db: Queries,
  projectId: string,
  keys: readonly string[],
): Promise<UserName[]> =>
  keys.length === 0
    ? []
    : db
        .selectFrom('users')
        .select(['key', 'note', 'chat_id'])
        .where('project_id', '=', projectId)
        .where('key', 'in', keys)
        .where(isVisible())
        .execute()

const issuedUsers = (db: Queries, issuer: string) =>
  db.selectFrom('users').where('issuer', '=', issuer).where(isVisible())

/** Counts an issuer's users across all projects. */
export const countIssuedUsers = async (db: Queries, issuer: string): Promise<number> => {
  const counted = issuedUsers(db, issuer).select((e) => e.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** Counts an issuer's users in one project. */
export const countIssuedOfProject = async (
  db: Queries,
  issuer: string,
  projectId: string,
): Promise<number> => {
  const issued = issuedUsers(db, issuer).where('project_id', '=', projectId)
  const counted = issued.select((e) => e.fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

const listedBefore = prepared((db, p: { project_id: string; before: number; limit: number }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('project_id', '=', p.project_id)
    .where('seq', '<', p.before)
    .where(isVisible())
    .orderBy('seq', 'desc')
    .limit(p.limit),
)
/** Lists users with a `seq` less than `before`, newest first. */
export const listUsersBefore = (
  db: Queries,
  projectId: string,
  { before, limit }: { before: number; limit: number },
): Promise<UserRow[]> => listedBefore.all(db, { project_id: projectId, before, limit })

/** Returns the `seq` of the user at an index in the list, or undefined if the list is shorter. */
export const findUserSeqAt = async (
  db: Queries,
  projectId: string,
  index: number,
): Promise<number | undefined> => {
  const row = await db
    .selectFrom('users')
    .select('seq')
    .where('project_id', '=', projectId)
    .where(isVisible())
    .orderBy('seq')
    .limit(1)
    .offset(index)
    .executeTakeFirst()
  return row?.seq
}

/** Returns the `seq` of a project's latest user, or 0 if there are no users. */
export const findLastUserSeq = async (db: Queries, projectId: string): Promise<number> => {
  const row = await db
    .selectFrom('users')
    .select('seq')
    .where('project_id', '=', projectId)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? 0
}

export const insertUser = (tx: Queries, row: NewUser): Promise<UserRow> =>
  tx
    .insertInto('users')
    .values((e) => ({
      ...row,
      customer_id: e.selectFrom('projects').select('customer_id').where('id', '=', row.project_id),
    }))
    .returningAll()
    .executeTakeFirstOrThrow()

/** Returns undefined if the user was deleted. */
export const updateUser = (
  tx: Queries,
  projectId: string,
  key: string,
  changes: UpdateObject<Tables, 'users'>,
): Promise<UserRow | undefined> =>
  tx
    .updateTable('users')
    .set(changes)
    .where('key', '=', key)
    .where('project_id', '=', projectId)
    .returningAll()
    .executeTakeFirst()

const running = prepared((db, p: { project_id: string; key: string }) =>
  db
    .selectFrom('users')
    .selectAll()
    .where('key', '=', p.key)
    .where('project_id', '=', p.project_id)
    .where(isVisible()),
)
/** Finds the user for a key sent by a client, or null if the project has no such key. */
export const findRunningUser = (db: Queries, projectId: string, key: string): Promise<UserRow | null> =>
  running.first(db, { project_id: projectId, key })

type UserExecution = Pick<
  UserRow,
  | 'key'
  | 'project_id'
  | 'executor'
  | 'fingerprint_assigned'
  | 'fingerprint_display'
  | 'key_expires'
  | 'clock_began'
  | 'clock_waits'
  | 'first_used_at'
  | 'last_used_at'
  | 'quota_used'
  | 'quota_until'
>

const executed = prepared((db, p: UserExecution) =>
  db
    .updateTable('users')
    .set((e) => ({
      executions: e('executions', '+', 1),
      executor: p.executor,
      fingerprint_assigned: p.fingerprint_assigned,
      fingerprint_display: p.fingerprint_display,
      key_expires: p.key_expires,
      clock_began: p.clock_began,
      clock_waits: p.clock_waits,
      first_used_at: p.first_used_at,
      last_used_at: p.last_used_at,
      quota_used: p.quota_used,
      quota_until: p.quota_until,
    }))
    .where('key', '=', p.key)
    .where('project_id', '=', p.project_id),
)
/** Counts an execution and records its executor. */
export const updateUserExecution = async (tx: Queries, execution: UserExecution): Promise<void> => {
  await executed.count(tx, execution)
}

/** Clears an expired blacklist entry. Returns false if another transaction has cleared or extended it. */
export const updateEndedBlacklist = async (tx: Queries, seq: number, now: number): Promise<boolean> => {
  const done = await tx
    .updateTable('users')
    .set({ blacklisted: 0, blacklist_reason: null, blacklist_expires: null })
    .where('seq', '=', seq)
    .where('blacklisted', '=', 1)
    .where('blacklist_expires', '<=', now)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/**
 * Clears up to `limit` expired blacklist entries across all projects. Returns the users as they were before.
 */
export const updateEndedBlacklists = async (tx: Queries, now: number, limit: number): Promise<UserRow[]> => {
  const ended = tx
    .selectFrom('users')
    .selectAll()
    .where('blacklisted', '=', 1)
    .where('blacklist_expires', '<=', now)
    .where(isVisible())
    .limit(limit)
  const rows = await skipLocked(ended, tx).execute()
  if (rows.length === 0) return rows
  await tx
    .updateTable('users')
    .set({ blacklisted: 0, blacklist_reason: null, blacklist_expires: null })
    .where(
      'seq',
      'in',
      rows.map(({ seq }) => seq),
    )
    .execute()
  return rows
}

/**
 * Lists the `seq` of up to `limit` users in a project whose keys expired before this time and whose expiry
 * has been announced.
 */
export const listExpiredUsers = async (
  db: Queries,
  projectId: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number[]> => {
  const rows = await db
    .selectFrom('users as u')
    .select('u.seq')
    .where('u.project_id', '=', projectId)
    .where('u.key_expires', '<=', before)
    .where('u.paused_at', 'is', null)
    .where(isVisible('u'))
    .where(runsNoMore('u', before))
    .where(isEndAnnounced())
    .limit(limit)
    .execute()
  return rows.map(({ seq }) => seq)
}
