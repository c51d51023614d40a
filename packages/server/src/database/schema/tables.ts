/**
 * Declares every table and its columns. Some areas, such as ad systems, dashboard users, bans and devices,
 * have separate files. The types derive from the declarations, and `drift.service.test.ts` compares them with
 * the migrated database.
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { DenialReason } from '@scriptward/client/messages'
import { accessTables } from './access-tables.ts'
import { accountTables } from './account-tables.ts'
import { adTables } from './ad-tables.ts'
import { banTables } from './ban-tables.ts'
import { changeTables } from './change-tables.ts'
import { chatTables } from './chat-tables.ts'
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'
import { contentTables } from './content-tables.ts'
import { type DeviceRule, deviceTables } from './device-tables.ts'
import { endTables } from './end-tables.ts'
import { errorTables } from './error-tables.ts'
import { executorTables } from './executor-tables.ts'
import { hubTables } from './hub-tables.ts'
import { labelColumns, labelTables } from './label-tables.ts'
import { logTables } from './log-tables.ts'
import { releaseTables } from './release-tables.ts'
import { versionTables } from './version-tables.ts'
import { webhookTables } from './webhook-tables.ts'

const projects = {
  seq,
  id: text,
  customer_id: text,
  name: text,
  fingerprint_reset_cooldown: number,
  allow_fingerprint_resets: flag,
  delete_expired_users: flag,
  /** Encrypted URLs. */
  execution_webhook: nullable(text),
  information_webhook: nullable(text),
  blacklist_webhook: nullable(text),
  /** An http or https URL where denied users find help. */
  support_url: nullable(text),
  require_chat: flag,
  require_join_chat_server: flag,
  /** Whether non-Lua software may check keys. */
  allow_checks: withDefault(flag),
  /** Whether guests of a free-for-all script need a device with a strong component. */
  guests_need_device: withDefault(flag),
  total_executions: withDefault(number),
  created_at: number,
  /** Number of rows in `users`, maintained by `changeUserCount`. */
  total_users: withDefault(number),
  /** Number of users who earned their key through ads. */
  ad_users: withDefault(number),
  /**
   * Number of rows in `bans`, maintained by `changeBanCount`, so that executions skip the lookup when it is
   * 0.
   */
  bans: withDefault(number),
  /** A key used from more networks than this within 7 days counts as shared. 0 means never. */
  share_threshold: withDefault(number),
  /** How long before expiry `user.expiring` is sent. 0 means never. */
  expiring_lead: withDefault(number),
  /** Increases with each change to the content for running scripts. 0 if the project never had content. */
  content_revision: withDefault(number),
  /** Format of new keys. Null for 32 letters and digits. */
  key_format: nullable(text),
}
export type ProjectsTable = TableOf<typeof projects>

/** Branding of a project's public pages. Projects with the default look may have no row. */
const branding = {
  project_id: text,
  name: nullable(text),
  /** Lowercase `#rrggbb`. */
  accent: nullable(text),
  /** JSON: an array of `{ title, url }`. */
  links: withDefault(text),
  all_scripts: withDefault(flag),
  /** JSON: ordered IDs of the scripts to show if not all are shown. Some may have been deleted. */
  scripts: withDefault(text),
  logo: nullable(bytes),
  /** File name in the public folder: content digest plus extension. */
  logo_file: nullable(text),
  logo_width: nullable(number),
  logo_height: nullable(number),
}
export type BrandingTable = TableOf<typeof branding>

