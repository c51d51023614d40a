/** The paths of the interface's unversioned family. */
import { each, type PathRow } from './row.ts'

const U = 'test/endpoints/unversioned'

export const TIER = `id name max_users max_projects max_scripts free_for_all obfuscations price
  max_ad_users max_checkpoints max_systems`.replace(/\s+/g, ' ')
export const CUSTOMER =
  `id chat_id tier email plan_expires created_at obfuscations_used bonus_obfuscations_left
  admin verified blacklisted blacklist_reason total_projects total_scripts total_users banned_users unused_users
  ffa_users total_executions total_ad_users total_systems total_checkpoints total_sessions
  total_instances`.replace(/\s+/g, ' ')
export const PROJECT = `id name fingerprint_reset_cooldown allow_fingerprint_resets delete_expired_users
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
  {
    at: 'GET /data/tiers',
    answers: each('tiers.0', TIER),
    proofs: [`${U}/tiers › GET %s › shows the tiers of a new store to everybody, in order of their ids`],
  },
  {
    at: 'GET /data/tiers/:tier',
    answers: each('tier', TIER),
    proofs: [`${U}/tiers › GET %s › shows one tier by its id`, `${U}/tiers › GET %s › finds no tier "%s"`],
  },
  {
    at: 'GET /customers/:api_key',
    answers: each('customer', CUSTOMER),
    proofs: [
      `${U}/customers › GET /customers/:api_key › shows a new account with everything at zero`,
      `${U}/customers › counts what is the customer's and nobody else's`,
      `${U}/customers › needs no token, and takes none for the key in the path`,
    ],
  },
  {
    at: 'GET /customers/:api_key/executions',
    answers: ['executions.total'],
    proofs: [`${U}/statistics › tells every script beside the total, in each form that the interface has`],
  },
  {
    at: 'GET /customers/:api_key/executors',
    answers: ['executors', 'percentages'],
    proofs: [`${U}/statistics › shares executors out in percentages that add up to 100`],
  },
  {
    at: 'POST /customers/:api_key/reset',
    answers: [],
    proofs: [
      'test/endpoints/v1/account › POST /customers/:api_key/reset › tells the new key to the mail address alone',
    ],
  },
  {
    at: 'GET /customers/:api_key/projects',
    answers: each('projects.0', PROJECT),
    proofs: [`${U}/customers › lists projects in the order in which they were created`],
  },
  {
    at: 'POST /customers/:api_key/projects/new',
    sends: PROJECT_BODY,
    answers: ['project_id'],
    proofs: [
      `${U}/customers › creates a project with the defaults of the interface`,
      `${U}/customers › takes null for the default, and every member that is given`,
    ],
  },
]

const projects: readonly PathRow[] = [
  {
    at: 'GET /projects/:project_id',
    answers: each('project', PROJECT),
    proofs: [`${U}/projects › is shown as it was created`],
  },
  {
    at: 'POST /projects/:project_id/edit',
    sends: PROJECT_BODY,
    answers: each('project', PROJECT),
    proofs: [`${U}/projects › is edited member by member; what is absent or null stays`],
  },
  {
    at: 'POST /projects/:project_id/remove',
    answers: [],
    proofs: [`${U}/projects › takes its scripts, users and instances with it, and nothing of other projects`],
  },
  {
    at: 'GET /projects/:project_id/executions',
    answers: ['executions.total'],
    proofs: [
      `${U}/statistics › tells every script beside the total, in each form that the interface has`,
      `${U}/statistics › shows thirty days, oldest first, with zeros, across New Year`,
    ],
  },
  {
    at: 'GET /projects/:project_id/executors',
    answers: ['executors', 'percentages'],
    proofs: [`${U}/statistics › shares executors out in percentages that add up to 100`],
  },
  {
    at: 'GET /projects/:project_id/scripts',
    answers: each('scripts.0', SCRIPT),
    proofs: [`${U}/scripts › lists whole records in order of creation, and the part that was asked for`],
  },
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
    proofs: [
      `${U}/scripts › answers nothing but an id, and the script has the defaults of the interface`,
      `${U}/scripts › takes null for every default, and what was given otherwise`,
    ],
  },
]

const projectUsers: readonly PathRow[] = [
  {
    at: 'GET /projects/:project_id/users',
    sends: { from: 0, limit: 1 },
    answers: each('users.0', USER),
    proofs: [
      `${U}/project-users › lists whole records in order of creation, and the part that was asked for`,
    ],
  },
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
    proofs: [
      `${U}/user-filter › %j alone`,
      `${U}/user-filter › answers whoever has all that is asked for, in order of creation`,
      `${U}/user-filter › takes a part of the matches by index and count`,
    ],
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
    proofs: [
      `${U}/user-transfer › %s takes every member under each of its names`,
      `${U}/user-transfer › skips what cannot be a user and tells why, by index`,
    ],
  },
  {
    at: 'POST /projects/:project_id/users/export',
    sends: { type: 'json' },
    answers: ['exported'],
    proofs: [
      `${U}/user-transfer › %s lists unused keys before used ones as text`,
      `${U}/user-transfer › %s holds a JSON list of exactly the members of the interface`,
    ],
  },
  {
    at: 'POST /projects/:project_id/users/new',
    sends: { chat_id: '1', key_expires: YEAR_2100, note: 7 },
    answers: ['user_key'],
    proofs: [
      `${U}/project-users › answers nothing but a key, and the user has what was given`,
      `${U}/project-users › takes %j for a user with nothing set`,
      `${U}/project-users › keeps a note that is a number as its text`,
    ],
  },
  {
    at: 'POST /projects/:project_id/users/generate',
    sends: { keys_expire: YEAR_2100, note: 7, amount: 3 },
    answers: ['user_keys.2'],
    proofs: [`${U}/user-bulk › %s makes that many different keys with what was given, in order`],
  },
  {
    at: 'POST /projects/:project_id/users/resetall',
    answers: [],
    proofs: [
      `${U}/user-bulk › POST %s/projects/:project_id/users/resetall unbinds who is bound and ends what they run`,
    ],
  },
  {
    at: 'POST /projects/:project_id/users/purge',
    answers: [],
    proofs: [`${U}/user-bulk › POST %s/projects/:project_id/users/purge removes the unused and nobody else`],
  },
  {
    at: 'POST /projects/:project_id/users/clear',
    answers: [],
    proofs: [
      `${U}/user-bulk › POST %s/projects/:project_id/users/clear removes everybody of the project alone`,
    ],
  },
  {
    at: 'POST /projects/:project_id/users/compensate',
    sends: { duration: 1000, compensate_expired: true },
    answers: [],
    proofs: [
      `${U}/user-bulk › %s adds the duration to keys that have not expired`,
      `${U}/user-bulk › %s adds it to expired ones too when asked to`,
    ],
  },
]

const users: readonly PathRow[] = [
  {
    at: 'GET /users/:user_key',
    answers: each('user', USER),
    proofs: [
      `${U}/users › GET /users/:user_key › shows exactly the members of the interface`,
      `${U}/users › shows "none" for a part of the fingerprint that is not known`,
    ],
  },
  {
    at: 'POST /users/:user_key/edit',
    sends: { chat_id: '1', key_expires: YEAR_2100, note: 'n' },
    answers: [],
    proofs: [
      `${U}/users › POST /users/:user_key/edit › changes what was given and nothing else`,
      `${U}/users › clears a text with an empty one and an expiry with 0`,
    ],
  },
  {
    at: 'POST /users/:user_key/blacklist',
    sends: { expires: String(YEAR_2100), reason: 7 },
    answers: [],
    proofs: [
      `${U}/user-blacklist › POST %s/users/:user_key/blacklist with %j`,
      `${U}/user-blacklist › %s keeps the reason as a text`,
    ],
  },
  {
    at: 'POST /users/:user_key/unblacklist',
    before: [['/users/:user_key/blacklist']],
    answers: [],
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/unblacklist leaves nothing of it`],
  },
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
    proofs: [
      `${U}/users › POST /users/:user_key/reset › unbinds, counts and keeps the time`,
      `${U}/users › is refused inside the cooldown, with the time at which it will not be, unless forced`,
    ],
  },
  {
    at: 'POST /users/:user_key/link',
    sends: { chat_id: '1', force: true },
    answers: [],
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/link links once, and anew only with force`],
  },
  {
    at: 'POST /users/:user_key/remove',
    answers: [],
    proofs: [`${U}/users › removes a user with the fingerprint, for an expired account too`],
  },
]

const scripts: readonly PathRow[] = [
  {
    at: 'GET /scripts/:script_id',
    answers: each('script', SCRIPT),
    proofs: [`${U}/scripts › answers nothing but an id, and the script has the defaults of the interface`],
  },
  {
    at: 'GET /scripts/:script_id/executions',
    answers: ['executions'],
    proofs: [`${U}/statistics › shows thirty days, oldest first, with zeros, across New Year`],
  },
  {
    at: 'POST /scripts/:script_id/edit',
    sends: { name: 'Main', free_for_all: true, use_heartbeat: false, kick_outdated: null },
    answers: [],
    proofs: [`${U}/scripts › POST /scripts/:script_id/edit › changes what was given and nothing else`],
  },
  {
    at: 'POST /scripts/:script_id/remove',
    answers: [],
    proofs: [`${U}/scripts › removes a script with its versions, for an expired account too`],
  },
  {
    at: 'POST /scripts/:script_id/update',
    sends: { script: 'print(2)' },
    answers: [],
    proofs: [`${U}/scripts › stores a new version beside the old one and serves it`],
  },
  {
    at: 'POST /scripts/:script_id/toggle',
    sends: { state: false },
    answers: [],
    proofs: [`${U}/scripts › disables and enables`],
  },
]

export const unversionedRows: readonly PathRow[] = [
  ...account,
  ...projects,
  ...projectUsers,
  ...users,
  ...scripts,
]
