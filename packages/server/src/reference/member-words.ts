/**
 * What members mean whose schema does not say it: those that are called alike and mean the same in many operations. The
 * reference alone shows these words; the words of a schema stand in errors too.
 */
type Node = {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
}

const ids = {
  project_id: 'the id of a project',
  script_id: 'the id of a script',
  user_key: 'the key of a user',
  session_id: 'the id of a live session',
  system_id: 'the id of an ad system',
  ad_system_id: 'the ad system that gave this key away; null for others',
  plan_id: 'the id of a plan',
  change_id: 'the id of a change that can be undone',
  device_id: 'the id of a device of the user',
  checkpoint_id: 'the id of a checkpoint',
  fallback_checkpoint_id: 'offered while the provider of this one is down; null for none',
  token_id: 'the id of a token, not its secret',
  member_id: 'the id of a membership, not of the person',
  invitation_id: 'the id of an invitation',
  sign_in_id: 'the id of a sign-in',
  passkey_id: 'the id of a passkey',
  ban_id: 'the id of a ban',
  announcement_id: 'the id of an announcement',
  function_name: 'the name of a server function',
  delivery_id: 'the id of a delivery: that of its event, and for an additional address a dot and its id',
  webhook_id: 'execution, information, blacklist, or the id of an additional address',
  account_id: 'the id of one of your accounts',
  id: 'stays the same for ever',
  api_key: 'sw_ and 46 characters; it allows everything in the account',
  tier: 'the number of a tier',
  exec: 'the id of an execution, 16 bytes in base64url',
  n: 'counted from 1',
  script: 'the id of a script',
  request_id: 'of the request, as its answer and the log have it',
} as const

const settings = {
  allow_checks: 'whether other software may ask if a key is good',
  allow_fingerprint_resets: 'whether users may change their device, after the cooldown',
  fingerprint_reset_cooldown: 'milliseconds between two changes of device by one user',
  delete_expired_users: 'whether users are deleted 15 minutes after their key has expired',
  execution_webhook: 'receives granted and denied executions',
  information_webhook: 'receives changes of users, and what the service has to tell',
  blacklist_webhook: 'receives blacklists, copied and suspected runs',
  require_chat: 'whether users need a linked chat account',
  require_join_chat_server: 'whether the linked chat account must be in the chat server',
  guests_need_device: 'whether guests of free-for-all scripts need a device that can be recognised',
  key_format:
    'how new keys look: groups of X after a prefix; null or an empty text for 32 letters and digits',
  expiring_lead: 'milliseconds before the end of a key at which user.expiring is sent; 0 for never',
  free_for_all: 'of a script: whether it runs without a key; of a tier: devices that may run such scripts',
  use_heartbeat: 'whether a run has to tell that it still runs, so that it can be stopped',
  kick_outdated: 'whether runs of other versions are ended when a version becomes active',
  require_sessions: 'whether it runs only where a WebSocket can be opened',
  silent: 'whether a denied run ends without an error message',
  enabled: 'false gives it to nobody',
  use_fingerprint: 'false lets this user run on any device',
  allow_extending: 'whether visitors may add time to a key that they have',
  key_duration: 'milliseconds that an earned key lasts, and that an extension adds',
  max_duration: 'milliseconds from now beyond which no key is extended',
  compensate_expired: 'whether keys that have expired get the time too',
  force: 'true does it although something stands against it',
  admin: 'whether the account may do what operators do',
  verified: 'whether the mail address was confirmed',
  disabled: 'true keeps the person out',
} as const

const users = {
  key: 'the key of the user',
  chat_id: 'the linked chat account; null for none',
  key_expires: 'when the key ends, in milliseconds since 1970; null for never. As a filter: whether it ends',
  note: 'what the key is called; scripts read it as ward.note, so users may see it',
  executions: 'granted ones',
  executor: 'as it named itself the last time; null before the first time',
  fingerprint_assigned: 'whether the key is bound to a device',
  last_reset: 'when the device was last unbound; 0 for never',
  total_fingerprint_resets: 'how often the device was unbound',
  service_fingerprint: 'what is shown of the bound device, masked; empty while there is none',
  blacklisted: 'whether they are kept from running anything',
  blacklist_reason: 'why; null without a reason',
  blacklist_expires: 'when it ends; null for never. As a filter: whether it ends',
  max_instances: 'how many may run at once; null for no limit',
  max_executions: 'how many executions there may be in all; null for no limit',
  user_keys: 'the new keys, to be handed out',
  game_user_id: 'the account in the game; null where the host has none',
  place_id: 'the place in the game',
  job_id: 'the server of the game',
} as const