/** License plans: the permissions and validity of keys. */
const plans = {
  seq,
  id: text,
  project_id: text,
  name: text,
  clock_basis: textOf<'creation' | 'first_use'>(),
  /** Null for no expiry. */
  clock_duration: nullable(number),
  /** Grace period after expiry. */
  grace: withDefault(number),
  max_instances: nullable(number),
  max_executions: nullable(number),
  quota_count: nullable(number),
  quota_period: nullable(textOf<'day' | 'week' | 'month'>()),
  /** JSON: IDs of the scripts that the plan's keys may run; null for all. */
  scripts: nullable(text),
  /** JSON: an object of features; each value is true, a number or a string. */
  features: withDefault(text),
  created_at: number,
  max_devices: withDefault(number),
  device_match: withDefault(textOf<DeviceRule>()),
  /** Self-service resets allowed per period, and the length of the period in milliseconds. */
  resets_count: nullable(number),
  resets_period: nullable(number),
  after_expiry: withDefault(textOf<'deny' | 'keep_version'>()),
  /** Whether callers who may issue users, but not write them, may issue the plan's keys. */
  resellable: withDefault(flag),
  /** The Discord role that customers on this plan get. */
  chat_role_id: nullable(text),
}
export type PlansTable = TableOf<typeof plans>

const scripts = {
  seq,
  id: text,
  project_id: text,
  name: text,
  free_for_all: flag,
  use_heartbeat: flag,
  kick_outdated: flag,
  require_sessions: flag,
  silent: flag,
  /** Whether runs report the script's errors. */
  report_errors: withDefault(flag),
  enabled: withDefault(flag),
  /** The active version in `script_versions`. */
  version: number,
  /** JSON: build options for the next version, by ID. */
  options: withDefault(text),
  total_executions: withDefault(number),
  created_at: number,
  /** Shown to users while the script is disabled. */
  disabled_message: nullable(text),
  /** JSON: which executors may run the script; null for all. See `features/executors/rules.ts`. */
  executor_rules: nullable(text),
  /** Whether uploads to a script with many customers are rolled out gradually. */
  staged_releases: withDefault(flag),
  /**
   * JSON: channels and running releases, as `releases/customer-version.ts` reads them. Null if everyone gets
   * `version`.
   */
  staging: nullable(text),
}
export type ScriptsTable = TableOf<typeof scripts>

const users = {
  seq,
  /** Unique per account. */
  key: text,
  customer_id: text,
  project_id: text,
  chat_id: nullable(text),
  executor: nullable(text),
  executions: withDefault(number),
  key_expires: nullable(number),
  created_at: number,
  last_reset: withDefault(number),
  total_fingerprint_resets: withDefault(number),
  note: nullable(text),
  blacklisted: withDefault(flag),
  blacklist_reason: nullable(text),
  blacklist_expires: nullable(number),
  max_instances: nullable(number),
  max_executions: nullable(number),
  use_fingerprint: withDefault(flag),
  ad_system_id: nullable(text),
  fingerprint_assigned: withDefault(flag),
  /** JSON: the three masked components, created when the device was bound. */
  fingerprint_display: nullable(text),
  /** The change that added the user, if it took several transactions. The change may no longer exist. */
  change: nullable(number),
  /** The team member with limited permissions who issued the key. Null for all other keys. */
  issuer: nullable(text),
  /**
   * The part of the status that does not depend on time. Maintained by the triggers in
   * `engine/usage-state.ts`. Nothing else writes this column.
   */
  standing: withDefault(number),
  plan_id: nullable(text),
  /** Executions before this time are denied. */
  starts_at: nullable(number),
  /**
   * When the user's own validity starts. `none` if the expiry was set manually. Null to use the plan's rule,
   * if any.
   */
  clock_basis: nullable(textOf<'creation' | 'first_use' | 'none'>()),
  /** Duration of the user's own validity. Null for no expiry. */
  clock_duration: nullable(number),
  /** When the validity began. `key_expires` is derived from this, the duration and `clock_extra`. */
  clock_began: nullable(number),
  /** Extensions and pauses, which are added to the duration. */
  clock_extra: withDefault(number),
  /** Whether the validity begins with the next execution. */
  clock_waits: withDefault(flag),
  paused_at: nullable(number),
  /** JSON: features, keyed by name. They override the plan's; null removes a feature. */
  features: nullable(text),
  first_used_at: nullable(number),
  last_used_at: nullable(number),
  /**
   * The day of `last_used_at`, which users are sorted by. Maintained by the triggers in
   * `engine/last-used-day.ts`. Nothing else writes this column.
   */
  last_used_day: nullable(number),
  /** Number of executions in the plan's quota period that ends at `quota_until`. */
  quota_used: withDefault(number),
  quota_until: nullable(number),
  /** Device identifier from the service that the user was imported from. Never matched. */
  foreign_device: nullable(text),
  /** Null to use the plan's value, as for `device_match`. */
  max_devices: nullable(number),
  device_match: nullable(textOf<DeviceRule>()),
  /** Number of self-service resets in the period that ends at `own_resets_until`. */
  own_resets: withDefault(number),
  own_resets_until: nullable(number),
  ...labelColumns,
}
export type UsersTable = TableOf<typeof users>

