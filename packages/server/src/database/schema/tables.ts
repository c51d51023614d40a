/**
 * Every table and its columns, those of ad systems, people, bans, devices, contents and the trash in files of their own: the types
 * derive from them, and `drift.service.test.ts` compares them
 */
import type { KickReason } from '@scriptward/client/live-messages'
import type { DenialReason } from '@scriptward/client/messages'
import { accessTables } from './access-tables.ts'
import { adTables } from './ad-tables.ts'
import { banTables } from './ban-tables.ts'
import { changeTables } from './change-tables.ts'
import { bytes, flag, nullable, number, seq, type TableOf, text, textOf, withDefault } from './columns.ts'
import { contentTables } from './content-tables.ts'
import { type DeviceRule, deviceTables } from './device-tables.ts'
import { endTables } from './end-tables.ts'
import { labelColumns, labelTables } from './label-tables.ts'
import { versionTables } from './version-tables.ts'

/** A limit of -1 means unlimited. */
const tiers = {
  id: number,
  name: text,
  max_users: number,
  max_projects: number,
  max_scripts: number,
  free_for_all: number,
  obfuscations: number,
  price: number,
  max_ad_users: number,
  max_checkpoints: number,
  max_systems: number,
}
export type TiersTable = TableOf<typeof tiers>

const customers = {
  seq,
  id: text,
  /** SHA-256 in hex; the key itself is not stored. */
  api_key_hash: text,
  /** The first eight characters, so that owners recognise their key. */
  api_key_start: text,
  email: text,
  chat_id: nullable(text),
  tier: number,
  plan_expires: number,
  created_at: number,
  obfuscations_used: withDefault(number),
  /** year * 12 + month in UTC for which `obfuscations_used` counts. */
  obfuscations_month: withDefault(number),
  bonus_obfuscations_left: withDefault(number),
  admin: withDefault(flag),
  verified: withDefault(flag),
  blacklisted: withDefault(flag),
  blacklist_reason: nullable(text),
  blacklist_expires: nullable(number),
  total_executions: withDefault(number),
  /** Of the API key before the last one, which works until then. */
  previous_api_key_hash: nullable(text),
  previous_api_key_until: nullable(number),
  /** Whether paths may carry the API key, and when one last did. */
  allow_path_key: withDefault(flag),
  path_key_used_at: nullable(number),
}
export type CustomersTable = TableOf<typeof customers>

/** New API keys that wait to be sent to their owners, at most one for each customer. */
const waitingApiKeys = {
  customer_id: text,
  api_key_hash: text,
  /** The key itself, encrypted. */
  sealed: bytes,
  created_at: number,
  /** When the next mail with it is due. */
  mail_at: number,
  /** Mails that were attempted. */
  attempts: withDefault(number),
}
export type WaitingApiKeysTable = TableOf<typeof waitingApiKeys>

/** Obfuscations in progress: counted, but without a version yet. */
const obfuscationReservations = {
  id: text,
  customer_id: text,
  /** As in `obfuscations_month`. */
  month: number,
  from_bonus: flag,
  reserved_at: number,
}
export type ObfuscationReservationsTable = TableOf<typeof obfuscationReservations>

const projects = {
  seq,
  id: text,
  customer_id: text,
  name: text,
  fingerprint_reset_cooldown: number,
  allow_fingerprint_resets: flag,
  delete_expired_users: flag,
  /** Sealed addresses. */
  execution_webhook: nullable(text),
  information_webhook: nullable(text),
  blacklist_webhook: nullable(text),
  /** Where denied users find help, an http or https address. */
  support_url: nullable(text),
  require_chat: flag,
  require_join_chat_server: flag,
  /** Whether software that is not Lua may check keys. */
  allow_checks: withDefault(flag),
  /** Whether a guest of a free-for-all script needs a strong component of their device. */
  guests_need_device: withDefault(flag),
  total_executions: withDefault(number),
  created_at: number,
  /** Its rows in `users`, maintained by `changeUserCount`. */
  total_users: withDefault(number),
  /** Those of them who earned their key by ads. */
  ad_users: withDefault(number),
  /** Its rows in `bans`, maintained by `changeBanCount`: executions of a project without any look for none. */
  bans: withDefault(number),
  /** A key that is used in more networks than this within seven days counts as shared; 0 for never. */
  share_threshold: withDefault(number),
  /** How long before the end of a key `user.expiring` is sent; 0 for never. */
  expiring_lead: withDefault(number),
  /** Raised with each change of what it tells its running scripts; 0 when it never had anything to tell. */
  content_revision: withDefault(number),
  /** How new keys look; null for 32 letters and digits. */
  key_format: nullable(text),
}
export type ProjectsTable = TableOf<typeof projects>

