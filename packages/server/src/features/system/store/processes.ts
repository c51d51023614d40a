/**
 * Queries on the `processes` table: the live processes of an installation, each with a counter that it keeps
 * incrementing.
 */
import type { Queries } from '../../../database/engine/db.ts'
import { prepared } from '../../../database/engine/prepared.ts'

const beaten = prepared((db, p: { id: string; now: number }) =>
  db
    .updateTable('processes')
    .set((e) => ({ beat: e('beat', '+', 1), seen_at: p.now }))
    .where('id', '=', p.id)
    .where('ended', '=', 0),
)
/** Returns false if the other processes have declared the process dead. */
export const updateProcessBeat = async (tx: Queries, id: string, now: number): Promise<boolean> =>
  (await beaten.count(tx, { id, now })) > 0

/** Registers or re-registers a process. */
export const putProcess = async (tx: Queries, id: string, now: number): Promise<void> => {
  await tx
    .insertInto('processes')
    .values({ id, seen_at: now })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet((e) => ({ ended: 0, seen_at: now, beat: e('processes.beat', '+', 1) })),
    )
    .execute()
}

export type ProcessBeat = { readonly id: string; readonly beat: number }

export const listProcessBeats = (db: Queries): Promise<ProcessBeat[]> =>
  db.selectFrom('processes').select(['id', 'beat']).execute()

export const countProcesses = async (db: Queries): Promise<number> => {
  const counted = await db
    .selectFrom('processes')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('ended', '=', 0)
    .executeTakeFirst()
  return counted?.count ?? 0
}

/** Marks a process as dead. Returns false if it turns out to be alive. */
export const updateProcessEnded = async (tx: Queries, { id, beat }: ProcessBeat): Promise<boolean> => {
  const done = await tx
    .updateTable('processes')
    .set({ ended: 1 })
    .where('id', '=', id)
    .where('beat', '=', beat)
    .executeTakeFirst()
  return done.numUpdatedRows > 0n
}

/** Deletes a dead process, unless it has come back. */
export const deleteEndedProcess = async (tx: Queries, id: string): Promise<void> => {
  await tx.deleteFrom('processes').where('id', '=', id).where('ended', '=', 1).execute()
}

export const deleteProcess = async (tx: Queries, id: string): Promise<void> => {
  await tx.deleteFrom('processes').where('id', '=', id).execute()
}