const dailyExecutions = {
  script_id: text,
  /** Days since 1970-01-01 in UTC. */
  day: number,
  executor: text,
  project_id: text,
  customer_id: text,
  count: number,
}
export type DailyExecutionsTable = TableOf<typeof dailyExecutions>

/**
 * Execution outcomes per hour and per day. Each execution is counted in both, for its script and for the
 * project.
 */
const outcomes = {
  project_id: text,
  /** Empty for the project total. */
  script_id: text,
  step: textOf<'hour' | 'day'>(),
  /** Start of the hour or day in UTC. */
  at: number,
  outcome: textOf<'granted' | 'crashed' | 'vanished' | DenialReason>(),
  count: number,
  expires_at: number,
}
export type OutcomesTable = TableOf<typeof outcomes>

const instances = {
  seq,
  exec: text,
  project_id: text,
  script_id: text,
  user_key: nullable(text),
  device: nullable(text),
  script_version: number,
  executor: text,
  runtime: text,
  /** Language of messages to the customer. Null if unknown. */
  language: nullable(text),
  game_user_id: nullable(text),
  place_id: nullable(text),
  job_id: nullable(text),
  granted_at: number,
  last_seen: number,
  /** The run counts as ended after this time, but it can resume while its row exists and has keys. */
  expires_at: number,
  /** Session key and payload key, encrypted. Null for clients without heartbeats or a live session. */
  secrets: nullable(bytes),
  /** Sequence number of the last answered heartbeat. */
  beat_n: withDefault(number),
  /** Keys for the next and the last heartbeat, encrypted. */
  beat_keys: nullable(bytes),
  /** Digest of the last heartbeat, and the response to it. */
  beat_body: nullable(text),
  beat_reply: nullable(text),
  /** Digest of the variables that the client has received. */
  variables_digest: nullable(text),
  /** Whether the run must hold a live session. */
  ws_required: withDefault(flag),
  /** Number of the last accepted connection. Later connections have higher numbers. */
  ws_epoch: withDefault(number),
  /** When the run last had a live session. */
  ws_seen: nullable(number),
  /**
   * JSON: the locks whose keys were granted, and whether a heartbeat that requested most of them was
   * reported.
   */
  leased: nullable(text),
  /** Number of error reports stored for the run. */
  error_reports: withDefault(number),
  /**
   * The executor's version until the client has reported its functions. Null if the client was not asked to
   * report them.
   */
  probe: nullable(text),
  /** The reason for ending the run, sent to the client with the next response. */
  kick: nullable(textOf<KickReason>()),
  /**
   * Matched against bans: the IP address in the form of `networkDigits`, and the device's strong
   * components, separated by spaces.
   */
  address: nullable(text),
  devices: nullable(text),
}
export type InstancesTable = TableOf<typeof instances>

/**
 * Live sessions when several processes share the database. Further data is in the session's row in
 * `instances`.
 */
const sessions = {
  exec: text,
  id: text,
  /** The ID of the process that holds the session. */
  process: text,
  /** Number of the connection that wrote this row. A row with a higher number is never overwritten. */
  epoch: number,
  project_id: text,
  script_id: text,
  user_key: nullable(text),
  created_at: number,
  detached: withDefault(flag),
}

