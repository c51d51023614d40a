/** Tables of what webhooks were told of the ends and the limits of keys. */
import { number, type TableOf, text, textOf } from './columns.ts'

/** How far a project's webhooks were told of the ends of its keys; only of projects where an address receives the event. */
const expiryWatches = {
  project_id: text,
  type: textOf<'user.expiring' | 'user.expired'>(),
  /** The end and the `seq` of the last user who was looked at, in this order. */
  done_to: number,
  done_seq: number,
}
export type ExpiryWatchesTable = TableOf<typeof expiryWatches>

/** When the webhooks last learned that a user met a limit. */
const limitNotices = {
  user_seq: number,
  kind: textOf<'max_executions' | 'quota' | 'max_instances' | 'max_devices'>(),
  /** Days since 1970 in UTC. */
  day: number,
}
export type LimitNoticesTable = TableOf<typeof limitNotices>

export const endTables = { expiry_watches: expiryWatches, limit_notices: limitNotices }