/** How a project looks to its visitors; one that looks like every other may have no row. */
const branding = {
  project_id: text,
  name: nullable(text),
  /** `#rrggbb` in lower case. */
  accent: nullable(text),
  /** JSON: a list of `{ title, url }`. */
  links: withDefault(text),
  all_scripts: withDefault(flag),
  /** JSON: ids of the scripts that are shown where not all are, in their order; some may be deleted by now. */
  scripts: withDefault(text),
  logo: nullable(bytes),
  /** Its name in the folder of public files: the digest of its content and the ending of its type. */
  logo_file: nullable(text),
  logo_width: nullable(number),
  logo_height: nullable(number),
}
export type BrandingTable = TableOf<typeof branding>

/** What a key of a project may do, for how long. */
const plans = {
  seq,
  id: text,
  project_id: text,
  name: text,
  clock_basis: textOf<'creation' | 'first_use'>(),
  /** Null never ends. */
  clock_duration: nullable(number),
  /** How long keys run on after their end. */
  grace: withDefault(number),
  max_instances: nullable(number),
  max_executions: nullable(number),
  quota_count: nullable(number),
  quota_period: nullable(textOf<'day' | 'week' | 'month'>()),
  /** JSON: ids of the scripts that its keys may run; null for all. */
  scripts: nullable(text),
  /** JSON by name: true, a number or a text. */
  features: withDefault(text),
  created_at: number,
  max_devices: withDefault(number),
  device_match: withDefault(textOf<DeviceRule>()),
  /** Resets of their own that users have in a period of so many milliseconds. */
  resets_count: nullable(number),
  resets_period: nullable(number),
  after_expiry: withDefault(textOf<'deny' | 'keep_version'>()),
  /** Also callers who may issue users and not write them may issue keys of it. */
  resellable: withDefault(flag),
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
  enabled: withDefault(flag),
  /** The active one among `script_versions`. */
  version: number,
  /** JSON: build options of the next version, by id. */
  options: withDefault(text),
  total_executions: withDefault(number),
  created_at: number,
  /** Shown to users while it is switched off. */
  disabled_message: nullable(text),
}
export type ScriptsTable = TableOf<typeof scripts>

const scriptVersions = {
  seq,
  script_id: text,
  version: number,
  preset: text,
  created_at: number,
  /** The author's text, encrypted. */
  source: bytes,
  /** JSON: the path of that text and the other files by their paths, encrypted; null when there are none. */
  files: nullable(bytes),
  /** Size of the author's text, or of all files, before encryption. */
  source_bytes: number,
  /** The protected text as one raw LZ4 block. */
  payload: bytes,
  /** Bytes of the protected text before LZ4. */
  payload_size: number,
  /** JSON: the slots of its watermark, as places in the protected text. */
  slots: withDefault(text),
  /** JSON: the texts that only keys of the service open, as places in the protected text. */
  locks: withDefault(text),
  /** The data of the protected text as one raw LZ4 block; null when the text is one piece. */
  data: nullable(bytes),
  /** Bytes of the data before LZ4, and its place in the protected text. */
  data_size: nullable(number),
  data_at: nullable(number),
  /** The protected text without its data, packed for loaders; null when they do not carry it. */
  interpreter: nullable(text),
  /** JSON: the options that it was built with, by id. */
  options: withDefault(text),
  /** The author's test that the build had to pass, encrypted. */
  test_script: nullable(bytes),
  /** The key of its locked parts, encrypted; null when it has none. */
  service_key: nullable(bytes),
  /** JSON of what it sends to chat channels, encrypted; null when it sends nothing. */
  messages: nullable(bytes),
  /** JSON. */
  report: text,
  duration_ms: number,
}
export type ScriptVersionsTable = TableOf<typeof scriptVersions>

