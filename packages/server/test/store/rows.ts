/** Rows for the store's tests: one valid row of every table, with all the parent rows that it needs. */
import type { Insertable } from 'kysely'
import type { Queries } from '../../src/database/engine/db.ts'
import type { Tables } from '../../src/database/schema/tables.ts'
import { AT, accessRows, CUSTOMER } from './access-rows.ts'
import { banRows } from './ban-rows.ts'
import { changeRows } from './change-rows.ts'
import { contentRows } from './content-rows.ts'
import { ffaDevice, userDevice, userFingerprint, userLabel } from './device-rows.ts'
import { endRows } from './end-rows.ts'
import { errorRows } from './error-rows.ts'
import { plan } from './plan-rows.ts'

export { AT, ffaDevice }
export const tier = {
  id: 1,
  name: 'Author',
  max_users: 100,
  max_projects: 3,
  max_scripts: 5,
  free_for_all: -1,
  obfuscations: 500,
  price: 9.5,
  max_ad_users: -1,
  max_checkpoints: 4,
  max_systems: 2,
  max_calls: 60,
  log_days: 30,
} satisfies Insertable<Tables['tiers']>

export const customer = {
  id: CUSTOMER,
  api_key_hash: 'aa',
  api_key_start: 'sw_12345',
  email: 'author@example.com',
  tier: tier.id,
  plan_expires: AT + 1000,
  created_at: AT,
} satisfies Insertable<Tables['customers']>

const waitingApiKey = {
  customer_id: customer.id,
  api_key_hash: customer.api_key_hash,
  sealed: Buffer.from([9, 0, 128]),
  created_at: AT,
  mail_at: AT,
} satisfies Insertable<Tables['waiting_api_keys']>

const obfuscationReservation = {
  id: 'reservation',
  customer_id: customer.id,
  month: 24_318,
  from_bonus: 1,
  reserved_at: AT,
} satisfies Insertable<Tables['obfuscation_reservations']>

export const project = {
  id: 'prj_1',
  customer_id: customer.id,
  name: 'Garden',
  fingerprint_reset_cooldown: 3_600_000,
  allow_fingerprint_resets: 1,
  delete_expired_users: 0,
  require_chat: 0,
  require_join_chat_server: 0,
  created_at: AT,
  total_users: 1,
} satisfies Insertable<Tables['projects']>

const branding = {
  project_id: project.id,
  name: 'Garden',
  accent: '#1f5fd0',
  logo: Buffer.from([9, 0, 128]),
  logo_file: 'logo.AAAAAAAAAAAAAAAAAAAAAA.png',
  logo_width: 16,
  logo_height: 16,
} satisfies Insertable<Tables['branding']>

export const script = {
  id: 'scr_1',
  project_id: project.id,
  name: 'main',
  free_for_all: 0,
  use_heartbeat: 0,
  kick_outdated: 0,
  require_sessions: 0,
  report_errors: 1,
  silent: 0,
  version: 1,
  created_at: AT,
} satisfies Insertable<Tables['scripts']>

export const scriptVersion = {
  script_id: script.id,
  version: 1,
  preset: 'light',
  created_at: AT,
  source: Buffer.from([0, 255, 10]),
  source_bytes: 3,
  payload: Buffer.from([1, 0, 254]),
  payload_size: 4,
  report: '{}',
  duration_ms: 12.25,
  notes: 'Faster start',
  notes_public: 1,
  author: 'ada@example.com',
  yanked_at: AT,
} satisfies Insertable<Tables['script_versions']>

const lineMap = {
  script_id: script.id,
  version: 1,
  map: Buffer.from([3, 0, 253]),
} satisfies Insertable<Tables['line_maps']>

export const user = {
  key: 'abcdefghijklmnopqrstuvwxyzABCDEF',
  customer_id: customer.id,
  project_id: project.id,
  chat_id: '4711',
  created_at: AT,
} satisfies Insertable<Tables['users']>

export const dailyExecution = {
  script_id: script.id,
  day: 20_455,
  executor: 'lua5.1',
  project_id: project.id,
  customer_id: customer.id,
  count: 1,
} satisfies Insertable<Tables['daily_executions']>

const outcome = {
  project_id: project.id,
  script_id: script.id,
  step: 'day',
  at: AT,
  outcome: 'key_expired',
  count: 1,
  expires_at: AT + 1,
} satisfies Insertable<Tables['outcomes']>

export const instance = {
  exec: 'exe_1',
  project_id: project.id,
  script_id: script.id,
  user_key: user.key,
  script_version: 1,
  executor: 'lua5.1',
  runtime: 'lua51',
  granted_at: AT,
  last_seen: AT,
  expires_at: AT + 60_000,
  secrets: Buffer.from([1, 2]),
  beat_keys: Buffer.from([3, 0, 255]),
} satisfies Insertable<Tables['instances']>

