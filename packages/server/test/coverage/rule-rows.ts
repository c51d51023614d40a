/** The interface's states and rules, its limits, and what it says of credentials. */
import type { RuleRow } from './row.ts'

const U = 'test/endpoints/unversioned'
const V = 'test/endpoints/v1'
const inBoth = (path: string) => [`POST ${path}`, `POST /v1${path}`]

export const stateRows: readonly RuleRow[] = [
  {
    rule: 'A user who is not blacklisted is blacklisted, with an expiry and a reason when they are given.',
    at: inBoth('/users/:user_key/blacklist'),
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/blacklist with %j`],
  },
  {
    rule: 'A blacklisted user is no longer blacklisted.',
    at: inBoth('/users/:user_key/unblacklist'),
    proofs: [`${U}/user-blacklist › POST %s/users/:user_key/unblacklist leaves nothing of it`],
  },
  {
    rule: 'A script is enabled as `state` says.',
    at: inBoth('/scripts/:script_id/toggle'),
    proofs: [`${U}/scripts › POST /scripts/:script_id/toggle › disables and enables`],
  },
  {
    rule: '1. `blacklist_expires` and `blacklist_reason` are edited for a blacklisted user only, and stay null for another.',
    at: ['POST /v1/users/:user_key/edit'],
    proofs: [
      `${V}/users › edits the blacklist of a blacklisted user`,
      `${V}/users › leaves the blacklist members of any other user null`,
    ],
  },
  {
    rule: '2. A checkpoint is prepared before it can be created.',
    at: ['POST /adsystems/:system_id/checkpoints/prepare', 'GET /v1/adsystems/:system_id/checkpoints/new'],
    proofs: [
      `${V}/ad-checkpoints › needs a preparation that is not over`,
      `${V}/ad-checkpoints › succeeds once for each preparation, also for many at once`,
    ],
  },
  {
    rule: '3. With `delete_expired_users`, users are deleted 15 minutes after expiry.',
    at: ['POST /projects/:project_id/edit'],
    proofs: [
      'test/workers/delete-expired-users › happens a quarter of an hour after expiry, and not a millisecond before',
      'test/workers/delete-expired-users › leaves whoever never expires, whoever has time left, and projects that do not want it',
      'test/workers/running › deletes expired users and mails new API keys by itself, unless it is told not to',
    ],
  },
]

export const limitRows: readonly RuleRow[] = [
  {
    rule: 'A message to sessions waits up to 60 seconds for the response.',
    at: ['POST /v1/sessions/:session_id/message', 'POST /v1/sessions/message'],
    proofs: [
      'src/protocol/session-hub › waits no longer than the limit, and takes no answer after it',
      'test/coverage/interface › waits a minute for the answer of a session unless it is told otherwise',
      `${V}/sessions › POST /v1/sessions/message › awaits all of them together`,
    ],
  },
  {
    rule: 'Expired users are deleted after 15 minutes.',
    at: ['POST /projects/:project_id/edit'],
    proofs: [
      'test/workers/delete-expired-users › happens a quarter of an hour after expiry, and not a millisecond before',
    ],
  },
  {
    rule: '`fingerprint_reset_cooldown` is 86400000 unless given.',
    at: ['POST /customers/:api_key/projects/new'],
    proofs: [`${U}/customers › creates a project with the defaults of the interface`],
  },
  {
    rule: 'Ad systems have key_duration 86400000, max_keys 1, max_duration 604800000 unless given.',
    at: ['POST /v1/adsystems/new'],
    proofs: [`${V}/ad-systems › a new system has the defaults of the interface`],
  },
  {
    rule: 'Lists of sessions begin at 0 and have no limit unless given.',
    at: [
      'GET /v1/users/:user_key/sessions',
      'GET /v1/users/:user_key/sessions/filter',
      'GET /v1/scripts/:script_id/sessions',
      'GET /v1/scripts/:script_id/sessions/filter',
    ],
    proofs: [
      `${V}/sessions › GET /v1/%s/…/sessions › lists them in the order in which they began, by parts, with their number`,
    ],
  },
  {
    rule: 'The custom URL of an ad system holds A-Z, a-z, 0-9 and `-` only.',
    at: ['POST /v1/adsystems/:system_id/url'],
    proofs: [
      `${V}/ad-systems › POST /v1/adsystems/:system_id/url › refuses %j`,
      `${V}/ad-systems › names the system, renames it and takes the name away`,
    ],
  },
  {
    rule: 'A tier limits max_users.',
    at: [
      'POST /projects/:project_id/users/new',
      'POST /projects/:project_id/users/generate',
      'POST /projects/:project_id/users/import',
    ],
    proofs: [
      'test/limits-at-once › %s',
      `${U}/user-bulk › fills a tier to its last place and makes nothing at all beyond it`,
    ],
  },
  {
    rule: 'A tier limits max_projects.',
    at: ['POST /customers/:api_key/projects/new'],
    proofs: [
      'test/limits-at-once › %s',
      `${U}/customers › lets exactly one of many through when one more is allowed`,
    ],
  },
  {
    rule: 'A tier limits max_scripts.',
    at: ['POST /projects/:project_id/scripts/new'],
    proofs: [
      'test/limits-at-once › %s',
      `${U}/scripts › refuses more scripts than the tier allows, over all projects`,
    ],
  },
  {
    rule: 'A tier limits obfuscations.',
    at: ['POST /projects/:project_id/scripts/new', 'POST /scripts/:script_id/update'],
    proofs: [
      'test/limits-at-once › %s',
      'test/quotas › come back in the first millisecond of the next month in UTC, also of the next year',
    ],
  },
  {
    rule: 'A tier limits free_for_all.',
    at: ['POST /projects/:project_id/scripts/new'],
    proofs: [
      'test/limits-at-once › free_for_all',
      'test/protocol/exec › keyless devices are counted up to what the tier allows, however many come at once',
    ],
  },
  {
    rule: 'A tier limits max_ad_users.',
    at: ['PUT /v1/admin/tiers/:id'],
    proofs: [
      'test/ads/earnings › an account with all the keys of its tier says so before anything is watched',
      'test/ads/earnings › of many who finish at once no more get a key than the tier allows',
    ],
  },
  {
    rule: 'A tier limits max_checkpoints.',
    at: ['GET /v1/adsystems/:system_id/checkpoints/new', 'POST /adsystems/:system_id/checkpoints/prepare'],
    proofs: [
      'test/limits-at-once › %s',
      `${V}/ad-checkpoints › stays within the plan over all systems of the account`,
    ],
  },
  {
    rule: 'A tier limits max_systems.',
    at: ['POST /v1/adsystems/new'],
    proofs: [
      'test/limits-at-once › %s',
      `${V}/ad-systems › the limit of a plan counts the whole account, also for many at once`,
    ],
  },
]

export const credentialRows: readonly RuleRow[] = [
  {
    rule: '1. Account paths carry the API key in the path and need no token header.',
    at: ['GET /customers/:api_key'],
    proofs: [`${U}/customers › needs no token, and takes none for the key in the path`],
  },
  {
    rule: '2. Other unversioned paths need the token header.',
    at: ['GET /users/:user_key', 'GET /scripts/:script_id', 'GET /projects/:project_id'],
    proofs: ['test/every-endpoint › asks who is calling before it looks at anything else › %s'],
  },
  {
    rule: '3. `/v1/account` takes a parameter `api_key`.',
    at: ['GET /v1/account', 'POST /v1/account/reset'],
    proofs: [
      `${V}/account › from either header or the query, and answers as the unversioned family does`,
      `${V}/account › from the query or the body of a POST`,
    ],
  },
  {
    rule: '4. The other paths of `/v1` need the token header.',
    at: ['GET /v1/users/:user_key', 'GET /v1/adsystems', 'GET /v1/sessions/:session_id'],
    proofs: ['test/every-endpoint › asks who is calling before it looks at anything else › %s'],
  },
  {
    rule: '5. A reset replaces the API key; the unversioned one answers nothing but `success`.',
    at: ['POST /customers/:api_key/reset', 'POST /v1/account/reset'],
    proofs: [
      `${V}/account › POST /v1/account/reset › replaces the key at once and tells the new one`,
      `${V}/account › POST /customers/:api_key/reset › tells the new key to the mail address alone`,
    ],
  },
]
