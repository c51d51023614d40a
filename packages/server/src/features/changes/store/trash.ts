/**
 * All queries on the `trash` table. The transaction that changes or removes rows also moves them here, and
 * the transaction of an undo restores them. Each statement covers all users in one slice.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import { dialectOf, type PackedMember } from '../../../database/engine/dialect.ts'
import { tables } from '../../../database/schema/tables.ts'
import { isEndAnnounced } from '../../key-validity/store/announced-ends.ts'
import { type Effect, valuesOf } from '../../key-validity/store/effect.ts'
import type { UserRow } from '../../keys/store/users.ts'
import { runsNoMore } from '../../plans/store.ts'
import { type Branch, OF_PROJECT, OF_SCRIPT, OF_USER, type OfUser } from './trash-tree.ts'
import { isVisible } from './visible-users.ts'

type TableName = keyof typeof tables
/** Location of stored rows: the change, the slice (each slice is one transaction), and the project. */
export type Place = { readonly change: number; readonly slice: number; readonly projectId: string }
export type PickedUser = Pick<UserRow, 'seq' | 'key' | 'ad_system_id'>

const PROJECT_SLICE = 0

/** The users that match a condition on `u`. They are locked unless `isLocked` is false. */
export const pickUsers = async (
  tx: Queries,
  projectId: string,
  seqs: readonly number[],
  { where, isLocked = true }: { readonly where: RawBuilder<SqlBool>; readonly isLocked?: boolean },
): Promise<PickedUser[]> => {
  const lock = isLocked && dialectOf(tx).rowLocks ? sql`for update of u` : sql``
  const { rows } = await sql<PickedUser>`select u.seq, u.key, u.ad_system_id from users as u
    where u.seq in (${numbers(tx, seqs)}) and u.project_id = ${projectId} and ${isVisible('u')} and ${where}
    order by u.seq ${lock}`.execute(tx)
  return rows
}

/** Locks and returns the users whose keys expired before this time, if the project still deletes them. */
export const pickExpired = (
  tx: Queries,
  projectId: string,
  seqs: readonly number[],
  before: number,
): Promise<PickedUser[]> =>
  pickUsers(tx, projectId, seqs, {
    where: sql`(u.key_expires <= ${before} and u.paused_at is null and ${runsNoMore('u', before)} and ${isEndAnnounced()} and exists (
      select 1 from projects where id = ${projectId} and delete_expired_users = 1))`,
  })

/** Removes users and their dependent rows. */
export const trashUsers = async (tx: Queries, place: Place, users: readonly PickedUser[]): Promise<void> => {
  for (const table of OF_USER) await trashHanging(tx, place, table, keysOf(users))
  const seqs = users.map(({ seq }) => seq)
  await sql`insert into trash (change, slice, kind, user_key, content)
    select ${at(place)}, 'users', u.key, ${contentOf(tx, 'users', 'u')}
    from users as u where u.seq in (${numbers(tx, seqs)}) order by u.seq`.execute(tx)
  await sql`delete from users where seq in (${numbers(tx, seqs)})`.execute(tx)
}

/** Applies the effect to users, and deletes the rows that the effect removes. */
export const trashChanges = async (
  tx: Queries,
  place: Place,
  users: readonly PickedUser[],
  effect: Effect,
): Promise<void> => {
  const seqs = users.map(({ seq }) => seq)
  const columns = Object.keys(effect.set)
  await sql`insert into trash (change, slice, kind, user_key, content, after)
    select ${at(place)}, 'change', u.key, ${membersOf(tx, 'u', columns)}, ${afterOf(tx, effect)}
    from users as u where u.seq in (${numbers(tx, seqs)}) order by u.seq`.execute(tx)
  for (const table of effect.takes) await takeHanging(tx, place, table, keysOf(users))
  const set = valuesOf(tx, effect).map(([column, value]) => sql`${sql.id(column)} = ${value}`)
  await sql`update users set ${sql.join(set)} where seq in (${numbers(tx, seqs)})`.execute(tx)
}

