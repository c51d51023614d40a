/** Tables for the hub URL. */
import type { Dialect } from '../engine/dialect.ts'

export const hubTables = ({ integer, bigint, clusteredTable }: Dialect): string[] => [
  `create table hub_targets (
    project_id text not null references projects (id) on delete cascade,
    kind text not null,
    target_id text not null,
    script_id text not null references scripts (id) on delete cascade,
    primary key (project_id, kind, target_id)
  ) ${clusteredTable}`,
  'create index hub_targets_script on hub_targets (script_id)',
  `create table hub_demand (
    project_id text not null references projects (id) on delete cascade,
    day ${integer} not null,
    place_id text not null,
    game_id text not null,
    requests ${bigint} not null,
    last_at ${bigint} not null,
    primary key (project_id, day, place_id, game_id)
  ) ${clusteredTable}`,
  'create index hub_demand_day on hub_demand (day)',
]
