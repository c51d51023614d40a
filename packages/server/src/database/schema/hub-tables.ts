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
  /** 0 if the client does not know the ID. Both IDs are empty in the row that counts all further games. */
  place_id: text,
  game_id: text,
  requests: number,
  last_at: number,
}
export type HubDemandTable = TableOf<typeof hubDemand>

export const hubTables = { hub_targets: hubTargets, hub_demand: hubDemand }