/** Records added users, so that an undo can remove them. */
export const noteAddedUsers = async (tx: Queries, place: Place, keys: readonly string[]): Promise<void> => {
  await sql`insert into trash (change, slice, kind, user_key, content)
    select ${at(place)}, 'added', u.key, ${contentOf(tx, 'users', 'u')}
    from users as u where u.project_id = ${place.projectId} and u.key in (${texts(tx, keys)})
    order by u.seq`.execute(tx)
}

/** Copies a project or script and all dependent rows, except users. The caller deletes the originals. */
export const trashTree = async (
  tx: Queries,
  place: Place,
  root: { readonly table: 'projects' | 'scripts'; readonly id: string },
): Promise<void> => {
  await trashBranch(tx, place, root.table, sql`t.id = ${root.id}`)
  const branches = root.table === 'projects' ? OF_PROJECT : OF_SCRIPT
  for (const branch of branches)
    await trashBranch(tx, place, branch.table, isBelow(branches, branch, root.id))
  // Removing a script deletes only the `ffa_devices` rows of devices that ran this script first.
  if (root.table === 'scripts') await trashBranch(tx, place, 'ffa_devices', sql`t.script_id = ${root.id}`)
}

/** A user in a dry run, with the values that would change. */
export type Sample = {
  readonly key: string
  readonly chat_id: string | null
  readonly note: string | null
  readonly before: string
  readonly after: string
}

export const listSamples = async (
  db: Queries,
  seqs: readonly number[],
  effect: Effect,
): Promise<Sample[]> => {
  const { rows } = await sql<Sample>`select u.key, u.chat_id, u.note,
    ${membersOf(db, 'u', Object.keys(effect.set))} as before, ${afterOf(db, effect)} as after
    from users as u where u.seq in (${numbers(db, seqs)}) order by u.seq`.execute(db)
  return rows
}

/** The first slice of a change that is still in the trash. */
export const findFirstSlice = async (db: Queries, change: number): Promise<number | undefined> => {
  const { rows } = await sql<{ slice: number | null }>`select min(slice) as slice from trash
    where change = ${change}`.execute(db)
  return rows[0]?.slice ?? undefined
}

/** Deletes up to `limit` rows of a change, and returns their number. */
export const deleteTrash = async (tx: Queries, change: number, limit: number): Promise<number> => {
  const { numAffectedRows } = await sql`delete from trash where seq in (
    select seq from trash where change = ${change} limit ${limit})`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}

export const deleteSlice = async (tx: Queries, { change, slice }: Place): Promise<void> => {
  await sql`delete from trash where change = ${change} and slice = ${slice}`.execute(tx)
}

/**
 * The kinds of rows in a slice, each with its rows' columns. The schema may have gained columns in the
 * meantime.
 */
export const listKinds = async (
  tx: Queries,
  { change, slice }: Place,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { rows } = await sql<{ kind: string; content: string }>`select kind, content from trash
    where seq in (select min(seq) from trash where change = ${change} and slice = ${slice} group by kind)`.execute(
    tx,
  )
  return new Map(rows.map(({ kind, content }) => [kind, Object.keys(JSON.parse(content) as object)]))
}

export const listSliceKeys = async (
  tx: Queries,
  { change, slice }: Place,
  kind: string,
): Promise<string[]> => {
  const { rows } = await sql<{ key: string }>`select user_key as key from trash
    where change = ${change} and slice = ${slice} and kind = ${kind}`.execute(tx)
  return rows.map(({ key }) => key)
}

