/** What the dashboard shows: outcomes of executions, and how a project looks to its users. */
import { type Kysely, sql } from 'kysely'
import { type Dialect, dialectOf } from '../engine/dialect.ts'

export const dashboard = {
  up: async (db: Kysely<unknown>): Promise<void> => {
    for (const statement of [...outcomes(dialectOf(db)), ...users]) await sql.raw(statement).execute(db)
  },
}

const outcomes = ({ bigint, clusteredTable }: Dialect): string[] => [
  `create table outcomes (
    project_id text not null references projects (id) on delete cascade,
    script_id text not null,
    step text not null,
    at ${bigint} not null,
    outcome text not null,
    count ${bigint} not null,
    expires_at ${bigint} not null,
    primary key (project_id, script_id, step, at, outcome)
  ) ${clusteredTable}`,
  'create index outcomes_expires on outcomes (expires_at)',
  // Executions that were granted before outcomes were counted, of each script and of its project as a whole.
  past('script_id'),
  past("''"),
]

const users = [
  // Keys from ads that never ran, in the order of a list.
  `create index users_earned on users (project_id, seq)
    where ad_system_id is not null and executor is null`,
]

const DAY_MS = 86_400_000
const past = (script: string): string => `insert into outcomes
  (project_id, script_id, step, at, outcome, count, expires_at)
  select project_id, ${script}, 'day', day * cast(${DAY_MS} as bigint), 'granted', sum(count),
    (day + 401) * cast(${DAY_MS} as bigint)
  from daily_executions group by project_id, ${script === "''" ? '' : 'script_id, '}day`
