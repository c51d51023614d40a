/** Paths in the interface's `/v1` family, including the one that the interface lists without the prefix. */
import { each, type PathRow } from './rows.ts'
import { CUSTOMER, SCRIPT, USER } from './unversioned.ts'

const SESSION =
  'id project_id script_id user_key executor game_user_id place_id job_id script_version state created_at last_seen'
const SYSTEM = 'id project_id name key_duration max_keys allow_extending max_duration'
const CHECKPOINT = 'id name url provider provider_data index'
const YEAR_2100 = 4_102_444_800_000
const DURATIONS = { key_duration: 1000, max_keys: 2, allow_extending: false, max_duration: 5000 }
const LINK = {
  name: 'First',
  url: 'https://links.example.com/s?abc',
  provider: 'provider_c',
  provider_data: { link_id: '42' },
}
const PREPARE = '/adsystems/:system_id/checkpoints/prepare'

const account: readonly PathRow[] = [
  { at: 'GET /v1/account', sends: { api_key: ':api_key' }, answers: each('customer', CUSTOMER) },
  { at: 'GET /v1/account/executions', sends: { api_key: ':api_key' }, answers: ['executions.total'] },
  { at: 'GET /v1/account/executors', sends: { api_key: ':api_key' }, answers: ['executors', 'percentages'] },
  { at: 'POST /v1/account/reset', sends: { api_key: ':api_key' }, answers: ['api_key'] },
]

const users: readonly PathRow[] = [
  {
    at: 'GET /v1/users/:user_key',
    answers: each('user', `${USER} max_instances max_executions use_fingerprint`),
  },
  {
    at: 'POST /v1/users/:user_key/edit',
    before: [['/v1/users/:user_key/blacklist', { expires: 0 }]],
    sends: {
      chat_id: '1',
      key_expires: YEAR_2100,
      note: 'n',
      max_instances: 2,
      max_executions: 3,
      use_fingerprint: false,
      blacklist_expires: YEAR_2100,
      blacklist_reason: 'r',
    },
    answers: [],
  },
  { at: 'POST /v1/users/:user_key/blacklist', sends: { expires: YEAR_2100, reason: 'r' }, answers: [] },
  {
    at: 'POST /v1/users/:user_key/unblacklist',
    before: [['/v1/users/:user_key/blacklist', { expires: 0 }]],
    answers: [],
  },
  {
    at: 'POST /v1/users/:user_key/reset',
    sends: { force: true },
    nouns: { user_key: 'a-bound-user-of-the-second-family' },
    before: [
      [
        '/v1/projects/:project_id/users/import',
        { users: [{ key: 'a-bound-user-of-the-second-family', fingerprint: 'f' }] },
      ],
    ],
    answers: [],
  },
  { at: 'POST /v1/users/:user_key/link', sends: { chat_id: '1', force: true }, answers: [] },
  { at: 'POST /v1/users/:user_key/remove', answers: [] },
  {
    at: 'GET /v1/users/:user_key/sessions',
    sends: { from: 0, limit: 1 },
    answers: each('sessions.0', SESSION),
  },
  {
    at: 'GET /v1/users/:user_key/sessions/filter',
    sends: { from: 0, limit: 1, script_id: ':script_id', game_user_id: '', place_id: '', job_id: '' },
    answers: each('sessions.0', SESSION),
  },
]

const scripts: readonly PathRow[] = [
  { at: 'GET /v1/scripts/:script_id', answers: each('script', `${SCRIPT} require_sessions silent`) },
  { at: 'GET /v1/scripts/:script_id/executions', answers: ['executions'] },
  {
    at: 'POST /v1/scripts/:script_id/edit',
    sends: {
      name: 'Main',
      free_for_all: true,
      use_heartbeat: false,
      kick_outdated: true,
      require_sessions: true,
      silent: true,
    },
    answers: [],
  },
  { at: 'POST /v1/scripts/:script_id/remove', answers: [] },
  { at: 'POST /v1/scripts/:script_id/update', sends: { script: 'print(2)' }, answers: [] },
  { at: 'POST /v1/scripts/:script_id/toggle', sends: { state: false }, answers: [] },
  {
    at: 'GET /v1/scripts/:script_id/sessions',
    sends: { from: 0, limit: 1 },
    answers: each('sessions.0', SESSION),
  },
  {
    at: 'GET /v1/scripts/:script_id/sessions/filter',
    sends: { from: 0, limit: 1, key: ':user_key', game_user_id: '', place_id: '', job_id: '' },
    answers: each('sessions.0', SESSION),
  },
]

const sessions: readonly PathRow[] = [
  { at: 'GET /v1/sessions/:session_id', answers: each('session', SESSION) },
  { at: 'POST /v1/sessions/:session_id/disconnect', answers: [] },
  {
    at: 'POST /v1/sessions/:session_id/message',
    sends: { key: 'greet', data: { name: ['you'] } },
    answers: ['processed', 'response'],
  },
  {
    at: 'POST /v1/sessions/disconnect',
    sends: { session_ids: [':session_id'] },
    answers: ['responses.0.processed'],
  },
  {
    at: 'POST /v1/sessions/message',
    sends: { session_ids: [':session_id'], key: 'greet', data: { list: [1] } },
    answers: ['responses.0.response'],
  },
]

const adSystems: readonly PathRow[] = [
  {
    at: 'GET /v1/adproviders',
    answers: ['providers.provider_a', 'providers.provider_b', 'providers.provider_c'],
  },
  {
    at: 'POST /v1/adsystems/new',
    sends: { project_id: ':project_id', name: 'Ads', ...DURATIONS },
    answers: ['system_id'],
  },
  { at: 'GET /v1/adsystems', answers: each('systems.0', SYSTEM) },
  { at: 'GET /v1/adsystems/:system_id', answers: each('system', SYSTEM) },
  {
    at: 'POST /v1/adsystems/:system_id/edit',
    sends: { project_id: ':project_id', name: 'Ads', ...DURATIONS },
    answers: [],
  },
  { at: 'POST /v1/adsystems/:system_id/url', sends: { url: 'Garden-2' }, answers: [] },
  { at: 'POST /v1/adsystems/:system_id/remove', answers: [] },
  { at: 'GET /v1/adsystems/:system_id/checkpoints', answers: each('checkpoints.0', CHECKPOINT) },
  { at: `POST ${PREPARE}`, answers: ['checkpoint_id'] },
  {
    at: 'GET /v1/adsystems/:system_id/checkpoints/new',
    before: [[PREPARE]],
    sends: LINK,
    answers: ['checkpoint_id'],
  },
  { at: 'GET /v1/adcheckpoints/:checkpoint_id', answers: each('checkpoint', CHECKPOINT) },
  { at: 'POST /v1/adcheckpoints/:checkpoint_id/edit', sends: LINK, answers: [] },
  { at: 'POST /v1/adcheckpoints/:checkpoint_id/swap', sends: { index: 0 }, answers: [] },
  { at: 'POST /v1/adcheckpoints/:checkpoint_id/remove', answers: [] },
]

export const v1Rows: readonly PathRow[] = [...account, ...users, ...scripts, ...sessions, ...adSystems]
