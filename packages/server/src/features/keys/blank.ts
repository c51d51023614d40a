import { NO_LABELS } from './labels.ts'
import type { ListedUser } from './store/user-bulk.ts'
import { NO_TERMS } from './user-terms.ts'

/** The columns of a new user that has no data yet. */
export const BLANK: Omit<ListedUser, 'key'> = {
  ...NO_TERMS,
  ...NO_LABELS,
  chat_id: null,
  note: null,
  executor: null,
  blacklisted: 0,
  blacklist_reason: null,
  blacklist_expires: null,
  fingerprint_assigned: 0,
  fingerprint_display: null,
  executions: 0,
  last_reset: 0,
  total_fingerprint_resets: 0,
  first_used_at: null,
  last_used_at: null,
  max_executions: null,
  use_fingerprint: 1,
  paused_at: null,
  foreign_device: null,
}
