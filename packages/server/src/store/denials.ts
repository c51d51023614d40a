/** Rows of `denials` and every statement on that table. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { Queries } from './db.ts'
import { dialectOf } from './dialect.ts'
import type { DenialsTable } from './tables.ts'

export type DenialRow = Selectable<DenialsTable>
export type NewDenial = Insertable<DenialsTable>
export type DenialChanges = Updateable<DenialsTable>

/** Whose denials: a user's, or without a key those of a project in which no user's key was shown. */
export type DeniedOne = Pick<DenialRow, 'project_id' | 'user_key'>

/** Newest first. */
export const listDenials = (db: Queries, denied: DeniedOne, limit: number): Promise<DenialRow[]> =>
  newestOf(db, denied).selectAll().limit(limit).execute()

export const insertDenial = async (tx: Queries, row: NewDenial): Promise<void> => {
  await tx.insertInto('denials').values(row).execute()
}

export type Repeat = Pick<DenialRow, 'seq' | 'left_out' | 'allowed_at' | 'last_at'>

/** The same happened once more. */
export const updateRepeatedDenial = async (tx: Queries, repeat: Repeat): Promise<void> => {
  const { seq, left_out, allowed_at, last_at } = repeat
  await tx
    .updateTable('denials')
    .set((e) => ({
      count: e('count', '+', 1),
      left_out: e('left_out', '+', left_out),
      allowed_at,
      last_at,
    }))
    .where('seq', '=', seq)
    .execute()
}

/** Keeps the newest ones; answers how many went. */
export const deleteSurplusDenials = (tx: Queries, denied: DeniedOne, kept: number): Promise<number> =>
  remove(tx, newestOf(tx, denied).select('seq').offset(kept).limit(ROWS_AT_ONCE))

/** Answers how many went. */
export const deleteOldDenials = (tx: Queries, before: number, limit: number): Promise<number> =>
  remove(
    tx,
    tx.selectFrom('denials').select('seq').where('last_at', '<', before).orderBy('last_at').limit(limit),
  )

const ROWS_AT_ONCE = 500

function newestOf(db: Queries, { project_id, user_key }: DeniedOne) {
  const denials = db.selectFrom('denials').orderBy('seq', 'desc').where('project_id', '=', project_id)
  return user_key === null ? denials.where('user_key', 'is', null) : denials.where('user_key', '=', user_key)
}

async function remove(tx: Queries, rows: ReturnType<typeof seqs>): Promise<number> {
  // Whoever comes second would wait for rows that are gone when he gets them.
  const these = dialectOf(tx).rowLocks ? rows.modifyEnd(sql`for update skip locked`) : rows
  const done = await tx.deleteFrom('denials').where('seq', 'in', these).executeTakeFirst()
  return Number(done.numDeletedRows)
}

function seqs(db: Queries) {
  return db.selectFrom('denials').select('seq')
}
