/** Compares counters with the rows that they count, directly in the database. */
import { type RawBuilder, sql } from 'kysely'
import type { Location } from '../databases.ts'
import { reopen } from '../databases.ts'

/** Returns one line for each inconsistency between two kinds of rows. */
export async function contradictions(location: Location): Promise<string[]> {
  const db = await reopen(location)
  try {
    const found: string[] = []
    for (const [words, condition] of RULES) {
      const { rows } = await sql<{ count: number }>`select count(*) as count from ${condition}`.execute(
        db.read,
      )
      const count = Number(rows[0]?.count)
      if (count > 0) found.push(`${words}: ${count}`)
    }
    return found
  } finally {
    await db.close()
  }
}

const RULES: readonly (readonly [words: string, condition: RawBuilder<unknown>])[] = [
  [
    'projects whose users are counted wrongly',
    sql`projects where total_users <> (select count(*) from users where project_id = projects.id)`,
  ],
  [
    'projects whose users of ads are counted wrongly',
    sql`projects where ad_users <>
      (select count(*) from users where project_id = projects.id and ad_system_id is not null)`,
  ],
  [
    'scripts whose executions are counted otherwise by day',
    sql`scripts where total_executions <>
      (select coalesce(sum(count), 0) from daily_executions where script_id = scripts.id)`,
  ],
  [
    'projects whose executions are counted otherwise by day',
    sql`projects where total_executions <>
      (select coalesce(sum(count), 0) from daily_executions where project_id = projects.id)`,
  ],
  [
    'accounts whose executions are counted otherwise by day',
    sql`customers where total_executions <>
      (select coalesce(sum(count), 0) from daily_executions where customer_id = customers.id)`,
  ],
  [
    'projects whose users executed more or less often than the project',
    sql`projects where total_executions <>
      (select coalesce(sum(executions), 0) from users where project_id = projects.id)`,
  ],
  [
    'users who are bound without a fingerprint, or the other way round',
    sql`users where (fingerprint_assigned = 1) <>
      exists (select 1 from user_fingerprints where user_key = users.key)`,
  ],
  [
    'scripts without their active version',
    sql`scripts where not exists
      (select 1 from script_versions where script_id = scripts.id and version = scripts.version)`,
  ],
  [
    'scripts with gaps in their versions',
    sql`scripts where (select max(version) from script_versions where script_id = scripts.id) <>
      (select count(*) from script_versions where script_id = scripts.id)`,
  ],
  [
    'accounts that used more or fewer obfuscations than they have versions and uploads under way',
    sql`customers where obfuscations_used <>
      (select count(*) from script_versions
        join scripts on scripts.id = script_id join projects on projects.id = project_id
        where customer_id = customers.id) +
      (select count(*) from obfuscation_reservations where customer_id = customers.id)`,
  ],
]