/** Returns the restored users. All others were skipped, because their key or Discord account is taken. */
export const restoreUsers = async (
  tx: Queries,
  place: Place,
  columns: readonly string[],
): Promise<PickedUser[]> => {
  const members = packed('users', columns)
  const { rows } = await sql<PickedUser>`insert into users (${names(members)}) ${dialectOf(tx).overriding}
    select ${sql.join(members.map(([name]) => restoredValue('users', name)))}
    from ${unpacked(tx, place, 'users', members)} as r
    where true order by r.seq on conflict do nothing returning seq, key, ad_system_id`.execute(tx)
  return rows
}

/** Restores these users' dependent rows. */
export const restoreHanging = async (
  tx: Queries,
  place: Place,
  hanging: { readonly table: OfUser; readonly columns: readonly string[] },
  keys: readonly string[],
): Promise<void> => {
  const members = packed(hanging.table, hanging.columns)
  const overriding = hanging.columns.includes('seq') ? dialectOf(tx).overriding : sql``
  await sql`insert into ${sql.table(hanging.table)} (${names(members)}) ${overriding}
    select ${names(members)} from ${unpacked(tx, place, hanging.table, members)} as r
    where r.trashed_key in (${texts(tx, keys)}) on conflict do nothing`.execute(tx)
}

/** Restores the values of users that have not been modified since the change, and returns their keys. */
export const restoreChanges = async (
  tx: Queries,
  place: Place,
  columns: readonly string[],
): Promise<string[]> => {
  const members = packed('users', columns)
  const set = columns.map((name) => sql`${sql.id(name)} = ${sql.ref(`r.${name}`)}`)
  const { rows } = await sql<{ key: string }>`update users set ${sql.join(set)}
    from ${unpacked(tx, place, 'change', members)} as r
    where users.project_id = ${place.projectId} and users.key = r.trashed_key
    and ${membersOf(tx, 'users', columns)} = r.trashed_after
    and ${columns.includes('plan_id') ? sql`not ${isPlanGone}` : sql`1 = 1`} returning key`.execute(tx)
  return rows.map(({ key }) => key)
}

/**
 * Applies an effect to the users that have not been modified since the change, and returns their keys. This
 * reverses changes such as pauses, which cost a key time for as long as they last: restoring its stored values
 * would not return that time.
 */
export const reverseChanges = async (
  tx: Queries,
  place: Place,
  columns: readonly string[],
  effect: Effect,
): Promise<string[]> => {
  const members = packed('users', columns)
  const unchanged = await sql<{ key: string }>`select users.key
    from ${unpacked(tx, place, 'change', members)} as r cross join users
    where users.project_id = ${place.projectId} and users.key = r.trashed_key
    and ${membersOf(tx, 'users', columns)} = r.trashed_after`.execute(tx)
  const keys = unchanged.rows.map(({ key }) => key)
  const set = valuesOf(tx, effect).map(([column, value]) => sql`${sql.id(column)} = ${value}`)
  const { rows } = await sql<{ key: string }>`update users as u set ${sql.join(set)}
    where u.project_id = ${place.projectId} and u.key in (${texts(tx, keys)}) and ${effect.where}
    returning key`.execute(tx)
  return rows.map(({ key }) => key)
}

/** Whether the plan of the stored row `r` no longer exists. */
const isPlanGone = sql<boolean>`(r.plan_id is not null and not exists (select 1 from plans as p where p.id = r.plan_id))`

/** The keys of users in a slice whose former plan no longer exists. */
export const listPlanless = async (
  tx: Queries,
  place: Place,
  columns: readonly string[],
): Promise<string[]> => {
  if (!columns.includes('plan_id')) return []
  const members = packed('users', columns)
  const { rows } = await sql<{ key: string }>`select r.trashed_key as key
    from ${unpacked(tx, place, 'change', members)} as r where ${isPlanGone}`.execute(tx)
  return rows.map(({ key }) => key)
}

