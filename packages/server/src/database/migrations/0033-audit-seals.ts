/**
 * Keyed hashes of the audit log: of each entry, of the two ends of each chain, and of how many chains and entries there are.
 * A migration has no keys, so the chains of before are sealed when entries are chained next.
 */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../engine/dialect.ts'

export const auditSeals = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { bigint, integer, table } = dialectOf(db)
    for (const statement of [
      'alter table audit_entries add column seal text',
      `alter table audit_chains add column plain_n ${bigint} not null default 0`,
      'alter table audit_chains add column seal text',
      `create table audit_register (
        id ${integer} not null primary key,
        chains ${bigint} not null,
        entries ${bigint} not null,
        seal text not null
      ) ${table}`,
    ])
      await sql.raw(statement).execute(db)
  },
}
