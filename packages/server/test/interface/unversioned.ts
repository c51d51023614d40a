/** Paths in the interface's unversioned family. */
import { each, type PathRow } from './rows.ts'

const TIER = `id name max_users max_projects max_scripts free_for_all obfuscations price
  max_ad_users max_checkpoints max_systems`.replace(/\s+/g, ' ')
export const CUSTOMER =
  `id chat_id tier email plan_expires created_at obfuscations_used bonus_obfuscations_left
  admin verified blacklisted blacklist_reason total_projects total_scripts total_users banned_users unused_users
  ffa_users total_executions total_ad_users total_systems total_checkpoints total_sessions
  total_instances`.replace(/\s+/g, ' ')
const PROJECT = `id name fingerprint_reset_cooldown allow_fingerprint_resets delete_expired_users
  execution_webhook information_webhook blacklist_webhook total_executions require_chat require_join_chat_server
  total_sessions total_instances`.replace(/\s+/g, ' ')
export const SCRIPT = 'id name free_for_all use_heartbeat kick_outdated enabled total_executions'
export const USER = `key chat_id fingerprint_assigned executor executions key_expires last_reset
  total_fingerprint_resets note blacklisted blacklist_reason blacklist_expires service_fingerprint`.replace(
  /\s+/g,
  ' ',
)

const PROJECT_BODY = {
  name: 'Garden',
  fingerprint_reset_cooldown: 1000,
  allow_fingerprint_resets: false,
  delete_expired_users: true,
  execution_webhook: 'https://hooks.example.com/1',
  information_webhook: 'https://hooks.example.com/2',
  blacklist_webhook: null,
}
const YEAR_2100 = 4_102_444_800_000

const account: readonly PathRow[] = [
  { at: 'GET /data/tiers', answers: each('tiers.0', TIER) },
  { at: 'GET /data/tiers/:tier', answers: each('tier', TIER) },
  { at: 'GET /customers/:api_key', answers: each('customer', CUSTOMER) },
  { at: 'GET /customers/:api_key/executions', answers: ['executions.total'] },
  { at: 'GET /customers/:api_key/executors', answers: ['executors', 'percentages'] },
  { at: 'POST /customers/:api_key/reset', answers: [] },
  { at: 'GET /customers/:api_key/projects', answers: each('projects.0', PROJECT) },
  { at: 'POST /customers/:api_key/projects/new', sends: PROJECT_BODY, answers: ['project_id'] },
]

const projects: readonly PathRow[] = [
  { at: 'GET /projects/:project_id', answers: each('project', PROJECT) },
  { at: 'POST /projects/:project_id/edit', sends: PROJECT_BODY, answers: each('project', PROJECT) },
  { at: 'POST /projects/:project_id/remove', answers: [] },
  { at: 'GET /projects/:project_id/executions', answers: ['executions.total'] },
  { at: 'GET /projects/:project_id/executors', answers: ['executors', 'percentages'] },
  { at: 'GET /projects/:project_id/scripts', answers: each('scripts.0', SCRIPT) },
  {
    at: 'POST /projects/:project_id/scripts/new',
    sends: {
      name: 'Main',
      free_for_all: true,
      use_heartbeat: false,
      kick_outdated: true,
      script: 'print(1)',
    },
    answers: ['script_id'],
  },
]

const projectUsers: readonly PathRow[] = [
  { at: 'GET /projects/:project_id/users', sends: { from: 0, limit: 1 }, answers: each('users.0', USER) },
  {
    at: 'GET /projects/:project_id/users/filter',
    sends: {
      from: 0,
      limit: 5,
      key: ':user_key',
      fingerprint_assigned: false,
      key_expires: true,
      chat_id: '1',
      executor: 'Wave',
      note: 'a note',
      blacklisted: true,
      blacklist_reason: true,
      blacklist_expires: false,
      search: 'x',
    },
    answers: ['users'],
  },
  {
    at: 'POST /projects/:project_id/users/import',
    sends: {
      users: [
        { chat_id: '1', fingerprint: 'a', auth_expire: 4_102_444_800, note: 'n', executor: 'Wave' },
        { chat: '2', identifier: 'b', key_expires: YEAR_2100, blacklisted: true },
        { hwid: 'c', blacklisted: true, blacklist_reason: 'r', blacklist_expires: YEAR_2100 },
      ],
    },
    answers: ['imported', 'skipped'],
  },
  { at: 'POST /projects/:project_id/users/export', sends: { type: 'json' }, answers: ['exported'] },
  {
    at: 'POST /projects/:project_id/users/new',
    sends: { chat_id: '1', key_expires: YEAR_2100, note: 7 },
    answers: ['user_key'],
  },
  {
    at: 'POST /projects/:project_id/users/generate',
    sends: { keys_expire: YEAR_2100, note: 7, amount: 3 },
    answers: ['user_keys.2'],
  },
  { at: 'POST /projects/:project_id/users/resetall', answers: [] },
  { at: 'POST /projects/:project_id/users/purge', answers: [] },
  { at: 'POST /projects/:project_id/users/clear', answers: [] },
  {
    at: 'POST /projects/:project_id/users/compensate',
    sends: { duration: 1000, compensate_expired: true },
    answers: [],
  },
]

const users: readonly PathRow[] = [
  { at: 'GET /users/:user_key', answers: each('user', USER) },
  {
    at: 'POST /users/:user_key/edit',
    sends: { chat_id: '1', key_expires: YEAR_2100, note: 'n' },
    answers: [],
  },
  { at: 'POST /users/:user_key/blacklist', sends: { expires: String(YEAR_2100), reason: 7 }, answers: [] },
  { at: 'POST /users/:user_key/unblacklist', before: [['/users/:user_key/blacklist']], answers: [] },
  {
    at: 'POST /users/:user_key/reset',
    sends: { force: true },
    nouns: { user_key: 'a-bound-user-of-the-first-family' },
    before: [
      [
        '/projects/:project_id/users/import',
        { users: [{ key: 'a-bound-user-of-the-first-family', fingerprint: 'f' }] },
      ],
    ],
    answers: [],
  },
  { at: 'POST /users/:user_key/link', sends: { chat_id: '1', force: true }, answers: [] },
  { at: 'POST /users/:user_key/remove', answers: [] },
]

const scripts: readonly PathRow[] = [
  { at: 'GET /scripts/:script_id', answers: each('script', SCRIPT) },
  { at: 'GET /scripts/:script_id/executions', answers: ['executions'] },
  {
    at: 'POST /scripts/:script_id/edit',
    sends: { name: 'Main', free_for_all: true, use_heartbeat: false, kick_outdated: null },
    answers: [],
  },
  { at: 'POST /scripts/:script_id/remove', answers: [] },
  { at: 'POST /scripts/:script_id/update', sends: { script: 'print(2)' }, answers: [] },
  { at: 'POST /scripts/:script_id/toggle', sends: { state: false }, answers: [] },
]

export const unversionedRows: readonly PathRow[] = [
  ...account,
  ...projects,
  ...projectUsers,
  ...users,
  ...scripts,
]
