/** Tables of errors that runs report. */
import type { Dialect } from '../engine/dialect.ts'

export const errorTables = ({ integer, bigint, seq, table }: Dialect): string[] => [
  `create table error_reports (
    seq ${seq},
    project_id text not null references projects (id) on delete cascade,
    script_id text not null references scripts (id) on delete cascade,
    script_version ${integer} not null,
    exec text not null,
    user_key text,
    executor text not null,
    runtime text not null,
    kind text not null,
    text text not null,
    at text not null,
    count ${integer} not null,
    tags text,
    reported_at ${bigint} not null
  ) ${table}`,
  'create index error_reports_script on error_reports (script_id)',
  'create index error_reports_project on error_reports (project_id)',
]
