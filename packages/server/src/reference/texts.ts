/** The reference's introduction, and a paragraph for every group of operations. */

/** The groups, in the order of the reference. */
const TAGS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  projects: [
    'Projects',
    'A project groups the scripts and users of one product that you sell or give away. Its settings control webhooks, fingerprint resets, the removal of expired users, and the help link shown to denied customers.',
  ],
  projectScripts: [
    'Project scripts',
    'Upload scripts to a project and list them. Sources are obfuscated when you upload them, and customers only ever receive the protected script. An upload takes a few seconds, counts as ten requests toward the rate limit, and uses one of the obfuscations included in your service tier.',
  ],
  scripts: [
    'Scripts',
    'Manage a single script: its settings, new versions, its loader, and tracing leaked copies. Changes to settings take effect on the next run. Scripts that are already running are not affected unless noted.',
  ],
  scriptVersions: [
    'Script versions',
    "Every upload creates a version, numbered from 1. One version is active and delivered to customers. Other versions are kept, and activating one again doesn't use an obfuscation. Each version keeps its obfuscation options, its smoke test and its build report.",
  ],
  releases: [
    'Releases',
    'Roll out a version to a growing share of your customers. A guard compares the version with the previous one, and rolls it back if it fails more often. Customers who have the version keep it while the share grows.',
  ],
  channels: [
    'Channels',
    'Give some keys, selected by tag or plan, a version other than the live one, for example to test a version with volunteers before everyone gets it.',
  ],
  scriptErrors: [
    'Errors',
    "Errors reported by a script's runs, grouped by message and line in your source. Resolve an error once it is fixed: it reopens if a later version reports it. Runs report errors without license keys, paths or values.",
  ],
  traces: [
    'Traces',
    'Leaked copies that your team traced: who traced each copy, and whose copy it was. The copies themselves are not stored.',
  ],
  executors: [
    'Executors',
    'The functions that each executor version has, as reported by the loaders of all accounts. Use this list to see what an executor update broke.',
  ],
  executorRules: [
    'Executor rules',
    "Allow or deny executors for a script. In `watch` mode, the rules don't deny any runs: they only count the runs that they would deny.",
  ],
  serverFunctions: [
    'Server functions',
    'Luau functions that run on the server when a script calls them with `ward.ask`. Use them for prices, secret formulas or decisions: clients receive the result but never the code.',
  ],
  obfuscator: [
    'Obfuscator',
    'The presets, targets and options available for uploads. Presets are listed from the weakest to the strongest. Use this list to build upload forms. It only changes when the server is updated.',
  ],
  projectUsers: [
    'Project users',
    'A user represents one customer in a project and is identified by a license key. Create, import, list, filter and count users here, or change all of them at once. Lists are streamed and paginated, so they work with millions of users.',
  ],
  users: [
    'Users',
    'Manage a single user by key: limits, expiry, bound devices and denials. Changes take effect on the next run; changes that revoke access also end current runs.',
  ],
  userDenials: [
    'User denials',
    "Why a user's runs were denied: the check that failed, the value it rejected, and when the problem resolves on its own, if it does. Start here when a customer reports that their key doesn't work.",
  ],
  projectExecutions: [
    'Project executions',
    'The log of all runs in a project: granted, denied and crashed. Filter it, or poll with the cursor from the last response to receive only newer runs.',
  ],
  userExecutions: [
    'User executions',
    "A user's runs that received a watermarked copy, with script, version, executor and time. Use them to link a leaked copy to a user.",
  ],
  userDevice: [
    'User device',
    'Masked details of the device that a key was last used on, so that support can tell whether a customer switched devices.',
  ],
  userDevices: [
    'User devices',
    'The devices a key is bound to, each with its name and the times at which it was bound and last used. Remove a single device to make room for another.',
  ],
  projectDenials: [
    'Project denials',
    "Denied runs that can't be attributed to a user: missing or invalid keys, guests, and executors that reveal too little to identify the device.",
  ],
  userSessions: [
    'User sessions',
    'Live sessions of a single user. A live session is a running script with an open WebSocket connection to the server. You can list live sessions, send them messages and disconnect them.',
  ],
  scriptSessions: [
    'Script sessions',
    "Live sessions of a single script, across all users. Sessions require a host that supports WebSockets. With `require_sessions`, the script doesn't run on any other host.",
  ],
  sessions: [
    'Sessions',
    'Disconnect live sessions or send them messages, individually or in bulk. Scripts handle messages with the functions they register through `ward.handle`.',
  ],
  projectSessions: [
    'Project sessions',
    "Search all of a project's live sessions, and stream events as sessions open, detach, resume or close.",
  ],
  bans: [
    'Bans',
    'Block devices, networks and chat accounts from running any script in a project, whatever key they use. A ban also ends current runs. To block a single key, blacklist its user. To keep out someone who returns with a different key, create a ban.',
  ],
  views: [
    'Saved views',
    "Names for the filters, sort order and columns that you use often in a project's lists. Each team member has their own.",
  ],
  variables: [
    'Remote variables',
    "Values that scripts read from `ward.vars` and that you can change while scripts run, such as a message of the day, prices or feature switches. All of a project's variables are replaced in one request. Each variable can be limited to certain scripts and plans.",
  ],
  announcements: [
    'Announcements',
    "Messages, such as maintenance notices or release notes, that are shown until a given time to everyone who runs one of the project's scripts, or to the customers affected by an error. Scripts receive them as `ward.announcement` while they run, and decide how to show them.",
  ],
  chatMembers: [
    'Chat members',
    "The members of a project's chat server, as reported by your bot. With `require_join_chat_server`, only users whose chat account is on this list can run scripts. Projects with a connected Discord bot don't need the list: Discord is queried on each run, and the result is cached for five minutes.",
  ],
  discord: [
    'Discord bot',
    "The project's Discord bot. Customers use it to redeem keys and reset their devices, and staff use it to support customers. Create an application on Discord and connect it with its bot token; Scriptward registers and handles the commands.",
  ],
  changes: [
    'Changes',
    'Bulk changes and removals of users, scripts and projects, including who made them and when. You can undo a change within the period set by the operator. Undoing restores the previous state, except for anything edited since, which is left unchanged and listed.',
  ],
  plans: [
    'Plans',
    'A plan is a license you sell: how long a key is valid, when its validity period starts, how many total and concurrent runs it allows, and which scripts and features it includes. Edits to a plan apply to all of its keys at their next check.',
  ],
  webhooks: [
    'Webhooks',
    'Check the health of webhook endpoints, inspect deliveries and their attempts, resend events and send tests. In addition to the three webhooks in the project settings, you can add up to ten endpoints here, each with its own filters and secret. See Events for the payloads.',
  ],
  branding: [
    'Branding',
    "The appearance of a project's public pages: name, logo, accent color, links, and which scripts are shown. You can preview a page before you save its branding.",
  ],
  adSystems: [
    'Ad systems',
    'An ad system lets visitors earn a key by completing links from ad providers. It has a public URL, rules for the lifetime of keys, and a funnel that shows where visitors drop off.',
  ],
  adCheckpoints: [
    'Ad checkpoints',
    'The links that visitors complete, in order. First prepare a checkpoint to get its callback and postback URLs, which you enter at the ad provider when you create the link there. Then create the checkpoint with that link and the provider settings.',
  ],
  adProviders: [
    'Ad providers',
    'The ad providers available on this server and their settings. Use this list to build forms. The operator decides which providers are enabled.',
  ],
  account: [
    'Account',
    'Your account: totals, service tier, API key and run statistics. The API key grants full access to the account, so prefer tokens with only the scopes a program needs.',
  ],
  customers: [
    'Account (API key in path)',
    'The unversioned account endpoints, which take the API key in the path. Paths end up in logs and browser histories: in new programs, use `/v1/account` and `/v1/projects` with a header. Set `allow_path_key` to false to disable these endpoints for your account.',
  ],
  tokens: [
    'Tokens',
    'Credentials for programs. Each token has its own scopes and can be limited to certain projects and networks and given an expiry date. Send a token in the same header as the API key. Its secret is only shown once.',
  ],
  members: [
    'Members',
    "An account's team members. A member's role determines what they can do, in all or some of the account's projects. Owners have full access, and an account always has at least one.",
  ],
  invitations: [
    'Invitations',
    'Links for joining the account. An invitation works once and expires after seven days. Create invitations under Members; withdraw pending ones here.',
  ],
  scopes: [
    'Scopes and roles',
    'The scopes that operations require, and the scopes that each role includes. Use this list to build forms for tokens and members.',
  ],
  me: [
    'Current caller',
    'The credential that sent the request: its owner, scopes and projects. Requires no scope, which makes it a good first call for a program.',
  ],
  signIns: [
    'Dashboard sessions',
    'The browsers that a dashboard user is signed in with. Only dashboard users can call these operations.',
  ],
  audit: [
    'Audit log',
    'Every change in the account, with its actor, origin and previous values. Entries cannot be edited, and they are hash-chained, so missing or modified entries can be detected.',
  ],
  limits: [
    'Limits',
    "The request size and rate limits of this server. Your account's limits are part of its service tier.",
  ],
  tiers: [
    'Service tiers',
    'The service tiers of this server, with their prices and limits. They are public, so you can build a pricing page from them.',
  ],
  auth: [
    'Authentication',
    'The operations behind the pages for sign-in, sign-up and two-factor authentication. They set cookies and are meant for browsers; programs should use an API key or a token. Rate limits apply per IP address.',
  ],
  client: [
    'Client protocol',
    'The endpoints that loaders and protected scripts call, and one that lets other software check keys. Bodies are encrypted between loader and server, as specified in `client-protocol.md` in the documentation.',
  ],
  operators: [
    'Operators',
    "Operate the server: accounts, user accounts, service tiers and the server-wide audit log. Requires the API key of an operator account, or a token with the `admin` scope. On the server's machine, you can use `scriptward admin` instead.",
  ],
  system: ['System', 'Health checks for monitoring, and this document. No credentials required.'],
  events: [
    'Events',
    "Signed JSON messages that the server sends to a project's webhook endpoints with POST, following the Standard Webhooks specification. Store event IDs so you can discard duplicates, and ignore fields you don't recognize.",
  ],
}

