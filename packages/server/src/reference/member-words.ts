/**
 * Descriptions of fields that have the same name and meaning in many operations, for schemas that lack a
 * description. Only the reference shows them, whereas schema descriptions are also part of validation errors.
 */
type Node = {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

const ids = {
  project_id: 'project ID',
  script_id: 'script ID',
  user_key: "user's license key",
  session_id: 'live session ID',
  system_id: 'ad system ID',
  ad_system_id: 'ID of the ad system that issued the key. Null if the key was not earned through ads',
  plan_id: 'plan ID',
  change_id: 'ID of a change that can be undone',
  device_id: "ID of one of the user's devices",
  checkpoint_id: 'checkpoint ID',
  fallback_checkpoint_id:
    "ID of the checkpoint offered while this checkpoint's provider is down. Null if there is none",
  token_id: 'token ID (not its secret)',
  member_id: "membership ID (not the user account's ID)",
  invitation_id: 'invitation ID',
  sign_in_id: 'dashboard session ID',
  passkey_id: 'passkey ID',
  ban_id: 'ban ID',
  announcement_id: 'announcement ID',
  error_id: 'error ID',
  trace_id: 'trace ID',
  release_id: 'release ID',
  function_name: 'server function name',
  delivery_id: 'delivery ID: the event ID, followed by a dot and the endpoint ID for custom endpoints',
  webhook_id: 'ID of a custom webhook endpoint, or one of execution, information and blacklist',
  account_id: 'ID of one of your accounts',
  id: 'unique identifier, which never changes',
  api_key: 'API key, sw_ followed by 46 characters. It grants full access to the account',
  tier: 'service tier ID',
  exec: 'execution ID, 16 bytes in base64url',
  n: 'number, starting at 1',
  script: 'script ID',
  request_id: 'request ID, as in the response and the log',
} as const

const settings = {
  allow_checks: "whether other software may check this project's keys",
  allow_fingerprint_resets: 'whether customers may reset their own fingerprint after the cooldown',
  fingerprint_reset_cooldown: 'minimum time between two fingerprint resets by a customer, in milliseconds',
  delete_expired_users: 'whether users are deleted 15 minutes after their key expires',
  execution_webhook: 'URL that receives granted and denied executions',
  information_webhook: 'URL that receives user changes and notices from the server',
  blacklist_webhook: 'URL that receives blacklists and reports of copied or suspicious runs',
  require_chat: 'whether users must have a linked chat account',
  require_join_chat_server: 'whether the linked chat account must be a member of the chat server',
  guests_need_device: 'whether guests of free-for-all scripts need an identifiable device',
  expiring_lead:
    'how long before expiry the user.expiring event is sent, in milliseconds. 0 if the event is off',
  free_for_all: 'whether the script runs without a key',
  use_heartbeat: 'whether running scripts must send heartbeats, which lets the server verify and end runs',
  kick_outdated: 'whether runs of other versions are ended when a version is activated',
  staged_releases:
    'whether uploads reach a growing share of customers, if the script had more than 100 in the last 24 hours',
  report_errors: "whether runs report the script's errors, without private data",
  require_sessions: 'whether the script only runs on hosts that can open a WebSocket',
  silent: 'whether denied runs end without an error message',
  enabled: 'whether the script is enabled',
  use_fingerprint: 'whether the key is bound to a device. If false, the key works on any device',
  allow_extending: 'whether visitors may extend a key they already have',
  key_duration: 'lifetime of an earned key, and the time each extension adds, in milliseconds',
  max_duration: 'maximum remaining lifetime of a key after an extension, in milliseconds from now',
  compensate_expired: 'whether to extend expired keys too',
  force: "whether to ignore the project's reset rules",
  admin: 'whether the account is an operator account',
  verified: 'whether the email address was confirmed',
  disabled: 'whether the user account is disabled',
} as const

const users = {
  key: "user's license key",
  chat_id: 'ID of the linked chat account. Null if there is none',
  key_expires: 'key expiry, in Unix milliseconds. Null if the key never expires',
  note: 'note on the key. Scripts can read it as ward.note, so customers may see it',
  executions: 'number of granted executions',
  executor: 'executor of the last run, as reported by the client. Null before the first run',
  fingerprint_assigned: 'whether the key is bound to a device',
  last_reset: 'time of the last fingerprint reset. 0 if there was none',
  total_fingerprint_resets: 'number of fingerprint resets',
  service_fingerprint: 'masked details of the bound device. Empty if no device is bound',
  blacklisted: 'whether the user is blacklisted',
  blacklist_reason: 'reason for the blacklist. Null if none was given',
  blacklist_expires: 'expiry of the blacklist, in Unix milliseconds. Null if it never expires',
  max_instances: 'maximum number of concurrent runs. Null if there is no limit',
  max_executions: 'maximum number of executions in total. Null if there is no limit',
  user_keys: 'new license keys',
  game_user_id: "user ID in the game. Null if the host doesn't provide one",
  place_id: 'place ID in the game',
  job_id: 'server ID in the game',
} as const

const numbers = {
  total: 'total number of entries, across all pages',
  from: 'index of the first entry, starting at 0. Prefer paginating with after',
  limit: 'maximum number of entries. Default: all',
  index: 'position in the list, starting at 0',
  count: 'number of entries',
  added: 'number of entries added, not counting those that already existed',
  removed: 'number of entries removed, not counting those that did not exist',
  imported: 'number of users created',
  skipped: 'number of entries that could not be imported',
  amount: 'number of keys to generate',
  total_projects: 'number of projects in the account',
  total_scripts: 'number of scripts in the account',
  total_users: 'number of users in all projects',
  banned_users: 'number of blacklisted users',
  unused_users: 'number of users that never ran a script and have neither a device nor a chat account',
  ffa_users: 'number of devices that ran free-for-all scripts without a key',
  total_executions: 'total number of granted executions',
  total_ad_users: 'number of users with a key earned through ads',
  total_systems: 'number of ad systems in the account',
  total_checkpoints: 'number of ad checkpoints',
  total_sessions: 'number of live sessions',
  total_instances: 'number of scripts currently running, with or without a live session',
  total_keys: 'number of keys issued',
  total_completions: 'number of visits that completed all checkpoints',
  value_per_thousand:
    'your revenue from 1,000 completed visits, in hundredths of your currency. Null if unknown',
  total_started: 'number of visitors who started this checkpoint',
  total_completed: 'number of visitors who completed this checkpoint',
  median_duration:
    'median time visitors take to complete the checkpoint, in milliseconds. Null until a visitor has completed it',
  obfuscations_used: 'number of used obfuscations out of those included in the service tier',
  bonus_obfuscations_left: 'number of obfuscations left in addition to those included in the service tier',
  max_users: 'maximum number of users. -1 means unlimited',
  max_projects: 'maximum number of projects. -1 means unlimited',
  max_scripts: 'maximum number of scripts. -1 means unlimited',
  max_ad_users: 'maximum number of users with keys earned through ads. -1 means unlimited',
  max_checkpoints: 'maximum number of checkpoints. -1 means unlimited',
  max_systems: 'maximum number of ad systems. -1 means unlimited',
  max_calls:
    'maximum number of server code calls per minute and run, a third of which can be made at once. -1 means unlimited, up to 20 calls per second',
  log_days: 'retention of the execution log, in days. -1 means that it is kept forever',
  obfuscations: 'maximum number of obfuscations. -1 means unlimited',
  max_keys: 'maximum number of keys at a time. Null if there is no limit',
  price: "tier price. For display only: the server doesn't process payments",
  plan_expires: 'service tier expiry, in Unix milliseconds. 0 if it never expires',
  source_bytes: 'size of the source, in bytes',
  protected_bytes: 'size of the protected script, in bytes',
  script_version: 'version of the script',
  version: 'version number, starting at 1',
  recovery_codes_left: 'number of unused backup codes',
} as const

const times = {
  created_at: 'creation time, in Unix milliseconds',
  expires_at: 'expiry, in Unix milliseconds',
  added_at: 'time the member was added, in Unix milliseconds',
  attempted_at: 'time of the attempt, in Unix milliseconds',
  first_at: 'time of the first denial',
  last_at: 'time of the last denial',
  last_seen: "time of the client's last message",
  last_used_at: 'time of the last use, in Unix milliseconds',
  last_sign_in_at: 'time of the last sign-in. Null if there was none',
  next_attempt: 'time of the next attempt. Null if none is scheduled',
  failing_since:
    'time of the first failure since the last successful delivery. Null while deliveries succeed',
  paused_at: 'time the endpoint was paused. Null if it is not paused',
  not_after: 'time the key expires. Null while it is in use',
} as const

const words = {
  name: 'display name',
  email: 'email address',
  language: 'language tag, such as de. Null if none is set',
  role: 'role, as listed by GET /v1/scopes',
  scopes: 'scopes, as listed by GET /v1/scopes',
  projects: 'IDs of the projects the member can access. Null if they can access all projects',
  state: 'current state',
  reason: 'machine-readable reason, which never changes',
  address: 'destination URL',
  format: 'message format: chat for chat webhooks, generic for all others',
  status: 'HTTP status code of the response. Null if there was no response',
  error: 'why there was no response. Null if there was one',
  url: 'link URL at the ad provider',
  provider: 'ad provider of the link',
  callback_id: 'last segment of the callback URL',
  callback_url: 'URL that the provider sends visitors back to',
  postback_id: 'last segment of the postback URL',
  postback_url: 'URL that the provider reports completed visits to',
  processed: 'whether the script responded',
  response: 'response from the script',
  link: 'secret link. Share it only with the person it is for',
  source: 'source code as uploaded',
  test_script: 'smoke test in Luau. Null if there is none',
  preset: 'protection preset used for the build',
  exported: 'exported users: one key per line, or JSON that can be reimported',
  network: 'network that the request came from',
  browser: 'browser, as reported by its user agent',
  becomes: 'code that replaces the name in the build',
  default_preset: 'preset used for uploads without options',
  passkeys: 'number of passkeys',
  has_password: 'whether the person can sign in with a password',
  has_second_factor: 'whether an authenticator app is set up',
  challenge: 'challenge to solve or sign',
  solution: 'solution of the challenge',
  step: 'interval covered by each entry: hour or day',
} as const

const WORDS: Readonly<Record<string, string>> = {
  ...ids,
  ...settings,
  ...users,
  ...numbers,
  ...times,
  ...words,
}

/** Returns the same schema, with a description for every known field that lacks one. */
export function inWords<S extends object>(schema: S): S {
  const { properties, items } = schema as Node
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: described(properties) }),
    ...(items === undefined ? {} : { items: inWords(items) }),
  }
}

function described(properties: Readonly<Record<string, Node>>) {
  const members = Object.entries(properties).map(([name, node]) => [name, withWords(name, inWords(node))])
  return Object.fromEntries(members)
}

/** Objects are described by their fields, and lists of objects by the operation. */
function withWords(name: string, node: Node): Node {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined
  const hasFields = node.properties !== undefined || node.items?.properties !== undefined
  const tells = node.description !== undefined || hasFields || 'const' in node
  return tells || words === undefined ? node : { ...node, description: words }
}
