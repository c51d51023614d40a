/** Which versions may use the schema: older code reads it when it meets migrations that it does not know. */
import { type Kysely, sql } from 'kysely'

export const compatibility = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    await sql`create table compatibility (oldest_version text not null)`.execute(db)
    await sql`insert into compatibility (oldest_version) values ('0.1.0')`.execute(db)
  },
}
