/** Rows of `audit_entries` and every statement on that table. */
import type { Insertable, Selectable } from 'kysely'
import type { Queries } from '../engine/db.ts'
import { prepared } from '../engine/prepared.ts'
import type { AuditEntriesTable } from '../schema/access-tables.ts'

export type AuditEntryRow = Selectable<AuditEntriesTable>
type New = Insertable<AuditEntriesTable>
export type NewAuditEntry = Required<Omit<New, 'seq' | 'n' | 'hash'>>

const insert = prepared((db, p: NewAuditEntry & Readonly<Record<string, string | number | null>>) =>
  db.insertInto('audit_entries').values({
    id: p.id,
    customer_id: p.customer_id,
    created_at: p.created_at,
    actor_kind: p.actor_kind,
    actor_id: p.actor_id,
    actor_name: p.actor_name,
    network: p.network,
    request_id: p.request_id,
    action: p.action,
    nouns: p.nouns,
    changes: p.changes,
    count: p.count,
  }),
)
export const insertAuditEntry = async (tx: Queries, row: NewAuditEntry): Promise<void> => {
  await insert.count(tx, { ...row })
}

/** How many rows a change touched, where that is known only after its last transaction. */
export const updateAuditCount = async (tx: Queries, id: string, count: number): Promise<void> => {
  await tx.updateTable('audit_entries').set({ count }).where('id', '=', id).execute()
}
