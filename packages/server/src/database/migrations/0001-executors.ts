/** Tables of executors and what they can do. */
import type { Dialect } from '../engine/dialect.ts'

export const executorTables = ({ integer, bigint, clusteredTable }: Dialect): string[] => [
  `create table executors (
    name text not null,
    version text not null,
    list ${integer} not null default 0,
    functions text not null default '',
    answers ${integer} not null default 0,
    first_at ${bigint} not null,
    last_at ${bigint} not null,
    primary key (name, version)
  ) ${clusteredTable}`,
  'create index executors_last on executors (last_at)',
  `create table executor_answers (
    name text not null,
    version text not null,
    voter text not null,
    list ${integer} not null,
    functions text not null,
    at ${bigint} not null,
    primary key (name, version, voter),
    foreign key (name, version) references executors (name, version) on delete cascade
  ) ${clusteredTable}`,
]
