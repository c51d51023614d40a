/** Answers that are kept for those who send a request again. */
import { type Kysely, sql } from 'kysely'
import { dialectOf } from '../dialect.ts'

export const idempotency = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    const { integer, bigint, bytes, table } = dialectOf(db)
    const statements = [
      `create table idempotency_keys (
        customer_id text not null,
        key text not null,
        request_hash text not null,
        claim text not null,
        created_at ${bigint} not null,
        status ${integer},
        content_type text,
        body ${bytes},
        primary key (customer_id, key)
      ) ${table}`,
      'create index idempotency_keys_created on idempotency_keys (created_at)',
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