/** Locks and returns the users that the slice added and that are still unchanged. */
export const pickAdded = async (
  tx: Queries,
  place: Place,
  columns: readonly string[],
): Promise<PickedUser[]> => {
  const lock = dialectOf(tx).rowLocks ? sql`for update of u` : sql``
  const { rows } = await sql<PickedUser>`select u.seq, u.key, u.ad_system_id from trash as t
    cross join users as u where t.change = ${place.change} and t.slice = ${place.slice} and t.kind = 'added'
    and u.project_id = ${place.projectId} and u.key = t.user_key
    and ${membersOf(tx, 'u', columns)} = t.content ${lock}`.execute(tx)
  return rows
}

/** Deletes the users that this slice added. */
export const deleteAdded = async (tx: Queries, { change, slice, projectId }: Place): Promise<void> => {
  await sql`delete from users where project_id = ${projectId} and change = ${change} and key in (
    select user_key from trash where change = ${change} and slice = ${slice} and kind = 'added')`.execute(tx)
}

export const deletePicked = async (tx: Queries, users: readonly PickedUser[]): Promise<void> => {
  const seqs = users.map(({ seq }) => seq)
  await sql`delete from users where seq in (${numbers(tx, seqs)})`.execute(tx)
}

/**
 * Restores a project or script and its dependent rows, except users. Returns false if the project no longer
 * exists.
 */
export const restoreTree = async (
  tx: Queries,
  place: Place,
  root: 'projects' | 'scripts',
): Promise<boolean> => {
  const kinds = await listKinds(tx, place)
  const isThere = await restoreBranch(tx, place, root, kinds.get(root) ?? [])
  const branches = root === 'projects' ? OF_PROJECT : OF_SCRIPT
  if (isThere) for (const { table } of branches) await restoreBranch(tx, place, table, kinds.get(table) ?? [])
  if (isThere && root === 'scripts' && kinds.has('ffa_devices')) await restoreFirstScripts(tx, place)
  return isThere
}

async function restoreFirstScripts(tx: Queries, place: Place): Promise<void> {
  const members = packed('ffa_devices', ['device', 'script_id'])
  await sql`update ffa_devices set script_id = r.script_id from ${unpacked(tx, place, 'ffa_devices', members)} as r
    where ffa_devices.project_id = ${place.projectId} and ffa_devices.device = r.device
    and ffa_devices.script_id is null`.execute(tx)
}

/** Whether the slice contains a project or a script. */
export const isTree = ({ slice }: Pick<Place, 'slice'>): boolean => slice === PROJECT_SLICE

async function trashHanging(
  tx: Queries,
  place: Place,
  table: OfUser,
  keys: readonly string[],
): Promise<void> {
  await sql`insert into trash (change, slice, kind, user_key, content)
    select ${at(place)}, ${sql.lit(table)}, t.user_key, ${contentOf(tx, table, 't')}
    from ${sql.table(table)} as t
    where t.project_id = ${place.projectId} and t.user_key in (${texts(tx, keys)})`.execute(tx)
}

async function takeHanging(tx: Queries, place: Place, table: OfUser, keys: readonly string[]): Promise<void> {
  await trashHanging(tx, place, table, keys)
  await sql`delete from ${sql.table(table)}
    where project_id = ${place.projectId} and user_key in (${texts(tx, keys)})`.execute(tx)
}

async function trashBranch(
  tx: Queries,
  place: Place,
  table: TableName,
  where: RawBuilder<unknown>,
): Promise<void> {
  await sql`insert into trash (change, slice, kind, content)
    select ${at(place)}, ${sql.lit(table)}, ${contentOf(tx, table, 't')}
    from ${sql.table(table)} as t where ${where}`.execute(tx)
}

/** A condition for the rows of `t` that depend on the root directly or indirectly. */
function isBelow(branches: readonly Branch[], { by, of, to }: Branch, root: string): RawBuilder<unknown> {
  const above = branches.find(({ table }) => table === of)
  if (above === undefined) return sql`${sql.ref(`t.${by}`)} = ${root}`
  return sql`${sql.ref(`t.${by}`)} in (select ${sql.ref(`t.${to}`)} from ${sql.table(of)} as t
    where ${isBelow(branches, above, root)})`
}

