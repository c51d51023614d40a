/** Tables that track webhook notifications about expiring keys and limits. */
import { number, type TableOf, text, textOf } from './columns.ts'

/** Progress of expiry notifications. Only projects with an endpoint that receives these events have a row. */
const expiryWatches = {
  project_id: text,
  type: textOf<'user.expiring' | 'user.expired'>(),
  /** The last processed user's expiry date and `seq`, in the order of processing. */
  done_to: number,
  done_seq: number,
}
export type ExpiryWatchesTable = TableOf<typeof expiryWatches>

/** When webhooks were last notified that a user reached a limit. */
const limitNotices = {
  user_seq: number,
  kind: textOf<'max_executions' | 'quota' | 'max_instances' | 'max_devices'>(),
  /** Days since 1970 in UTC. */
  day: number,
}
export type LimitNoticesTable = TableOf<typeof limitNotices>

export const endTables = { expiry_watches: expiryWatches, limit_notices: limitNotices }