const numbers = {
  total: 'how many there are in all, not only in this part',
  from: 'index of the first entry, from 0; prefer after',
  limit: 'how many entries at most; all of them unless given',
  index: 'the place in the order, from 0',
  count: 'how many',
  added: 'how many were not there before',
  removed: 'how many were there before',
  imported: 'how many users were created',
  skipped: 'how many entries could not become users',
  amount: 'how many',
  total_projects: 'projects of the account',
  total_scripts: 'scripts of the account',
  total_users: 'users of all projects',
  banned_users: 'users who are blacklisted',
  unused_users: 'users who never executed anything and have neither device nor chat account',
  ffa_users: 'devices that ran free-for-all scripts without a key',
  total_executions: 'granted executions since the beginning',
  total_ad_users: 'users whose key was earned by ads',
  total_systems: 'ad systems of the account',
  total_checkpoints: 'checkpoints of ad systems',
  total_sessions: 'live sessions at this moment',
  total_instances: 'runs at this moment, with and without a session',
  total_keys: 'keys that were given away',
  total_completions: 'visits that reached the end',
  total_started: 'visitors who began this step',
  total_completed: 'visitors who finished this step',
  median_duration: 'milliseconds that half of the visitors needed at most; null before the first',
  obfuscations_used: 'of those that the plan allows',
  bonus_obfuscations_left: 'obfuscations beyond the plan',
  max_users: 'users that the plan allows; -1 for no limit',
  max_projects: 'projects that the plan allows; -1 for no limit',
  max_scripts: 'scripts that the plan allows; -1 for no limit',
  max_ad_users: 'users from ads that the plan allows; -1 for no limit',
  max_checkpoints: 'checkpoints that the plan allows; -1 for no limit',
  max_systems: 'ad systems that the plan allows; -1 for no limit',
  obfuscations: 'uploads that the plan allows; -1 for no limit',
  max_keys: 'how many keys at once; null for no limit',
  price: 'what the plan costs; the service collects no money',
  plan_expires: 'when the plan ends; 0 for never',
  source_bytes: 'size of the source',
  protected_bytes: 'size of what is served',
  script_version: 'the version that ran',
  version: 'counted from 1',
  recovery_codes_left: 'that were not used yet',
} as const

const times = {
  created_at: 'milliseconds since 1970',
  expires_at: 'milliseconds since 1970',
  added_at: 'milliseconds since 1970',
  attempted_at: 'milliseconds since 1970',
  first_at: 'when it was denied first',
  last_at: 'when it was denied last',
  last_seen: 'when it was last heard of',
  last_used_at: 'milliseconds since 1970',
  last_sign_in_at: 'null for never',
  next_attempt: 'null when there is none',
  failing_since: 'null while it works',
  paused_at: 'null while it is not paused',
  not_after: 'when the key ends; null while it is in use',
} as const

const words = {
  name: 'as people call it',
  email: 'an e-mail address',
  language: 'a language tag such as de; null for none',
  role: 'a role, as GET /v1/scopes lists them',
  scopes: 'scopes, as GET /v1/scopes lists them',
  projects: 'ids of the only projects; null for all',
  kind: 'which of several kinds',
  state: 'of a script: true enables it; otherwise where it stands',
  type: 'which of several kinds',
  reason: 'why, in a word that does not change',
  address: 'where it is sent to',
  format: 'chat for addresses of the chat platform, generic for all others',
  status: 'of HTTP; null without an answer',
  error: 'why there was no answer; null when there was one',
  url: 'the address of the link; of a system, the last part of its own address',
  provider: 'which ad provider the link is of',
  callback_id: 'the last part of the callback address',
  callback_url: 'where the provider sends visitors back to',
  postback_id: 'the last part of the postback address',
  postback_url: 'where the provider reports visits to',
  processed: 'whether the script answered',
  response: 'what the script answered',
  link: 'give it to nobody but the one it is for',
  source: 'as it was uploaded',
  test_script: 'Luau; null when there is none',
  script_path: 'where the source stands among its files',
  files: 'texts by their paths',
  preset: 'the preset that it was built with',
  exported: 'one key per line, or JSON that an import takes',
  network: 'where the request came from',
  browser: 'as it names itself',
  becomes: 'what stands in its place in the build',
  default_preset: 'what an upload without options is built with',
  passkeys: 'how many there are',
  has_password: 'whether the person can sign in by password',
  has_second_factor: 'whether an authenticator app is set up',
  challenge: 'to be solved or signed',
  solution: 'of the challenge',
  step: 'hour or day',
} as const

const WORDS: Readonly<Record<string, string>> = {
  ...ids,
  ...settings,
  ...users,
  ...numbers,
  ...times,
  ...words,
}

/** The same schema, in which members that are known here and say nothing of themselves are described. */
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

/** An object or a list of objects is told by its members. */
function withWords(name: string, node: Node): Node {
  const words = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined
  const tells = node.description !== undefined || node.properties !== undefined || 'const' in node
  return tells || words === undefined ? node : { ...node, description: words }
}