const users = {
  seq,
  /** Unique for a customer. */
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
  /** JSON of the three masked parts, made when the device was bound. */
  fingerprint_display: nullable(text),
  /** The change that added the user, where it took several transactions; it may be gone since. */
  change: nullable(number),
  /** The member with limited rights who issued the key; null for everybody else. */
  issuer: nullable(text),
  /** What the status follows from beside times; kept by the triggers of `engine/standing.ts`, so nothing else writes it. */
  standing: withDefault(number),
  plan_id: nullable(text),
  /** No execution is granted before. */
  starts_at: nullable(number),
  /** Of a clock of their own; `none` where the end was set by hand; null where it is that of the plan, if there is one. */
  clock_basis: nullable(textOf<'creation' | 'first_use' | 'none'>()),
  /** Of a clock of their own; null never ends. */
  clock_duration: nullable(number),
  /** When the clock began; `key_expires` follows from it, the duration and `clock_extra`. */
  clock_began: nullable(number),
  /** Extensions and pauses, beside the duration. */
  clock_extra: withDefault(number),
  /** The clock begins with the next execution. */
  clock_waits: withDefault(flag),
  paused_at: nullable(number),
  /** JSON by name, before those of the plan; null takes one away. */
  features: nullable(text),
  first_used_at: nullable(number),
  last_used_at: nullable(number),
  /** Executions of the period of the plan's quota that ends at `quota_until`. */
  quota_used: withDefault(number),
  quota_until: nullable(number),
  /** As the service named it from which the user was moved; never matched. */
  foreign_device: nullable(text),
  /** Null where it is that of the plan, as `device_match`. */
  max_devices: nullable(number),
  device_match: nullable(textOf<DeviceRule>()),
  /** Resets by the user in the period that ends at `own_resets_until`. */
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

/** How often executions had an outcome in an hour or on a day; each counts in both, for its script and for the project. */
const outcomes = {
  project_id: text,
  /** Empty for the project as a whole. */
  script_id: text,
  step: textOf<'hour' | 'day'>(),
  /** When the hour or day began, in UTC. */
  at: number,
  outcome: textOf<'granted' | DenialReason>(),
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
  game_user_id: nullable(text),
  place_id: nullable(text),
  job_id: nullable(text),
  granted_at: number,
  last_seen: number,
  /** From then on it counts as ended, but it may come back while its row exists and has keys. */
  expires_at: number,
  /** Session key and payload key, encrypted; null for a client that sends no heartbeats and holds no session. */
  secrets: nullable(bytes),
  /** Number of the last heartbeat that was answered. */
  beat_n: withDefault(number),
  /** Keys of the next and of the last heartbeat, encrypted. */
  beat_keys: nullable(bytes),
  /** Digest of the last heartbeat, and its answer. */
  beat_body: nullable(text),
  beat_reply: nullable(text),
  /** Digest of the variables that the client has received. */
  variables_digest: nullable(text),
  /** Whether it must hold a session. */
  ws_required: withDefault(flag),
  /** Number of the last accepted connection; later ones have higher numbers. */
  ws_epoch: withDefault(number),
  /** When it last had a session. */
  ws_seen: nullable(number),
  /** JSON: the locks whose keys beats brought, and whether a beat that asked for most of them was reported. */
  leased: nullable(text),
  /** Why it was ended; sent to the client with the next answer. */
  kick: nullable(textOf<KickReason>()),
  /** What bans find it by: its address as `networkDigits` writes it, and the strong components of its device, with blanks. */
  address: nullable(text),
  devices: nullable(text),
}
export type InstancesTable = TableOf<typeof instances>

/** Sessions of a service of several processes; what the members do not say here is in their instance. */
const sessions = {
  exec: text,
  id: text,
  /** Id of the one that holds it. */
  process: text,
  /** Number of the connection that made this row so; a row with a higher one is never overwritten. */
  epoch: number,
  project_id: text,
  script_id: text,
  user_key: nullable(text),
  created_at: number,
  detached: withDefault(flag),
}

/** Running processes of a service of several. */
const processes = {
  id: text,
  /** Counts up while it lives; how long it stood still is what others judge by, not the time. */
  beat: withDefault(number),
  seen_at: number,
  /** Others found it dead and end its sessions. */
  ended: withDefault(flag),
}

/** Denied executions: of a user, or of a project when the attempt had no user's key. */
const denials = {
  seq,
  project_id: text,
  user_key: nullable(text),
  script_id: text,
  script_version: number,
  reason: textOf<DenialReason>(),
  /** The value that was checked, masked where it is a secret. */
  value: nullable(text),
  allowed_at: nullable(number),
  /** Masked, as everything stored about a device. */
  ip: text,
  fingerprint: text,
  executor: text,
  runtime: text,
  /** How often the same denial was repeated in a row. */
  count: withDefault(number),
  /** Denials before this one that came too fast to be written. */
  left_out: withDefault(number),
  first_at: number,
  last_at: number,
}
export type DenialsTable = TableOf<typeof denials>

/** Who received a watermarked payload; its code word derives from `exec`. */
const executionMarks = {
  seq,
  script_id: text,
  script_version: number,
  exec: text,
  /** Names the user, or the guest's device, whose watermark the copy has. */
  holder: text,
  /** Null for a guest; the user may be deleted by now. */
  user_key: nullable(text),
  executor: text,
  granted_at: number,
}
export type ExecutionMarksTable = TableOf<typeof executionMarks>

/** Members of a project's chat server, as reported by its bot. */
const chatMembers = {
  seq,
  project_id: text,
  chat_id: text,
  added_at: number,
}
export type ChatMembersTable = TableOf<typeof chatMembers>

/** One for each address that a project has; `features/projects/projects.ts` makes and removes them with the address. */
const webhooks = {
  seq,
  project_id: text,
  /** Which of the project's three addresses, or the id of an additional one. */
  kind: textOf<'execution' | 'information' | 'blacklist' | `whk_${string}`>(),
  /** Nothing is sent before: a process has claimed it, the receiver asked for time, or it keeps failing. */
  held_until: withDefault(number),
  /** In a row. */
  failures: withDefault(number),
  failing_since: nullable(number),
  paused_at: nullable(number),
  pause_reason: nullable(textOf<'failing' | 'gone'>()),
  /** When it last took something, since it was saved. */
  delivered_at: nullable(number),
  // Name, address, filters and switch are of additional addresses; the three are members of their project.
  name: nullable(text),
  /** Sealed, as are the secrets. */
  address: nullable(text),
  /** Null for one of the three that was saved before each had its own: it is derived then. */
  secret: nullable(text),
  /** Signs too, until then. */
  old_secret: nullable(text),
  old_secret_until: nullable(number),
  /** JSON: a list of types; null for all. */
  events: nullable(text),
  /** JSON: ids of scripts whose events it gets; null for all. Events about no script are not held back. */
  scripts: nullable(text),
  enabled: withDefault(flag),
}
export type WebhooksTable = TableOf<typeof webhooks>

const outbox = {
  seq,
  /** Of the delivery: that of its event, and for an additional address a dot and the id of the address. */
  id: text,
  project_id: text,
  kind: textOf<WebhooksTable['kind']>(),
  type: text,
  /** Sealed JSON. */
  data: text,
  state: textOf<'pending' | 'delivered' | 'failed' | 'dropped'>(),
  created_at: number,
  /** Differs from `created_at` when it was sent once more. */
  queued_at: number,
  attempts: number,
  /** Null exactly when it is not pending. */
  due_at: nullable(number),
  /** Where it is not the id. */
  event_id: nullable(text),
  /** The script that the event is about. */
  script_id: nullable(text),
}
export type OutboxTable = TableOf<typeof outbox>

const webhookDeliveries = {
  seq,
  event_id: text,
  attempted_at: number,
  duration_ms: number,
  /** Sealed. */
  address: text,
  status: nullable(number),
  /** The beginning of what the receiver said. */
  answer: nullable(text),
  error: nullable(text),
}
export type WebhookDeliveriesTable = TableOf<typeof webhookDeliveries>

/** Idempotency keys: a retried request gets the stored answer. */
const idempotencyKeys = {
  customer_id: text,
  /** Chosen by the client. */
  key: text,
  /** SHA-256 in hex of the request. */
  request_hash: text,
  /** Identifies the one request, of several with the key, that is executed. */
  claim: text,
  created_at: number,
  /** The answer; all null until it is stored. */
  status: nullable(number),
  content_type: nullable(text),
  /** Encrypted; null too for an answer that was too long to store. */
  body: nullable(bytes),
  /** Bytes of the body. */
  size: withDefault(number),
}
export type IdempotencyKeysTable = TableOf<typeof idempotencyKeys>

/** At most one row: the attempt to make a backup that runs, and how the last ones ended. */
const backupState = {
  id: number,
  /** Of the attempt that runs; null when none does. */
  holder: nullable(text),
  /** Until then no other attempt may begin; put off while it runs. */
  held_until: withDefault(number),
  /** The last one that the service made, with its machine and the path there. */
  made_at: nullable(number),
  machine: nullable(text),
  place: nullable(text),
  /** The last attempt that failed, also when one went well since. */
  failed_at: nullable(number),
  failure: nullable(text),
}
export type BackupStateTable = TableOf<typeof backupState>

export const tables = {
  tiers,
  customers,
  waiting_api_keys: waitingApiKeys,
  obfuscation_reservations: obfuscationReservations,
  projects,
  branding,
  plans,
  scripts,
  script_versions: scriptVersions,
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
  ...adTables,
  ...accessTables,
  ...changeTables,
  idempotency_keys: idempotencyKeys,
  webhooks,
  outbox,
  webhook_deliveries: webhookDeliveries,
  backup_state: backupState,
}
export type Tables = { [T in keyof typeof tables]: TableOf<(typeof tables)[T]> }
