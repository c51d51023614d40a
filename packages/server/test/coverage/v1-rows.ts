/** The paths of the interface's `/v1` family, with the one that it writes without the prefix. */
import { each, type PathRow } from './row.ts'
import { CUSTOMER, SCRIPT, USER } from './unversioned-rows.ts'

const V = 'test/endpoints/v1'
const U = 'test/endpoints/unversioned'

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
  {
    at: 'GET /v1/account',
    sends: { api_key: ':api_key' },
    answers: each('customer', CUSTOMER),
    proofs: [`${V}/account › from either header or the query, and answers as the unversioned family does`],
  },
  {
    at: 'GET /v1/account/executions',
    sends: { api_key: ':api_key' },
    answers: ['executions.total'],
    proofs: [`${U}/statistics › tells every script beside the total, in each form that the interface has`],
  },
  {
    at: 'GET /v1/account/executors',
    sends: { api_key: ':api_key' },
    answers: ['executors', 'percentages'],
    proofs: [`${U}/statistics › shares executors out in percentages that add up to 100`],
  },
  {
    at: 'POST /v1/account/reset',
    sends: { api_key: ':api_key' },
    answers: ['api_key'],
    proofs: [
      `${V}/account › POST /v1/account/reset › replaces the key at once and tells the new one`,
      `${V}/account › from the query or the body of a POST`,
    ],
  },
]

const users: readonly PathRow[] = [
  {
    at: 'GET /v1/users/:user_key',
    answers: each('user', `${USER} max_instances max_executions use_fingerprint`),
    proofs: [`${V}/users › GET /v1/users/:user_key shows the wider record`],
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
    proofs: [
      `${V}/users › sets limits and takes them away with -1`,
      `${V}/users › edits the blacklist of a blacklisted user`,
      `${U}/users › POST /users/:user_key/edit › changes what was given and nothing else`,
    ],
  },
  {
    at: 'POST /v1/users/:user_key/blacklist',
    sends: { expires: YEAR_2100, reason: 'r' },
    answers: [],
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/blacklist with %j`],
  },
  {
    at: 'POST /v1/users/:user_key/unblacklist',
    before: [['/v1/users/:user_key/blacklist', { expires: 0 }]],
    answers: [],
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/unblacklist leaves nothing of it`],
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
    proofs: [
      `${V}/users › POST /v1/users/:user_key/reset › resets`,
      `${V}/users › needs to be told whether to force`,
    ],
  },
  {
    at: 'POST /v1/users/:user_key/link',
    sends: { chat_id: '1', force: true },
    answers: [],
    proofs: [
      `${U}/user-blacklist › POST %s/users/:user_key/link links once, and anew only with force`,
      `${U}/user-blacklist › leaves force out in the unversioned family alone`,
    ],
  },
  {
    at: 'POST /v1/users/:user_key/remove',
    answers: [],
    proofs: [`${V}/users › POST /v1/users/:user_key/remove removes`],
  },
  {
    at: 'GET /v1/users/:user_key/sessions',
    sends: { from: 0, limit: 1 },
    answers: each('sessions.0', SESSION),
    proofs: [
      `${V}/sessions › GET /v1/%s/…/sessions › lists them in the order in which they began, by parts, with their number`,
    ],
  },
  {
    at: 'GET /v1/users/:user_key/sessions/filter',
    sends: { from: 0, limit: 1, script_id: ':script_id', game_user_id: '', place_id: '', job_id: '' },
    answers: each('sessions.0', SESSION),
    proofs: [`${V}/sessions › GET /v1/%s/…/sessions › filters by every member, alone and together`],
  },
]

const scripts: readonly PathRow[] = [
  {
    at: 'GET /v1/scripts/:script_id',
    answers: each('script', `${SCRIPT} require_sessions silent`),
    proofs: [`${V}/scripts › POST /v1/scripts/:script_id/edit takes the members of both families`],
  },
  {
    at: 'GET /v1/scripts/:script_id/executions',
    answers: ['executions'],
    proofs: [
      `${U}/statistics › tells every script beside the total, in each form that the interface has`,
      `${U}/statistics › moves on in the millisecond of midnight in UTC`,
    ],
  },
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
    proofs: [`${V}/scripts › POST /v1/scripts/:script_id/edit takes the members of both families`],
  },
  {
    at: 'POST /v1/scripts/:script_id/remove',
    answers: [],
    proofs: [`${V}/scripts › the operations without a difference are there under /v1`],
  },
  {
    at: 'POST /v1/scripts/:script_id/update',
    sends: { script: 'print(2)' },
    answers: [],
    proofs: [
      `${V}/scripts › the operations without a difference are there under /v1`,
      `${V}/script-versions › are listed in order of upload, the newest one active`,
    ],
  },
  {
    at: 'POST /v1/scripts/:script_id/toggle',
    sends: { state: false },
    answers: [],
    proofs: [`${V}/scripts › the operations without a difference are there under /v1`],
  },
  {
    at: 'GET /v1/scripts/:script_id/sessions',
    sends: { from: 0, limit: 1 },
    answers: each('sessions.0', SESSION),
    proofs: [
      `${V}/sessions › GET /v1/%s/…/sessions › lists them in the order in which they began, by parts, with their number`,
    ],
  },
  {
    at: 'GET /v1/scripts/:script_id/sessions/filter',
    sends: { from: 0, limit: 1, key: ':user_key', game_user_id: '', place_id: '', job_id: '' },
    answers: each('sessions.0', SESSION),
    proofs: [`${V}/sessions › GET /v1/%s/…/sessions › filters by every member, alone and together`],
  },
]

