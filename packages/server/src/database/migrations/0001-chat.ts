/** Tables for the Discord bots of projects. */
import type { Dialect } from '../engine/dialect.ts'

export const chatTables = ({ integer, bigint, bytes, clusteredTable }: Dialect): string[] => [
  `create table discord_bots (
    project_id text not null primary key references projects (id) on delete cascade,
    application_id text not null,
    name text not null,
    public_key text not null,
    token ${bytes} not null,
    server_id text,
    server_name text,
    staff text not null default '[]',
    connected_at ${bigint} not null,
    installed_at ${bigint},
    last_interaction_at ${bigint},
    failed_at ${bigint},
    failure text,
    compared_at ${bigint},
    roles_failures ${integer} not null default 0,
    roles_retry_at ${bigint}
  ) ${clusteredTable}`,
  'create index discord_bots_server on discord_bots (server_id)',
  `create table discord_members (
    project_id text not null references projects (id) on delete cascade,
    chat_id text not null,
    server_id text not null,
    is_member ${integer} not null,
    asked_at ${bigint} not null,
    primary key (project_id, chat_id)
  ) ${clusteredTable}`,
  'create index discord_members_asked on discord_members (asked_at)',
  `create table discord_claims (
    project_id text not null references projects (id) on delete cascade,
    id text not null,
    at ${bigint} not null,
    primary key (project_id, id)
  ) ${clusteredTable}`,
  'create index discord_claims_at on discord_claims (at)',
  `create table discord_role_checks (
    project_id text not null references projects (id) on delete cascade,
    chat_id text not null,
    due_at ${bigint} not null,
    asks ${integer} not null default 0,
    primary key (project_id, chat_id)
  ) ${clusteredTable}`,
  'create index discord_role_checks_due on discord_role_checks (project_id, due_at)',
  `create table discord_roles (
    project_id text not null references projects (id) on delete cascade,
    chat_id text not null,
    role_id text not null,
    server_id text not null,
    is_given ${integer} not null,
    problem text,
    changed_at ${bigint} not null,
    primary key (project_id, chat_id, role_id)
  ) ${clusteredTable}`,
]
