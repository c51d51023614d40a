/**
 * Keeps `users.standing` in sync with triggers on each engine, so that no code that writes its source columns
 * can forget to update it. One index then covers the users' status, so that counting or finding users by
 * status doesn't read any of a million rows.
 */

/**
 * 0: in use. 1: never executed, without a fingerprint or Discord user ID. 2: earned through ads, never
 * executed, and locked to a network.
 */
export const USAGE_STATE = { used: 0, unused: 1, locked: 2 } as const

const withoutLock = (user: string): string =>
  `case when ${user}.fingerprint_assigned = 0 and ${user}.chat_id is null then 1 else 0 end`

/** Locks are set and lifted elsewhere. Here, a lock is kept until the first execution. */
const usageState = (user: string): string =>
  `case when ${user}.executions > 0 then 0 when ${user}.standing = 2 then 2 else ${withoutLock(user)} end`

const locking = (equals: string): string => `update users set
  standing = case when new.locked_network is null then ${withoutLock('users')} else 2 end
  where project_id = new.project_id and key = new.user_key and executions = 0
    and (new.locked_network is null) ${equals} (standing = 2);`

const FOLLOWED = 'executions, fingerprint_assigned, chat_id'

export const sqliteUsageState: readonly string[] = [
  ...['insert', `update of ${FOLLOWED}`].map(
    (event) => `create trigger users_standing_${event.slice(0, 6)} after ${event} on users
      when new.standing is not ${usageState('new')} begin
      update users set standing = ${usageState('new')} where seq = new.seq;
    end`,
  ),
  ...['insert', 'update of locked_network'].map(
    (event) => `create trigger ad_keys_standing_${event.slice(0, 6)} after ${event} on ad_keys begin
      ${locking('is')}
    end`,
  ),
]

export const postgresUsageState: readonly string[] = [
  `create function users_standing() returns trigger language plpgsql
    as $$ begin new.standing := ${usageState('new')}; return new; end $$`,
  `create trigger users_standing before insert or update of ${FOLLOWED} on users
    for each row when (new.standing is distinct from ${usageState('new')}) execute function users_standing()`,
  `create function ad_keys_standing() returns trigger language plpgsql
    as $$ begin ${locking('=')} return null; end $$`,
  `create trigger ad_keys_standing after insert or update of locked_network on ad_keys
    for each row execute function ad_keys_standing()`,
]
