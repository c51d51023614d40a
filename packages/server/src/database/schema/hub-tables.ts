/** Tables for the hub URL: which script runs in which game, and the games that no script supports. */
import { number, type TableOf, text, textOf } from './columns.ts'

const hubTargets = {
  project_id: text,
  kind: textOf<'place' | 'game'>(),
  /** A decimal ID, or `any` for the game of the default script. */
  target_id: text,
  script_id: text,
}
export type HubTargetsTable = TableOf<typeof hubTargets>

/** Requests from games that no script supports. */
const hubDemand = {
  project_id: text,
  /** Days since 1970 in UTC. */
  day: number,
  /** 0 if the client doesn't know the ID. In the row that counts all other games, both IDs are empty. */
  place_id: text,
  game_id: text,
  requests: number,
  last_at: number,
}
export type HubDemandTable = TableOf<typeof hubDemand>

export const hubTables = { hub_targets: hubTargets, hub_demand: hubDemand }
