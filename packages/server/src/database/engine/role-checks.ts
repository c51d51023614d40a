/**
 * Uses triggers to keep `discord_role_checks` up to date on each engine, so that no code that changes a key,
 * a plan or a ban can forget to update the Discord roles of the affected customers. Projects without a bot
 * get no rows.
 */

/** While a project is being deleted, its bot may still exist. */
const hasBot = (row: 'new' | 'old'): string => {
  const bot = `exists (select 1 from discord_bots where project_id = ${row}.project_id)`
  return row === 'new' ? bot : `${bot} and exists (select 1 from projects where id = ${row}.project_id)`
}

/** Without a condition, SQLite would parse `on conflict` as part of a join. */
const schedule = (source: string): string => `insert into discord_role_checks (project_id, chat_id, due_at)
    select ${source}
    on conflict (project_id, chat_id) do update set due_at = 0;`

const ofUser = (row: string, condition: string): string =>
  schedule(`${row}.project_id, ${row}.chat_id, 0 where ${row}.chat_id is not null and ${condition}`)
const ofBan = (row: string): string => schedule(`${row}.project_id, ${row}.value, 0 where true`)

/** The columns that determine whether a customer has their plan's role. */
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
  /** The row that contains the project's ID. */
  readonly row: 'new' | 'old'
  readonly when: string
  readonly statements: string
}

const TRIGGERS: readonly Trigger[] = [
  {
    name: 'users_roles_insert',
    event: 'insert on users',
    row: 'new',
    when: 'new.chat_id is not null',
    statements: ofUser('new', 'true'),
  },
  {
    name: 'users_roles_update',
    event: `update of ${FOLLOWED.join(', ')} on users`,
    row: 'new',
    when: `(old.chat_id is not null or new.chat_id is not null) and (${isOther(FOLLOWED)})`,
    statements: `${ofUser('new', 'true')} ${ofUser('old', isOther(['chat_id']))}`,
  },
  {
    name: 'users_roles_delete',
    event: 'delete on users',
    row: 'old',
    when: 'old.chat_id is not null',
    statements: ofUser('old', 'true'),
  },
  {
    name: 'plans_roles_update',
    event: 'update of chat_role_id, grace on plans',
    row: 'new',
    when: `(${isOther(['chat_role_id'])} or (new.chat_role_id is not null and ${isOther(['grace'])}))`,
    statements: schedule(`users.project_id, users.chat_id, 0 from users where users.plan_id = new.id
      and users.chat_id is not null order by users.chat_id`),
  },
  ...(['insert', 'update of expires', 'delete'] as const).map((event): Trigger => {
    const row = event === 'delete' ? 'old' : 'new'
    return {
      name: `bans_roles_${event.slice(0, 6)}`,
      event: `${event} on bans`,
      row,
      when: `${row}.kind = 'chat'`,
      statements: ofBan(row),
    }
  }),
]

export const sqliteRoleChecks: readonly string[] = TRIGGERS.map(
  ({ name, event, row, when, statements }) => `create trigger ${name} after ${event}
    when ${when} and ${hasBot(row)} begin ${statements} end`,
)

/** Looks up the bot in a separate statement, which costs a fraction of an insert that inserts no rows. */
export const postgresRoleChecks: readonly string[] = TRIGGERS.flatMap(
  ({ name, event, row, when, statements }) => [
    `create function ${name}() returns trigger language plpgsql as $$ begin
      if ${hasBot(row)} then ${statements} end if; return null; end $$`,
    `create trigger ${name} after ${event} for each row when (${when}) execute function ${name}()`,
  ],
)