const session = {
  exec: instance.exec,
  id: 'ses_1',
  process: 'process_1',
  epoch: 1,
  project_id: project.id,
  script_id: script.id,
  user_key: user.key,
  created_at: AT,
} satisfies Insertable<Tables['sessions']>

const process = { id: session.process, seen_at: AT } satisfies Insertable<Tables['processes']>

export const executionMark = {
  script_id: script.id,
  script_version: 1,
  exec: instance.exec,
  holder: 'AAECAwQFBgcICQoLDA0ODw',
  user_key: user.key,
  executor: 'lua5.1',
  granted_at: AT,
} satisfies Insertable<Tables['execution_marks']>

export const loggedExecution = {
  project_id: project.id,
  script_id: script.id,
  script_version: 1,
  at: AT,
  outcome: 'granted',
  exec: instance.exec,
  user_key: user.key,
  executor: 'lua5.1',
  runtime: 'lua5.1',
} satisfies Insertable<Tables['execution_log']>

export const denial = {
  project_id: project.id,
  user_key: user.key,
  script_id: script.id,
  script_version: 1,
  reason: 'key_expired',
  value: null,
  allowed_at: null,
  ip: '203.0.*.*',
  fingerprint: 'none',
  executor: 'lua5.1',
  runtime: 'lua5.1',
  first_at: AT,
  last_at: AT,
} satisfies Insertable<Tables['denials']>

export const discordBot = {
  ...{ project_id: project.id, application_id: '184650129374650213', name: 'Garden' },
  ...{ public_key: '00', token: Buffer.from('token'), staff: '[]', connected_at: AT },
}
const chatMember = {
  project_id: project.id,
  chat_id: '4711',
  added_at: AT,
} satisfies Insertable<Tables['chat_members']>

const adSystem = {
  id: 'sys_1',
  project_id: project.id,
  name: 'Free keys',
  url: 'Free-Keys',
  key_duration: 86_400_000,
  max_keys: 1,
  allow_extending: 1,
  max_duration: 604_800_000,
  created_at: AT,
} satisfies Insertable<Tables['ad_systems']>

const adCheckpoint = {
  id: 'chk_1',
  system_id: adSystem.id,
  index: 0,
  name: 'First',
  url: 'https://ads.example.com/1',
  provider: 'provider_a',
  provider_data: Buffer.from([0, 128, 255]),
  callback_id: 'callback_1',
  postback_id: 'postback_1',
  created_at: AT,
} satisfies Insertable<Tables['ad_checkpoints']>

const adSlot = {
  system_id: adSystem.id,
  checkpoint_id: 'chk_2',
  callback_id: 'callback_2',
  postback_id: 'postback_2',
  expires_at: AT + 1000,
} satisfies Insertable<Tables['ad_slots']>

const adVisitor = {
  id_hash: 'ab',
  first_seen: AT,
  last_seen: AT,
  network: '203.0.113.0/24',
  browser: 'be',
} satisfies Insertable<Tables['ad_visitors']>

export const adProgress = {
  id: 'way_1',
  system_id: adSystem.id,
  visitor: adVisitor.id_hash,
  network: adVisitor.network,
  plan: '["chk_1"]',
  state: 'walking',
  started_at: AT,
  expires_at: AT + 3_600_000,
} satisfies Insertable<Tables['ad_progress']>

const adAttempt = {
  progress_id: adProgress.id,
  step_id: adCheckpoint.id,
  checkpoint_id: adCheckpoint.id,
  click_id: 'click_1',
  state: 'out',
  address: '203.0.113.7',
  started_at: AT,
} satisfies Insertable<Tables['ad_attempts']>

const adUsedToken = { hash: 'cd', used_at: AT } satisfies Insertable<Tables['ad_used_tokens']>

export const adKey = {
  project_id: project.id,
  user_key: user.key,
  system_id: adSystem.id,
  visitor: adVisitor.id_hash,
  network: adVisitor.network,
  browser: adVisitor.browser,
  created_at: AT,
} satisfies Insertable<Tables['ad_keys']>

const adCount = {
  checkpoint_id: adCheckpoint.id,
  kind: 'refused',
  value: 'too_fast',
  count: 1,
} satisfies Insertable<Tables['ad_counts']>

const adCheckpointDay = {
  checkpoint_id: adCheckpoint.id,
  day: 20_455,
  started: 2,
  completed: 1,
  refused: 1,
  bypassed: 1,
} satisfies Insertable<Tables['ad_checkpoint_days']>

const adSystemDay = {
  system_id: adSystem.id,
  day: 20_455,
  completions: 2,
  keys: 1,
} satisfies Insertable<Tables['ad_system_days']>

const webhook = {
  project_id: project.id,
  kind: 'execution',
  held_until: 0,
} satisfies Insertable<Tables['webhooks']>

const event = {
  id: 'evt_1',
  project_id: project.id,
  kind: 'execution',
  type: 'execution.granted',
  data: '{}',
  state: 'pending',
  created_at: AT,
  queued_at: AT,
  attempts: 0,
  due_at: AT,
} satisfies Insertable<Tables['outbox']>

