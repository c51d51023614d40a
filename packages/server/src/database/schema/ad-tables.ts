/** Tables of ad systems, a part of `tables.ts`: what their owners set up, and what their visitors do. */
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'

const adSystems = {
  seq,
  id: text,
  project_id: text,
  name: text,
  /** As the owner wrote it; unique, ignoring case. */
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
  /** From 0 without gaps within a system. */
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
  /** The checkpoint that visitors are offered instead while this one's provider does not answer. */
  fallback_checkpoint_id: nullable(text),
  /** When the provider last refused the owner's settings. */
  misconfigured_at: nullable(number),
  /** When the owner was last notified of that. */
  misconfigured_told: nullable(number),
}
export type AdCheckpointsTable = TableOf<typeof adCheckpoints>

/** The checkpoint that a system gets next: its addresses exist before it does. At most one for a system. */
const adSlots = {
  system_id: text,
  checkpoint_id: text,
  callback_id: text,
  postback_id: text,
  expires_at: number,
}
export type AdSlotsTable = TableOf<typeof adSlots>

/** Browsers that started an ad system. */
const adVisitors = {
  /** SHA-256 in hex of the cookie; the cookie itself is not stored. */
  id_hash: text,
  first_seen: number,
  last_seen: number,
  /** Their network when they last started: /24 or /48. */
  network: text,
  /** Digest of what the browser sends about itself. */
  browser: text,
  /** Grows with bot-like behaviour; from a threshold on the visitor has to solve a captcha. */
  risk: withDefault(number),
  /** Unconfirmed visits, since when, and until when the visitor has to wait because of them. */
  failures: withDefault(number),
  failures_since: withDefault(number),
  blocked_until: withDefault(number),
}
export type AdVisitorsTable = TableOf<typeof adVisitors>

/** Progress of a visitor through the checkpoints of a system, from the start to the key. */
const adProgress = {
  seq,
  id: text,
  system_id: text,
  /** `id_hash` of the visitor. */
  visitor: text,
  network: text,
  /** `component:hash` of the device that the key will be bound to. */
  device: nullable(text),
  /** JSON list of the checkpoints as they were at the start. */
  plan: text,
  /** How many of them are passed, and how many of those were confirmed by a provider. */
  pos: withDefault(number),
  verified: withDefault(number),
  /** `walking` until all are passed, then `ready` until the key is taken. */
  state: textOf<'walking' | 'ready' | 'issued'>(),
  /** Why the last attempt was refused. */
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
  /** The checkpoint of the plan that the visit is for. */
  step_id: text,
  /** The checkpoint that it goes to: the same, or its fallback. */
  checkpoint_id: text,
  click_id: text,
  /** `checking` while the provider is asked; `over` when it failed, `stale` when the checkpoint was changed. */
  state: textOf<'out' | 'checking' | 'waiting' | 'passed' | 'over' | 'stale'>(),
  address: text,
  started_at: number,
  returned_at: nullable(number),
  /** When the provider confirmed it by itself. */
  postback_at: nullable(number),
}
export type AdAttemptsTable = TableOf<typeof adAttempts>

/** Everything that counts once: tokens of providers, postbacks, solved captchas, closed self-service visits. */
const adUsedTokens = {
  /** SHA-256 in hex of the purpose and the token. */
  hash: text,
  used_at: number,
}
export type AdUsedTokensTable = TableOf<typeof adUsedTokens>

/** User keys that were earned, with how. */
const adKeys = {
  user_key: text,
  project_id: text,
  system_id: text,
  visitor: text,
  network: text,
  browser: text,
  device: nullable(text),
  /** The network that the first use has to come from, and until when; both null when it may come from anywhere. */
  locked_network: nullable(text),
  locked_until: nullable(number),
  created_at: number,
  extended_count: withDefault(number),
}
export type AdKeysTable = TableOf<typeof adKeys>

/** What happened at a checkpoint: how often each reason refused a visitor, and how long passing took. */
const adCounts = {
  checkpoint_id: text,
  kind: textOf<'refused' | 'duration'>(),
  /** The reason, or the number of the duration's class. */
  value: text,
  count: number,
}
export type AdCountsTable = TableOf<typeof adCounts>

/** What happened at a checkpoint on one day in UTC, counted since 1970. */
const adCheckpointDays = {
  checkpoint_id: text,
  day: number,
  started: number,
  completed: number,
  /** Visitors who were refused, for any reason. */
  refused: number,
}
export type AdCheckpointDaysTable = TableOf<typeof adCheckpointDays>

/** How many visitors completed a system on one day, and how many of them got a new key. */
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
