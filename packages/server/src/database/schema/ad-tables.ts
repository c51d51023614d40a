/** Tables for ad systems: their configuration and visitors' progress. */
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

const adSystems = {
  seq,
  id: text,
  project_id: text,
  name: text,
  /** The custom name in the page's URL, as the owner entered it. Unique regardless of case. */
  url: nullable(text),
  key_duration: number,
  max_keys: number,
  allow_extending: flag,
  max_duration: number,
  created_at: number,
  total_keys: withDefault(number),
  total_completions: withDefault(number),
}
export type AdSystemsTable = TableOf<typeof adSystems>

const adCheckpoints = {
  seq,
  id: text,
  system_id: text,
  /** Position within a system, counted from 0 without gaps. */
  index: number,
  name: text,
  url: text,
  provider: text,
  /** JSON, encrypted. */
  provider_data: bytes,
  callback_id: text,
  postback_id: text,
  created_at: number,
  total_started: withDefault(number),
  total_completed: withDefault(number),
  /** The checkpoint offered instead while this checkpoint's provider is unavailable. */
  fallback_checkpoint_id: nullable(text),
  /** When the provider last rejected the owner's settings. */
  misconfigured_at: nullable(number),
  /** When the owner was last notified that the provider rejected the settings. */
  misconfigured_told: nullable(number),
  /** The owner's revenue per thousand completed visits, in hundredths of a currency unit. */
  value_per_thousand: nullable(number),
}
export type AdCheckpointsTable = TableOf<typeof adCheckpoints>

/**
 * Reserves the next checkpoint of a system, so that its URLs exist before it is created. At most one per
 * system.
 */
const adSlots = {
  system_id: text,
  checkpoint_id: text,
  callback_id: text,
  postback_id: text,
  expires_at: number,
}
export type AdSlotsTable = TableOf<typeof adSlots>

/** Browsers that have started an ad system. */
const adVisitors = {
  /** SHA-256 hash of the cookie, in hex. The cookie itself is not stored. */
  id_hash: text,
  first_seen: number,
  last_seen: number,
  /** Network (/24 or /48) at the last start. */
  network: text,
  /** Digest of the headers that describe the browser. */
  browser: text,
  /** Increases with bot-like behavior. Above a threshold, the visitor must solve a captcha. */
  risk: withDefault(number),
  /** Number of unconfirmed visits, when they began, and how long the visitor must wait because of them. */
  failures: withDefault(number),
  failures_since: withDefault(number),
  blocked_until: withDefault(number),
}
export type AdVisitorsTable = TableOf<typeof adVisitors>

/** A visitor's progress through the checkpoints of a system, from start to key. */
const adProgress = {
  seq,
  id: text,
  system_id: text,
  /** `id_hash` of the visitor. */
  visitor: text,
  network: text,
  /** `component:hash` of the device to bind the key to. */
  device: nullable(text),
  /** JSON: the checkpoints as they were when the visitor started. */
  plan: text,
  /** Number of checkpoints completed, and number of those that a provider confirmed. */
  pos: withDefault(number),
  verified: withDefault(number),
  /** `walking` until all checkpoints are completed, then `ready` until the key is claimed. */
  state: textOf<'walking' | 'ready' | 'issued'>(),
  /** Why the last attempt was rejected. */
  notice: nullable(text),
  started_at: number,
  expires_at: number,
  issued_at: nullable(number),
  /** The key that was issued or extended. */
  user_key: nullable(text),
  extended: withDefault(flag),
}
export type AdProgressTable = TableOf<typeof adProgress>

/** One visit to a provider. */
const adAttempts = {
  seq,
  progress_id: text,
  /** The planned checkpoint that the visit is for. */
  step_id: text,
  /** The checkpoint actually visited: the planned one or its fallback. */
  checkpoint_id: text,
  click_id: text,
  /**
   * `checking` while the provider is queried, `over` after a failure, `stale` after a change to the
   * checkpoint.
   */
  state: textOf<'out' | 'checking' | 'waiting' | 'passed' | 'over' | 'stale'>(),
  address: text,
  started_at: number,
  returned_at: nullable(number),
  /** When the provider confirmed the visit with a postback. */
  postback_at: nullable(number),
}
export type AdAttemptsTable = TableOf<typeof adAttempts>

/**
 * Single-use tokens and events: provider tokens, postbacks, solved captchas, and closed self-service visits.
 */
const adUsedTokens = {
  /** SHA-256 hash of the purpose and the token, in hex. */
  hash: text,
  used_at: number,
}
export type AdUsedTokensTable = TableOf<typeof adUsedTokens>

/** User keys that were earned through ads, and how each was earned. */
const adKeys = {
  user_key: text,
  project_id: text,
  system_id: text,
  visitor: text,
  network: text,
  browser: text,
  device: nullable(text),
  /**
   * The network that the first use must come from, and when this restriction ends. Both are null if any
   * network is allowed.
   */
  locked_network: nullable(text),
  locked_until: nullable(number),
  created_at: number,
  extended_count: withDefault(number),
}
export type AdKeysTable = TableOf<typeof adKeys>

/** Checkpoint statistics: rejections by reason, and how long visitors took to complete the checkpoint. */
const adCounts = {
  checkpoint_id: text,
  kind: textOf<'refused' | 'duration'>(),
  /** The reason, or the number of the duration bucket. */
  value: text,
  count: number,
}
export type AdCountsTable = TableOf<typeof adCounts>

/** A checkpoint's statistics per UTC day (days since 1970). */
const adCheckpointDays = {
  checkpoint_id: text,
  day: number,
  started: number,
  completed: number,
  /** Visitors rejected for any reason. */
  refused: number,
  /** The rejected visitors who tried to skip the ads. */
  bypassed: number,
}
export type AdCheckpointDaysTable = TableOf<typeof adCheckpointDays>

/** Daily number of visitors who completed a system, and how many of them got a new key. */
const adSystemDays = {
  system_id: text,
  day: number,
  completions: number,
  keys: number,
}
export type AdSystemDaysTable = TableOf<typeof adSystemDays>

export const adTables = {
  ad_systems: adSystems,
  ad_checkpoints: adCheckpoints,
  ad_slots: adSlots,
  ad_visitors: adVisitors,
  ad_progress: adProgress,
  ad_attempts: adAttempts,
  ad_used_tokens: adUsedTokens,
  ad_keys: adKeys,
  ad_counts: adCounts,
  ad_checkpoint_days: adCheckpointDays,
  ad_system_days: adSystemDays,
}