const webhookDelivery = {
  event_id: event.id,
  attempted_at: AT,
  duration_ms: 12.5,
  address: 'https://example.com/hook',
  status: 500,
  answer: 'no',
} satisfies Insertable<Tables['webhook_deliveries']>

export const release = {
  id: 'rel_0',
  script_id: script.id,
  channel: 'stable',
  version: 2,
  version_before: 1,
  percent: 5,
  steps: '[25,100]',
  step_ms: 10_800_000,
  next_at: AT + 10_800_000,
  guard: 'roll_back',
  salt: 'salt',
  started_at: AT,
} satisfies Insertable<Tables['releases']>

const TODAY = Math.floor(AT / 86_400_000)

/** Parents come before their children. */
export const oneOfEach = {
  tiers: tier,
  customers: customer,
  waiting_api_keys: waitingApiKey,
  obfuscation_reservations: obfuscationReservation,
  projects: project,
  branding,
  plans: plan,
  scripts: script,
  script_versions: scriptVersion,
  script_activations: { script_id: script.id, activated_at: AT, version: 1 },
  line_maps: lineMap,
  script_messages: { script_id: script.id, outcome: 'sent', count: 1, last_at: AT },
  users: user,
  user_devices: userDevice,
  user_fingerprints: userFingerprint,
  user_labels: userLabel,
  ffa_devices: ffaDevice,
  daily_executions: dailyExecution,
  outcomes: outcome,
  instances: instance,
  sessions: session,
  processes: process,
  execution_marks: executionMark,
  denials: denial,
  execution_log: loggedExecution,
  version_health: { script_id: script.id, version: 1, executor: '', day: 20_000 },
  script_channels: { script_id: script.id, name: 'beta', version: 1, created_at: AT },
  releases: release,
  release_customers: {
    ...{ release_id: release.id, fresh: 1, customer: user.key },
    ...{ executor: 'Garden', exec: instance.exec },
  },
  version_customers: { script_id: script.id, version: 1, executor: '', customer: user.key },
  health_progress: { id: 1, counted: 0 },
  executors: { name: 'Garden', version: '2.1', first_at: AT, last_at: AT },
  executor_answers: { name: 'Garden', version: '2.1', voter: 'voter', list: 1, functions: 'f0', at: AT },
  executor_hits: { script_id: script.id, executor: 'Garden', day: TODAY, runs: 1 },
  executor_hit_customers: { script_id: script.id, executor: 'Garden', customer: 'customer', day: TODAY },
  hub_targets: { project_id: project.id, kind: 'place', target_id: '920587237', script_id: script.id },
  hub_demand: {
    ...{ project_id: project.id, day: TODAY, place_id: '606849621', game_id: '245662005' },
    ...{ requests: 1, last_at: AT },
  },
  chat_members: chatMember,
  // Bans come before the bot: if a bot existed, a trigger would schedule a role check for the banned account.
  ...banRows,
  discord_bots: discordBot,
  discord_members: {
    ...{ project_id: project.id, chat_id: '184650129374650216', server_id: '184650129374650214' },
    ...{ is_member: 1, asked_at: AT },
  },
  discord_claims: { project_id: project.id, id: '184650129374650217', at: AT },
  discord_role_checks: { project_id: project.id, chat_id: '184650129374650216', due_at: AT },
  discord_roles: {
    ...{ project_id: project.id, chat_id: '184650129374650216', role_id: '184650129374650214' },
    ...{ server_id: '301245678901234567', is_given: 1, changed_at: AT },
  },
  ...endRows,
  ...contentRows,
  ...errorRows,
  ad_systems: adSystem,
  ad_checkpoints: adCheckpoint,
  ad_slots: adSlot,
  ad_visitors: adVisitor,
  ad_progress: adProgress,
  ad_attempts: adAttempt,
  ad_used_tokens: adUsedToken,
  ad_keys: adKey,
  ad_counts: adCount,
  ad_checkpoint_days: adCheckpointDay,
  ad_system_days: adSystemDay,
  ...accessRows,
  ...changeRows,
  backup_state: { id: 1 },
  webhooks: webhook,
  outbox: event,
  webhook_deliveries: webhookDelivery,
} satisfies { [T in keyof Tables]: Insertable<Tables[T]> }

export type TableName = keyof Tables
export const tableNames = Object.keys(oneOfEach) as TableName[]

/** Inserts one row into every table, or into every table up to `last`. */
export async function plant(tx: Queries, last: TableName = 'webhook_deliveries'): Promise<void> {
  for (const name of tableNames.slice(0, tableNames.indexOf(last) + 1)) {
    await tx.insertInto(name).values(oneOfEach[name]).execute()
  }
}

export async function countRows(db: Queries, name: TableName): Promise<number> {
  const { rows } = await db
    .selectFrom(name)
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return rows
}