async function restoreBranch(
  tx: Queries,
  place: Place,
  table: TableName,
  columns: readonly string[],
): Promise<boolean> {
  if (columns.length === 0) return true
  const members = packed(table, columns)
  const overriding = columns.includes('seq') ? dialectOf(tx).overriding : sql``
  const values = members.map(([name]) => restoredValue(table, name))
  const { numAffectedRows } = await sql`insert into ${sql.table(table)} (${names(members)}) ${overriding}
    select ${sql.join(values)} from ${unpacked(tx, place, table, members)} as r
    where true on conflict do nothing`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

/**
 * A custom URL is not restored if another ad system has taken it. A plan that no longer exists becomes null.
 */
function restoredValue(table: TableName, name: string): RawBuilder<unknown> {
  const value = sql`r.${sql.id(name)}`
  if (table === 'users' && name === 'plan_id')
    return sql`(select p.id from plans as p where p.id = r.plan_id and p.project_id = r.project_id)`
  // Without its plan's clock, a key can't wait for its first use.
  if (table === 'users' && name === 'clock_waits')
    return sql`case when r.clock_basis is null and ${isPlanGone} then 0 else r.clock_waits end`
  if (table !== 'ad_systems' || name !== 'url') return value
  return sql`case when exists (select 1 from ad_systems as a where lower(a.url) = lower(r.url)) then null else r.url end`
}

function unpacked(db: Queries, { change, slice }: Place, kind: string, members: readonly PackedMember[]) {
  const source = sql`select user_key, after, content from trash
    where change = ${change} and slice = ${slice} and kind = ${kind} order by trash.seq`
  return dialectOf(db).unpacked(source, members)
}

/** Returns those of the given columns that still exist in the table. */
function packed(table: TableName, columns: readonly string[]): PackedMember[] {
  const declared: Readonly<Record<string, { readonly kind: PackedMember[1] }>> = tables[table]
  return columns.flatMap((name): PackedMember[] => {
    const column = declared[name]
    return column === undefined ? [] : [[name, column.kind]]
  })
}

function names(members: readonly PackedMember[]): RawBuilder<unknown> {
  return sql.join(members.map(([name]) => sql.id(name)))
}

/** Returns all columns of a table as JSON. */
function contentOf(db: Queries, table: TableName, alias: string): RawBuilder<string> {
  const { hex, jsonObject } = dialectOf(db)
  return jsonObject(
    Object.entries(tables[table]).map(([name, { kind }]) => {
      const column = sql.ref(`${alias}.${name}`)
      return [name, { plain: kind === 'bytes' ? hex(column) : column }]
    }),
  )
}

function membersOf(db: Queries, alias: string, columns: readonly string[]): RawBuilder<string> {
  return dialectOf(db).jsonObject(columns.map((name) => [name, { plain: sql.ref(`${alias}.${name}`) }]))
}

function afterOf(db: Queries, effect: Effect): RawBuilder<string> {
  return dialectOf(db).jsonObject(valuesOf(db, effect).map(([name, plain]) => [name, { plain }]))
}

function at({ change, slice }: Place): RawBuilder<unknown> {
  return sql`cast(${change} as bigint), cast(${slice} as bigint)`
}

function keysOf(users: readonly PickedUser[]): string[] {
  return users.map(({ key }) => key)
}

function numbers(db: Queries, values: readonly number[]): RawBuilder<unknown> {
  const rows = dialectOf(db).rowsFrom(JSON.stringify(values.map((value) => [value])), [['value', 'bigint']])
  return sql`select given.value from ${rows} as given`
}

function texts(db: Queries, values: readonly string[]): RawBuilder<unknown> {
  const rows = dialectOf(db).rowsFrom(JSON.stringify(values.map((value) => [value])), [['value', 'text']])
  return sql`select given.value from ${rows} as given`
}