const sessions: readonly PathRow[] = [
  {
    at: 'GET /v1/sessions/:session_id',
    answers: each('session', SESSION),
    proofs: [`${V}/sessions › GET /v1/sessions/:session_id › shows the whole record and nothing else`],
  },
  {
    at: 'POST /v1/sessions/:session_id/disconnect',
    answers: [],
    proofs: [
      `${V}/sessions › POST /v1/sessions/:session_id/disconnect › ends the session once`,
      'test/protocol/session-rights › is kicked at once › by its owner, and its instance with it',
    ],
  },
  {
    at: 'POST /v1/sessions/:session_id/message',
    sends: { key: 'greet', data: { name: ['you'] } },
    answers: ['processed', 'response'],
    proofs: [
      `${V}/sessions › POST /v1/sessions/:session_id/message › answers what the client returned`,
      'test/protocol/session › a message › is answered by what the script returned',
    ],
  },
  {
    at: 'POST /v1/sessions/disconnect',
    sends: { session_ids: [':session_id'] },
    answers: ['responses.0.processed'],
    proofs: [`${V}/sessions › POST /v1/sessions/disconnect › ends what is there and tells what is not`],
  },
  {
    at: 'POST /v1/sessions/message',
    sends: { session_ids: [':session_id'], key: 'greet', data: { list: [1] } },
    answers: ['responses.0.response'],
    proofs: [`${V}/sessions › POST /v1/sessions/message › answers in the order of the request`],
  },
]

const adSystems: readonly PathRow[] = [
  {
    at: 'GET /v1/adproviders',
    answers: ['providers.provider_a', 'providers.provider_b', 'providers.provider_c'],
    proofs: [
      `${V}/ad-providers › GET /v1/adproviders lists a form of every provider under the name that the operator gave`,
    ],
  },
  {
    at: 'POST /v1/adsystems/new',
    sends: { project_id: ':project_id', name: 'Ads', ...DURATIONS },
    answers: ['system_id'],
    proofs: [
      `${V}/ad-systems › a new system has the defaults of the interface`,
      `${V}/ad-systems › a new system has what was given`,
    ],
  },
  {
    at: 'GET /v1/adsystems',
    answers: each('systems.0', SYSTEM),
    proofs: [`${V}/ad-systems › systems are listed over all projects, in order, by parts`],
  },
  {
    at: 'GET /v1/adsystems/:system_id',
    answers: each('system', SYSTEM),
    proofs: [
      `${V}/ad-systems › a new system has the defaults of the interface`,
      `${V}/ad-systems › a system tells the number of its checkpoints`,
    ],
  },
  {
    at: 'POST /v1/adsystems/:system_id/edit',
    sends: { project_id: ':project_id', name: 'Ads', ...DURATIONS },
    answers: [],
    proofs: [
      `${V}/ad-systems › POST /v1/adsystems/:system_id/edit › changes what is given and leaves the rest`,
    ],
  },
  {
    at: 'POST /v1/adsystems/:system_id/url',
    sends: { url: 'Garden-2' },
    answers: [],
    proofs: [`${V}/ad-systems › names the system, renames it and takes the name away`],
  },
  {
    at: 'POST /v1/adsystems/:system_id/remove',
    answers: [],
    proofs: [
      `${V}/ad-systems › a removed system takes its checkpoints and what is prepared with it, also on an expired account`,
    ],
  },
  {
    at: 'GET /v1/adsystems/:system_id/checkpoints',
    answers: each('checkpoints.0', CHECKPOINT),
    proofs: [`${V}/ad-checkpoints › uses up what was prepared and becomes the last one`],
  },
  {
    at: `POST ${PREPARE}`,
    answers: ['checkpoint_id'],
    proofs: [`${V}/ad-checkpoints › tells addresses before there is a checkpoint, and the same ones again`],
  },
  {
    at: 'GET /v1/adsystems/:system_id/checkpoints/new',
    before: [[PREPARE]],
    sends: LINK,
    answers: ['checkpoint_id'],
    proofs: [
      `${V}/ad-checkpoints › works by GET with a query, as the interface writes it, and nothing may keep the answer`,
      `${V}/ad-checkpoints › works by GET with a body, and by POST with a query`,
    ],
  },
  {
    at: 'GET /v1/adcheckpoints/:checkpoint_id',
    answers: each('checkpoint', CHECKPOINT),
    proofs: [`${V}/ad-checkpoints › uses up what was prepared and becomes the last one`],
  },
  {
    at: 'POST /v1/adcheckpoints/:checkpoint_id/edit',
    sends: LINK,
    answers: [],
    proofs: [
      `${V}/ad-providers › POST /v1/adcheckpoints/:checkpoint_id/edit › changes what is given and leaves the rest`,
    ],
  },
  {
    at: 'POST /v1/adcheckpoints/:checkpoint_id/swap',
    sends: { index: 0 },
    answers: [],
    proofs: [`${V}/ad-checkpoints › exchanges two checkpoints, and leaves one at its own place`],
  },
  {
    at: 'POST /v1/adcheckpoints/:checkpoint_id/remove',
    answers: [],
    proofs: [`${V}/ad-checkpoints › closes up when one is removed, also on an expired account`],
  },
]

export const v1Rows: readonly PathRow[] = [...account, ...users, ...scripts, ...sessions, ...adSystems]
