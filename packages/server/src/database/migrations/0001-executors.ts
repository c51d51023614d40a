/** Tables for executors and their functions. */
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
  `create table executor_hits (
    script_id text not null references scripts (id) on delete cascade,
    executor text not null,
    day ${integer} not null,
    runs ${integer} not null,
    primary key (script_id, executor, day)
  ) ${clusteredTable}`,
  'create index executor_hits_day on executor_hits (day)',
  `create table executor_hit_customers (
    script_id text not null references scripts (id) on delete cascade,
    executor text not null,
    customer text not null,
    day ${integer} not null,
    primary key (script_id, executor, customer)
  ) ${clusteredTable}`,
  'create index executor_hit_customers_day on executor_hit_customers (day)',
]
