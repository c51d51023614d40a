/** All queries on the single row of the `backup_state` table. */
import type { Selectable } from 'kysely'
import type { Queries } from '../../database/engine/db.ts'
import type { BackupStateTable } from '../../database/schema/tables.ts'

export type BackupStateRow = Selectable<BackupStateTable>

const ID = 1

export const findBackupState = (db: Queries): Promise<BackupStateRow | undefined> =>
  db.selectFrom('backup_state').selectAll().where('id', '=', ID).executeTakeFirst()

type Claim = {
  /** Unique for each attempt. */
  readonly holder: string
  readonly now: number
  readonly until: number
  /** If set, the claim succeeds only if the last backup is at least this many milliseconds old. */
  readonly everyMs?: number | undefined
}

/**
 * Claims the right to make a backup. Only one of several concurrent attempts succeeds, until its claim
 * expires.
 */
export const claimBackup = async (tx: Queries, { holder, now, until, everyMs }: Claim): Promise<boolean> => {
  await tx
    .insertInto('backup_state')
    .values({ id: ID })
    .onConflict((on) => on.column('id').doNothing())
    .execute()
  const claim = tx
    .updateTable('backup_state')
    .set({ holder, held_until: until })
    .where('id', '=', ID)
    .where('held_until', '<=', now)
  const due =
    everyMs === undefined
      ? claim
      : claim.where((e) =>
          // A time far in the future must have been recorded while the clock was wrong.
          e.or([
            e('made_at', 'is', null),
            e('made_at', '<=', now - everyMs),
            e('made_at', '>=', now + everyMs),
          ]),
        )
  return (await due.executeTakeFirst()).numUpdatedRows > 0n
}

type Removed = {
  readonly place: string
  readonly machine: string
  /** The latest remaining backup on that machine. */
  readonly left: { readonly made_at: number; readonly place: string } | undefined
}

/**
 * Replaces the record of the last backup if it refers to the removed backup. The machine's name isn't compared,
 * because a container gets a new name each time it is recreated.
 */
export const forgetBackup = async (tx: Queries, { place, machine, left }: Removed): Promise<void> => {
  await tx
    .updateTable('backup_state')
    .set({ made_at: left?.made_at ?? null, place: left?.place ?? null, machine })
    .where('id', '=', ID)
    .where('place', '=', place)
    .execute()
}

/** Does nothing if the attempt has timed out and another one has started. */
export const updateBackupState = async (
  tx: Queries,
  holder: string,
  changes: Partial<Omit<BackupStateRow, 'id'>>,
): Promise<void> => {
  await tx.updateTable('backup_state').set(changes).where('holder', '=', holder).execute()
}
