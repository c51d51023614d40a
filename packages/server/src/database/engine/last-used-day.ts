/**
 * Keeps `users.last_used_day` in sync with triggers on each engine. Users are sorted by this day. An index on
 * the time itself would change with every execution, and PostgreSQL would then update every index of the row
 * each time.
 */
const DAY_MS = 86_400_000
const dayOf = (user: string): string => `${user}.last_used_at / ${DAY_MS}`

export const sqliteLastUsedDay: readonly string[] = ['insert', 'update of last_used_at'].map(
  (event) => `create trigger users_last_used_day_${event.slice(0, 6)} after ${event} on users
    when new.last_used_day is not ${dayOf('new')} begin
    update users set last_used_day = ${dayOf('new')} where seq = new.seq;
  end`,
)

export const postgresLastUsedDay: readonly string[] = [
  `create function users_last_used_day() returns trigger language plpgsql
    as $$ begin new.last_used_day := ${dayOf('new')}; return new; end $$`,
  `create trigger users_last_used_day before insert or update of last_used_at on users
    for each row when (new.last_used_day is distinct from ${dayOf('new')}) execute function users_last_used_day()`,
]
