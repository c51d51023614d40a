/**
 * Keeps `discord_role_checks` up to date with triggers on each engine, so that no code that changes a key, a plan or a
 * ban can forget the Discord roles of the customers that it concerns. Projects without a bot get no rows.
 */

/** A project that is being deleted may still have a row in `discord_bots`. */
const hasBot = (projectId: string): string => `exists (select 1 from discord_bots
    join projects on projects.id = discord_bots.project_id where discord_bots.project_id = ${projectId})`

/** Both engines need the condition: SQLite would take `on conflict` for a join otherwise. */
const schedule = (source: string): string => `insert into discord_role_checks (project_id, chat_id, due_at)
  select ${source}
  on conflict (project_id, chat_id) do update set due_at = 0;`

const ofUser = (row: string, condition = 'true'): string =>
  schedule(
    `${row}.project_id, ${row}.chat_id, 0 where ${row}.chat_id is not null and ${condition} and ${hasBot(`${row}.project_id`)}`,
  )
const ofBan = (row: string): string =>
  schedule(`${row}.project_id, ${row}.value, 0 where ${hasBot(`${row}.project_id`)}`)

/** Everything that decides whether a customer has the role of their plan. */
const FOLLOWED = [
  'chat_id',
  'plan_id',
  'key_expires',
  'starts_at',
  'paused_at',
  'blacklisted',
  'blacklist_expires',
] as const
const isOther = (columns: readonly string[]): string =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')

type Trigger = {
  readonly name: string
  readonly event: string
  readonly when: string
  readonly statements: string
}

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'users_roles_insert',
    event: 'insert on users',
    when: 'new.chat_id is not null',
    statements: ofUser('new'),
  },
  {
    name: 'users_roles_update',
    event: `update of ${FOLLOWED.join(', ')} on users`,
    when: `(old.chat_id is not null or new.chat_id is not null) and (${isOther(FOLLOWED)})`,
    statements: `${ofUser('new')} ${ofUser('old', isOther(['chat_id']))}`,
  },
  {
    name: 'users_roles_delete',
    event: 'delete on users',
    when: 'old.chat_id is not null',
    statements: ofUser('old'),
  },
  {
    name: 'plans_roles_update',
    event: 'update of chat_role_id, grace on plans',
    when: `${isOther(['chat_role_id'])} or (new.chat_role_id is not null and ${isOther(['grace'])})`,
    statements: schedule(
      `users.project_id, users.chat_id, 0 from users where users.plan_id = new.id
      and users.chat_id is not null and ${hasBot('new.project_id')} order by users.chat_id`,
    ),
  },
  { name: 'bans_roles_insert', event: 'insert on bans', when: "new.kind = 'chat'", statements: ofBan('new') },
  {
    name: 'bans_roles_update',
    event: 'update of expires on bans',
    when: "new.kind = 'chat'",
    statements: ofBan('new'),
  },
  { name: 'bans_roles_delete', event: 'delete on bans', when: "old.kind = 'chat'", statements: ofBan('old') },
]

export const sqliteRoleChecks: readonly string[] = TRIGGERS.map(
  ({ name, event, when, statements }) => `create trigger ${name} after ${event} when ${when} begin
    ${statements}
  end`,
)

export const postgresRoleChecks: readonly string[] = TRIGGERS.flatMap(({ name, event, when, statements }) => [
  `create function ${name}() returns trigger language plpgsql as $$ begin ${statements} return null; end $$`,
  `create trigger ${name} after ${event} for each row when (${when}) execute function ${name}()`,
])
