/** Tables of ad systems, a part of `tables.ts`: what their owners set up, and what their visitors do. */
import type { Generated, GeneratedAlways } from 'kysely'
import type { Flag } from './tables.ts'

type Seq = GeneratedAlways<number>

export type AdSystemsTable = {
  seq: Seq
  id: string
  project_id: string
  name: string
  /** As its owner writes it; unique without regard to case. */
  url: string | null
  key_duration: number
  max_keys: number
  allow_extending: Flag
  max_duration: number
  created_at: number
  total_keys: Generated<number>
  total_completions: Generated<number>
}

export type AdCheckpointsTable = {
  seq: Seq
  id: string
  system_id: string
  /** From 0 without gaps within a system. */
  index: number
  name: string
  url: string
  provider: string
  /** JSON, encrypted. */
  provider_data: Uint8Array
  callback_id: string
  postback_id: string
  created_at: number
  total_started: Generated<number>
  total_completed: Generated<number>
  /** The checkpoint that visitors are offered instead while this one's provider does not answer. */
  fallback_checkpoint_id: string | null
  /** When the provider last refused the owner's settings. */
  misconfigured_at: number | null
  /** When the owner was last told so. */
  misconfigured_told: number | null
}

/** The checkpoint that a system gets next: its addresses exist before it does. At most one for a system. */
export type AdSlotsTable = {
  system_id: string
  checkpoint_id: string
  callback_id: string
  postback_id: string
  expires_at: number
}

/** Browsers that began a way through an ad system. */
export type AdVisitorsTable = {
  /** SHA-256 in hex of the cookie; the cookie itself is kept nowhere. */
  id_hash: string
  first_seen: number
  last_seen: number
  /** Where he came from when he last began: /24 or /48. */
  network: string
  /** Digest of what his browser says of itself. */
  browser: string
  /** Grows with behaviour of programs; from some height on he has to prove that he is none. */
  risk: Generated<number>
  /** Visits that were not confirmed, since when, and until when he has to wait because of them. */
  failures: Generated<number>
  failures_since: Generated<number>
  blocked_until: Generated<number>
}

/** One way of a visitor through the checkpoints of a system, from its start to the key. */
export type AdProgressTable = {
  seq: Seq
  id: string
  system_id: string
  /** `id_hash` of the visitor. */
  visitor: string
  network: string
  /** `component:hash` of the device that the key will be bound to. */
  device: string | null
  /** JSON list of the checkpoints as they were at the start. */
  plan: string
  /** How many of them are passed, and how many of those were confirmed by a provider. */
  pos: Generated<number>
  verified: Generated<number>
  /** `walking` until all are passed, then `ready` until the key is taken. */
  state: 'walking' | 'ready' | 'issued'
  /** Why the last try was refused. */
  notice: string | null
  started_at: number
  expires_at: number
  issued_at: number | null
  /** The key that was issued or extended. */
  user_key: string | null
  extended: Generated<Flag>
}

/** One visit of a provider. */
export type AdAttemptsTable = {
  seq: Seq
  progress_id: string
  /** The checkpoint of the plan that it is to pass. */
  step_id: string
  /** The checkpoint that it goes to: the same, or its fallback. */
  checkpoint_id: string
  click_id: string
  /** `checking` while the provider is asked; `over` when it failed, `stale` when the checkpoint was changed. */
  state: 'out' | 'checking' | 'waiting' | 'passed' | 'over' | 'stale'
  address: string
  started_at: number
  returned_at: number | null
  /** When the provider confirmed it by itself. */
  postback_at: number | null
}

/** Whatever counts once: tokens of providers, postbacks, solved proofs. */
export type AdUsedTokensTable = {
  /** SHA-256 in hex of the purpose and the token. */
  hash: string
  used_at: number
}

/** What is known of a user key because it was earned. */
export type AdKeysTable = {
  user_key: string
  system_id: string
  visitor: string
  network: string
  browser: string
  device: string | null
  /** Where the first use has to come from, and until when; both null when it may come from anywhere. */
  locked_network: string | null
  locked_until: number | null
  created_at: number
  extended_count: Generated<number>
}

/** What happened at a checkpoint: how often each reason refused a visitor, and how long passing took. */
export type AdCountsTable = {
  checkpoint_id: string
  kind: 'refused' | 'duration'
  /** The reason, or the number of the duration's class. */
  value: string
  count: number
}