/** Running processes that share the database. */
const processes = {
  id: text,
  /**
   * Increases while the process is running. Other processes check how long this value stays unchanged, and
   * don't rely on the process's clock.
   */
  beat: withDefault(number),
  seen_at: number,
  /** Set when other processes consider this process dead and are ending its sessions. */
  ended: withDefault(flag),
}

/** Denied executions of a user, or of a project if the attempt had no user key. */
const denials = {
  seq,
  project_id: text,
  user_key: nullable(text),
  script_id: text,
  script_version: number,
  reason: textOf<DenialReason>(),
  /** The checked value, masked if it is secret. */
  value: nullable(text),
  allowed_at: nullable(number),
  /** Masked, like everything stored about a device. */
  ip: text,
  fingerprint: text,
  executor: text,
  runtime: text,
  /** Number of consecutive repetitions of the same denial. */
  count: withDefault(number),
  /** Number of preceding denials that arrived too fast to be stored. */
  left_out: withDefault(number),
  first_at: number,
  last_at: number,
}
export type DenialsTable = TableOf<typeof denials>

/** Recipients of watermarked copies. The watermark is derived from `exec`. */
const executionMarks = {
  seq,
  script_id: text,
  script_version: number,
  exec: text,
  /** The user or guest device whose watermark the copy contains. */
  holder: text,
  /** Null for a guest. The user may have been deleted. */
  user_key: nullable(text),
  executor: text,
  granted_at: number,
}
export type ExecutionMarksTable = TableOf<typeof executionMarks>

/** Members of a project's Discord server, as reported by its bot. */
const chatMembers = {
  seq,
  project_id: text,
  chat_id: text,
  added_at: number,
}
export type ChatMembersTable = TableOf<typeof chatMembers>

/** Idempotency keys: a retried request gets the stored response. */
const idempotencyKeys = {
  customer_id: text,
  /** Chosen by the client. */
  key: text,
  /** ID of the token or dashboard user; empty for the account's API key. */
  sender: withDefault(text),
  /** SHA-256 hash of the request, in hex. */
  request_hash: text,
  /** Identifies the request that is executed if several requests use the key. */
  claim: text,
  created_at: number,
  /** The response. All of its columns are null until it is stored. */
  status: nullable(number),
  content_type: nullable(text),
  /** Encrypted; also null for a response that was too long to store. */
  body: nullable(bytes),
  /** Size of the body in bytes. */
  size: withDefault(number),
}
export type IdempotencyKeysTable = TableOf<typeof idempotencyKeys>

/** At most one row: the running backup attempt and the results of the last attempts. */
const backupState = {
  id: number,
  /** ID of the running attempt. Null if none is running. */
  holder: nullable(text),
  /** No other attempt may begin before this time, which is extended while an attempt is running. */
  held_until: withDefault(number),
  /** The last backup, with its machine and its path on that machine. */
  made_at: nullable(number),
  machine: nullable(text),
  place: nullable(text),
  /** The last failed attempt, even if one has succeeded since. */
  failed_at: nullable(number),
  failure: nullable(text),
}
export type BackupStateTable = TableOf<typeof backupState>

export const tables = {
  ...accountTables,
  projects,
  branding,
  plans,
  scripts,
  ...versionTables,
  users,
  ...deviceTables,
  ...labelTables,
  daily_executions: dailyExecutions,
  outcomes,
  instances,
  sessions,
  processes,
  execution_marks: executionMarks,
  denials,
  chat_members: chatMembers,
  ...banTables,
  ...endTables,
  ...contentTables,
  ...errorTables,
  ...logTables,
  ...releaseTables,
  ...executorTables,
  ...hubTables,
  ...chatTables,
  ...adTables,
  ...accessTables,
  ...changeTables,
  idempotency_keys: idempotencyKeys,
  ...webhookTables,
  backup_state: backupState,
}
export type Tables = { [T in keyof typeof tables]: TableOf<(typeof tables)[T]> }
