/**
 * Every table and its columns as both engines hold them. Columns carry the interface's names, times are
 * milliseconds since 1970, and `test/store/drift.test.ts` holds this against the real tables. Statements live in
 * the file of their table.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { DenialReason } from '@scriptward/client/messages'
import type { Generated, GeneratedAlways } from 'kysely'
import type {
  AdAttemptsTable,
  AdCheckpointsTable,
  AdCountsTable,
  AdKeysTable,
  AdProgressTable,
  AdSlotsTable,
  AdSystemsTable,
  AdUsedTokensTable,
  AdVisitorsTable,
} from './ad-tables.ts'

/** Ascending number of a row within its table: the order of every list, never reused. */
type Seq = GeneratedAlways<number>
/** Yes or no in a column that both engines compare alike. */
export type Flag = 0 | 1

/** Limits of -1 mean that there is none. */
export type TiersTable = {
  id: number
  name: string
  max_users: number
  max_projects: number
  max_scripts: number
  free_for_all: number
  obfuscations: number
  price: number
  max_ad_users: number
  max_checkpoints: number
  max_systems: number
}

export type CustomersTable = {
  seq: Seq
  id: string
  /** SHA-256 in hex; the key itself is kept nowhere. */
  api_key_hash: string
  /** The first eight characters, by which its owner recognises a key. */
  api_key_start: string
  email: string
  chat_id: string | null
  tier: number
  plan_expires: number
  created_at: number
  obfuscations_used: Generated<number>
  /** year * 12 + month in UTC for which `obfuscations_used` counts. */
  obfuscations_month: Generated<number>
  bonus_obfuscations_left: Generated<number>
  admin: Generated<Flag>
  verified: Generated<Flag>
  blacklisted: Generated<Flag>
  blacklist_reason: string | null
  blacklist_expires: number | null
  total_executions: Generated<number>
}

/** New API keys that their owners have not been given yet, at most one for a customer. */
export type WaitingApiKeysTable = {
  customer_id: string
  api_key_hash: string
  /** The key itself, encrypted. */
  sealed: Uint8Array
  created_at: number
  /** When the next mail with it is due. */
  mail_at: number
  /** Mails that were begun. */
  attempts: Generated<number>
}

/** Obfuscations that are counted and not kept yet. */
export type ObfuscationReservationsTable = {
  id: string
  customer_id: string
  /** As in `obfuscations_month`. */
  month: number
  from_bonus: Flag
  reserved_at: number
}

export type ProjectsTable = {
  seq: Seq
  id: string
  customer_id: string
  name: string
  fingerprint_reset_cooldown: number
  allow_fingerprint_resets: Flag
  delete_expired_users: Flag
  execution_webhook: string | null
  information_webhook: string | null
  blacklist_webhook: string | null
  require_chat: Flag
  require_join_chat_server: Flag
  /** Software that is not Lua may ask about keys. */
  allow_checks: Generated<Flag>
  total_executions: Generated<number>
  created_at: number
  /** Its rows in `users`; whoever inserts or deletes some says so to `changeUserCount`. */
  total_users: Generated<number>
  /** Those of them whose key was earned by ads. */
  ad_users: Generated<number>
}

export type ScriptsTable = {
  seq: Seq
  id: string
  project_id: string
  name: string
  free_for_all: Flag
  use_heartbeat: Flag
  kick_outdated: Flag
  require_sessions: Flag
  silent: Flag
  enabled: Generated<Flag>
  /** The active one among `script_versions`. */
  version: number
  /** JSON: the options that the next version is built with, by their ids. */
  options: Generated<string>
  total_executions: Generated<number>
  created_at: number
}

export type ScriptVersionsTable = {
  seq: Seq
  script_id: string
  version: number
  preset: string
  created_at: number
  /** The author's text, encrypted. */
  source: Uint8Array
  /** Size of the author's text before encryption. */
  source_bytes: number
  /** The protected text as one raw LZ4 block. */
  payload: Uint8Array
  /** Bytes of the protected text before LZ4. */
  payload_size: number
  /** JSON: the slots of its watermark, as places in the protected text. */
  slots: Generated<string>
  /** The data of the protected text as one raw LZ4 block; null when the text is one piece. */
  data: Uint8Array | null
  /** Bytes of the data before LZ4, and its place in the protected text. */
  data_size: number | null
  data_at: number | null
  /** The protected text without its data, packed for loaders; null when they do not carry it. */
  interpreter: string | null
  /** JSON: the options that it was built with, by their ids. */
  options: Generated<string>
  /** What the build was proved with, encrypted. */
  test_script: Uint8Array | null
  /** What its locks are opened with, encrypted; null when it has none. */
  service_key: Uint8Array | null
  /** JSON. */
  report: string
  duration_ms: number
}

export type UsersTable = {
  seq: Seq
  key: string
  project_id: string
  chat_id: string | null
  executor: string | null
  executions: Generated<number>
  key_expires: number | null
  created_at: number
  last_reset: Generated<number>
  total_fingerprint_resets: Generated<number>
  note: string | null
  blacklisted: Generated<Flag>
  blacklist_reason: string | null
  blacklist_expires: number | null
  max_instances: number | null
  max_executions: number | null
  use_fingerprint: Generated<Flag>
  ad_system_id: string | null
  fingerprint_assigned: Generated<Flag>
  /** JSON of the three masked parts, made when the device was bound. */
  fingerprint_display: string | null
}

export type UserFingerprintsTable = {
  user_key: string
  project_id: string
  component: string
  strength: number
  /** Hex. */
  hash: string
}