export const INTRODUCTION = [
  'Scriptward licenses and protects Lua scripts. The dashboard and the command line are built on this API, and your own programs can use all of it.',
  "**Authentication.** Send your account's API key, or a token with the scopes you need, in the `token` header or as `Authorization: Bearer …`. Dashboard users can call the same operations with their session cookie and the `x-scriptward-csrf` header.",
  '**Responses** are JSON with `"success": true`. Errors have `"success": false` and an `error` object with a `type` (unique across the API), a `code` (a number scoped to the operation), a `message` and the `request_id` that appears in the server log. A `not_found` error names the resource that was not found. Resources of other accounts return the same error as resources that do not exist.',
  '**Times** are Unix timestamps in milliseconds (UTC). Durations are in milliseconds too.',
  '**Pagination.** Pass the `next` cursor of a response as `after` to get the next page. `limit` sets the number of entries per page.',
  '**Idempotency.** To retry a POST request safely, send it with an `Idempotency-Key` header. For 24 hours, repeating the request with the same key returns the stored response instead of performing the request again.',
  '**Rate limits.** By default, an API key may send 50 requests per second, with bursts of up to 100. The `RateLimit` headers show how many requests you have left, and `GET /v1/limits` returns the limits of this server.',
  '**Versioning.** Responses under `/v1` may gain fields over time. Unversioned endpoints never change. They exist for programs that already use them.',
].join('\n\n')

/** The groups in use, in the order of the reference. */
export function tagsOf(used: readonly string[]): object[] {
  const known = Object.entries(TAGS).filter(([name]) => used.includes(name))
  const unknown = used.filter((name) => !(name in TAGS))
  return [
    ...known.map(([name, [title, description]]) => ({ name, 'x-displayName': title, description })),
    ...[...new Set(unknown)].map((name) => ({ name })),
  ]
}
