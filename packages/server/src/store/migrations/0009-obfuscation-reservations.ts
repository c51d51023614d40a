/** Obfuscations that are being done: what is counted for one is given back when its process is gone. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const obfuscationReservations = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, table } = dialectOf(db)
    const statements = [
      `create table obfuscation_reservations (
        id text not null primary key,
        customer_id text not null references customers (id) on delete cascade,
        month ${integer} not null,
        from_bonus ${integer} not null,
        reserved_at ${bigint} not null
      ) ${table}`,
      'create index obfuscation_reservations_customer on obfuscation_reservations (customer_id)',
      'create index obfuscation_reservations_reserved on obfuscation_reservations (reserved_at)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