/** Devices that ran a free-for-all script without a key; they count once in a project, whatever they run there. */
export type FfaDevicesTable = {
  customer_id: string
  project_id: string
  device: string
  /** The script that the device ran first; null after that script was removed. */
  script_id: string | null
  first_seen: number
}

export type DailyExecutionsTable = {
  script_id: string
  /** Days since 1970-01-01 in UTC. */
  day: number
  executor: string
  project_id: string
  customer_id: string
  count: number
}

export type InstancesTable = {
  seq: Seq
  exec: string
  project_id: string
  script_id: string
  user_key: string | null
  device: string | null
  script_version: number
  executor: string
  runtime: string
  game_user_id: string | null
  place_id: string | null
  job_id: string | null
  granted_at: number
  last_seen: number
  /** From here on it is dead, though it may come back while its row is there. */
  expires_at: number
  /** Key of its session and key of its payload, encrypted; null for a client that does neither beat nor hold one. */
  secrets: Uint8Array | null
  /** Number of the last beat that was answered. */
  beat_n: Generated<number>
  /** The key that the next beat is sealed under and the one of the last beat, encrypted. */
  beat_keys: Uint8Array | null
  /** Digest of the last beat as it came, and what it was answered. */
  beat_body: string | null
  beat_reply: string | null
  /** Digest of the variables that the client knows. */
  told: string | null
  /** Whether it was granted on condition that it holds a session. */
  ws_required: Generated<Flag>
  /** The last connection that was let in; every later one has a higher number. */
  ws_epoch: Generated<number>
  /** When it last had a session. */
  ws_seen: number | null
  /** Why it was ended; the client is told at the next occasion. */
  kick: KickReason | null
}

/** Denied executions: of a user, or of a project when no user's key came with the attempt. */
export type DenialsTable = {
  seq: Seq
  project_id: string
  user_key: string | null
  script_id: string
  script_version: number
  reason: DenialReason
  /** What the check looked at, masked where it is a secret. */
  value: string | null
  allowed_at: number | null
  /** Masked, as all that is kept of a device. */
  ip: string
  fingerprint: string
  executor: string
  runtime: string
  /** How often the same was denied in a row. */
  count: Generated<number>
  /** Denials that came too fast to be written, before this one. */
  left_out: Generated<number>
  first_at: number
  last_at: number
}

/** Whom a watermarked payload was made for; `exec` is what its code word was made from. */
export type ExecutionMarksTable = {
  seq: Seq
  script_id: string
  script_version: number
  exec: string
  /** Null for a guest; the key of a user that may be gone by now. */
  user_key: string | null
  executor: string
  granted_at: number
}

/** Who is in the chat server of a project, as its bot says. */
export type ChatMembersTable = {
  seq: Seq
  project_id: string
  chat_id: string
  added_at: number
}

/** One for each address that a project has; `domain/projects.ts` makes and removes them with the address. */
export type WebhooksTable = {
  seq: Seq
  project_id: string
  kind: 'execution' | 'information' | 'blacklist'
  /** Nothing is sent before: a process has claimed it, the receiver asked for time, or it keeps failing. */
  held_until: Generated<number>
  /** In a row. */
  failures: Generated<number>
  failing_since: number | null
  paused_at: number | null
  pause_reason: 'failing' | 'gone' | null
}

export type OutboxTable = {
  seq: Seq
  id: string
  project_id: string
  kind: WebhooksTable['kind']
  type: string
  /** JSON. */
  data: string
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  created_at: number
  /** Differs from `created_at` when it was sent once more. */
  queued_at: number
  attempts: number
  /** Null exactly when it is not pending. */
  due_at: number | null
}

export type WebhookDeliveriesTable = {
  seq: Seq
  event_id: string
  attempted_at: number
  duration_ms: number
  address: string
  status: number | null
  /** The beginning of what the receiver said. */
  answer: string | null
  error: string | null
}

/** Requests that name themselves, so that sending one again does not do it again. */
export type IdempotencyKeysTable = {
  customer_id: string
  /** What the sender called it. */
  key: string
  /** SHA-256 in hex of what was asked. */
  request_hash: string
  /** Names the one request, of several with the key, that is being done. */
  claim: string
  created_at: number
  /** The answer; all null until there is one. */
  status: number | null
  content_type: string | null
  /** Encrypted. */
  body: Uint8Array | null
}

export type Tables = {
  tiers: TiersTable
  customers: CustomersTable
  waiting_api_keys: WaitingApiKeysTable
  obfuscation_reservations: ObfuscationReservationsTable
  projects: ProjectsTable
  scripts: ScriptsTable
  script_versions: ScriptVersionsTable
  users: UsersTable
  user_fingerprints: UserFingerprintsTable
  ffa_devices: FfaDevicesTable
  daily_executions: DailyExecutionsTable
  instances: InstancesTable
  execution_marks: ExecutionMarksTable
  denials: DenialsTable
  chat_members: ChatMembersTable
  ad_systems: AdSystemsTable
  ad_checkpoints: AdCheckpointsTable
  ad_slots: AdSlotsTable
  ad_visitors: AdVisitorsTable
  ad_progress: AdProgressTable
  ad_attempts: AdAttemptsTable
  ad_used_tokens: AdUsedTokensTable
  ad_keys: AdKeysTable
  ad_counts: AdCountsTable
  idempotency_keys: IdempotencyKeysTable
  webhooks: WebhooksTable
  outbox: OutboxTable
  webhook_deliveries: WebhookDeliveriesTable
}
