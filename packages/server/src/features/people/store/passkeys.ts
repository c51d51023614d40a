/** All queries on the `passkeys` table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../../../database/engine/db.ts'
import type { PasskeysTable } from '../../../database/schema/access-tables.ts'

export type PasskeyRow = Selectable<PasskeysTable>

export const listPasskeys = (db: Queries, personId: string): Promise<PasskeyRow[]> =>
  db.selectFrom('passkeys').selectAll().where('person_id', '=', personId).orderBy('seq').execute()

/** `credentialId` is the WebAuthn credential ID. */
export const findPasskey = (db: Queries, credentialId: string): Promise<PasskeyRow | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Returns undefined if a passkey with this credential already exists. */
export const insertPasskey = (tx: Queries, row: Insertable<PasskeysTable>): Promise<PasskeyRow | undefined> =>
  tx
    .insertInto('passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst()

/**
 * Records a use, unless the passkey was removed or the new counter is not higher. Authenticators without a
 * counter always send 0.
 */
export const updatePasskeyUse = async (
  tx: Queries,
  id: string,
  { counter, at }: { readonly counter: number; readonly at: number },
): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: at })
    .where('id', '=', id)
    .where('counter', counter === 0 ? '=' : '<', counter)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const updatePasskeyName = (
  tx: Queries,
  { id, personId, name }: { readonly id: string; readonly personId: string; readonly name: string },
): Promise<PasskeyRow | undefined> =>
  tx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returningAll()
    .executeTakeFirst()

export const deletePasskey = async (tx: Queries, id: string, personId: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export const deletePersonPasskeys = async (tx: Queries, personId: string): Promise<void> => {
  await tx.deleteFrom('passkeys').where('person_id', '=', personId).execute()
}
