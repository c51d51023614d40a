/** The words of the reference that belong to no single operation: how to begin, and a paragraph for every group. */

/** The order of the groups is that of the reference. */
const TAGS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  projects: [
    'Projects',
    'A project owns scripts and users, and is what you sell or give away. Its settings say where webhooks go, how often a user may change devices, whether expired users are deleted, and where denied users find help. Nearly everything else is about one project, whose id is in the path.',
  ],
  projectScripts: [
    'Scripts of a project',
    'Upload scripts and list those of a project. A source that you upload is obfuscated before it is stored; what is served to users is the protected text. An upload takes seconds, counts as ten requests and as one obfuscation of your plan.',
  ],
  scripts: [
    'Scripts',
    'One script: how it runs, its next version, the loader that you hand out, and from whom a leaked copy came. A change of settings counts from the next execution; instances that run already go on unless it says otherwise.',
  ],
  scriptVersions: [
    'Versions of a script',
    'Every upload makes a version, counted from 1. One of them is active and is what executions are given; the others stay and can be activated again at no cost. A version keeps its options, its test and the report of its build.',
  ],
  serverFunctions: [
    'Server functions',
    'Luau of yours that the service runs when a script asks for it with `ward.ask`: a price, a secret formula, a decision. A client gets the answer and never the function.',
  ],
  obfuscator: [
    'Obfuscator',
    'What an upload may choose: presets from the weakest to the strongest, targets, and single options. Forms for uploads can be made from this list, which changes only with a new version of the service.',
  ],
  projectUsers: [
    'Users of a project',
    'A user is a person who may run the scripts of a project, known by a user key. Create, import, list, filter and count users here, and change all of them at once. Lists are streamed and paged, so a million users are no special case.',
  ],
  users: [
    'Users',
    'One user, named by the key: what the key may do, until when, on which device, and why it was denied. Changes count for the next execution and, where they take a right away, for what runs now.',
  ],
  userDenials: [
    'Denials of a user',
    'Why a user could not run a script: which check said no, to which value, and when it passes by itself. This is what to look at when somebody writes that their key does not work.',
  ],
  projectExecutions: [
    'Executions of a project',
    'What runs in a project as it begins, for logs and alerts. Ask again with the cursor of the last answer for what came meanwhile.',
  ],
  userExecutions: [
    'Executions of a user',
    'Which executions of one user were sent a watermarked copy: script, version, executor and time. It is how a leaked copy finds its user.',
  ],
  userDevice: [
    'Device of a user',
    'What is stored of the device that a user key was used on last, masked, so that support can tell whether a user came with another device.',
  ],
  userDevices: [
    'Devices of a user',
    'The devices that a user key is bound to, when each was bound and used, and what it is called. One of several can be removed, so that another takes its place.',
  ],
  projectDenials: [
    'Denials of a project',
    'Executions that were denied without the key of a user: missing and wrong keys, guests, and executors that show too little of their device to be told apart.',
  ],
  userSessions: [
    'Sessions of a user',
    'Live sessions of one user. A session is an instance of a script that holds a WebSocket to the service, so that you can see it, ask it something and end it.',
  ],
  scriptSessions: [
    'Sessions of a script',
    'Live sessions of one script, of all its users. Only scripts whose hosts can open a WebSocket have sessions; `require_sessions` refuses the others.',
  ],
  sessions: [
    'Sessions',
    'One live session, or many by their ids: send a message that the script answers, or end what runs. Messages are handled by the functions that the script registered with `ward.handle`.',
  ],
  projectSessions: [
    'Sessions of a project',
    'All live sessions of a project that match some conditions at once, and a stream that tells when one opens, pauses, resumes or closes.',
  ],
  bans: [
    'Bans',
    'Devices, networks and chat accounts with which nobody runs scripts of a project, whatever their key. A ban ends what runs with them. Use a blacklist for one key, and a ban for somebody who comes back with another one.',
  ],
  variables: [
    'Remote variables',
    'Values that scripts of a project read as `ward.vars` and that change while they run: a message of the day, prices, switches. All are replaced at once; each may be for some scripts and plans only.',
  ],
  announcements: [
    'Announcements',
    'What everybody reads who runs a script of a project, until a time: maintenance, a new version, an apology. Scripts get it as `ward.announcement` while they run, and decide how they show it.',
  ],
  chatMembers: [
    'Chat members',
    'Who is in the chat server of a project, as your bot reports it. With `require_join_chat_server` only users whose chat account is in this list can run scripts, so the list decides what your members may do.',
  ],
  changes: [
    'Changes that can be undone',
    'Every change of many users, and every removal of users, scripts and projects, with who did it and when. Within the days that the operator allows it can be undone: rows come back as they were, and what changed since is left as it is and listed.',
  ],
  plans: [
    'Plans',
    'What you sell: for how long a key is valid, from when its time counts, how often and on how many instances it runs, which scripts, and which features they see. Keys follow a plan by its id, and a change of the plan counts for all of them from the next check on.',
  ],
  webhooks: [
    'Webhooks',
    'How the webhook addresses of a project are doing, what was sent to them with every attempt, and ways to send again or to test. The first three are settings of the project; up to ten more, each with its filters and its secret, are managed here. What is sent is listed under Events.',
  ],
  branding: [
    'Branding',
    'How the pages for visitors of a project look: name, logo, accent colour, links and which scripts they show. A preview draws such a page with a branding that is not stored yet.',
  ],
  adSystems: [
    'Ad systems',
    'An ad system lets visitors earn a key of a project by passing links of ad providers. It has an address of its own to publish, rules for how long keys last, and statistics of where visitors give up.',
  ],
  adCheckpoints: [
    'Checkpoints of ad systems',
    'The links that a visitor passes, in order. Prepare a checkpoint first: its addresses have to be entered at the provider before the link exists. Then create it with the link and the settings of the provider.',
  ],
  adProviders: [
    'Ad providers',
    'Which ad providers this service supports and what has to be set for each. The operator decides which there are, and forms can be made from this list.',
  ],
  account: [
    'Account',
    'Your account: totals, plan, its API key, and how its executions ended. The API key opens everything in the account, so prefer tokens with the scopes that a program needs.',
  ],
  customers: [
    'Account by key in the path',
    'The unversioned family for accounts, which carries the API key in the path. Paths end up in logs and histories: new programs use `/v1/account` and `/v1/projects` with a header, and `allow_path_key` closes this form.',
  ],
  tokens: [
    'Tokens',
    'Credentials of software that may do less than the API key: some scopes, some projects, some networks, until a time. A token goes into the same header as the API key, and its secret is shown once.',
  ],
  members: [
    'Members',
    'People who may work in the account, each with a role that allows them something, in all or some of its projects. The person of an account who may do everything is its owner; an account always keeps one.',
  ],
  invitations: [
    'Invitations',
    'An invitation is a link that makes one person a member, once and within seven days. It is made by inviting under Members, and can be withdrawn as long as nobody accepted it.',
  ],
  scopes: [
    'Scopes and roles',
    'The rights that operations need, and which of them each role has. Made for forms in which somebody chooses what a token or a member may do.',
  ],
  me: [
    'Who is calling',
    'What the service knows of the credential that a request shows: whose it is, what it may do and where. Good as the first call of a program, because it needs no scope.',
  ],
  signIns: [
    'Sign-ins',
    'The browsers in which a person is signed in. These operations are for people in the dashboard; software has no sign-in.',
  ],
  audit: [
    'Audit log',
    'Every change in the account: who made it, how, from where, and what was there before. Entries are chained by hashes, so one that is missing or was changed can be told. Nothing in it can be edited.',
  ],
  limits: [
    'Limits',
    'How much a request may carry and how many requests there may be, as this service is configured. What your plan allows is in its tier.',
  ],
  tiers: [
    'Tiers',
    'The plans of this service: what each costs and allows. Anyone may read them, so that a page of prices can be made from them.',
  ],
  auth: [
    'Signing in',
    'What the pages for signing in, signing up and second factors call. They answer with cookies and are made for browsers; programs use an API key or a token. All are limited by the address that asks.',
  ],
  client: [
    'Client protocol',
    'What loaders and protected scripts call, and one call for other software that checks keys. Bodies are sealed between loader and service; the document `client-protocol.md` of the project is the specification.',
  ],
  operators: [
    'Operators',
    'For those who run the service: accounts, people, tiers and the audit log of the whole service. They need the API key of an admin account, or the scope `admin`; `scriptward admin` does the same on the machine itself.',
  ],
  system: [
    'The service itself',
    'What machines ask: is the process alive, can it answer requests, and this document. None of it needs a credential.',
  ],
  events: [
    'Events',
    'What the service sends to you: a POST with JSON to webhook addresses of a project, signed as Standard Webhooks says. Store ids when you must not count an event twice, and ignore members that you do not know.',
  ],
}

export const INTRODUCTION = [
  'Scriptward licenses and protects Lua scripts. This is everything that its dashboard, its command line and your own programs can ask of it.',
  '**Credentials.** Send the API key of your account, or a token with the scopes that you need, in the header `token` or as `Authorization: Bearer …`. A person who is signed in to the dashboard may call the same with the cookie of the sign-in and the header `x-scriptward-csrf`.',
  '**Answers** are JSON with `"success": true`. An error has `"success": false` and an `error` with `type`, a name that is unique over the whole API, `code`, a number within the operation, a `message` and the `request_id` that the log has. A `not_found` names what it did not find; what belongs to another account answers exactly like what does not exist.',
  '**Times** are milliseconds since 1970 in UTC, and so are lengths of time.',
  '**Lists** are paged by `after`, which takes the `next` of the answer before; `limit` says how many entries a page has.',
  '**Repeating.** A POST with the header `Idempotency-Key` is done once within a day: sent again, it gets the stored answer.',
  '**Limits.** An API key may make 50 requests a second and 100 at once, unless the operator changed that; `RateLimit` headers say what is left, and `GET /v1/limits` the figures of this service.',
  '**Two families.** Paths under `/v1` may gain members. Paths without it never change; they are there for programs that were written for them.',
].join('\n\n')

/** In the order of the reference, those that are used. */
export function tagsOf(used: readonly string[]): object[] {
  const known = Object.entries(TAGS).filter(([name]) => used.includes(name))
  const unknown = used.filter((name) => !(name in TAGS))
  return [
    ...known.map(([name, [title, description]]) => ({ name, 'x-displayName': title, description })),
    ...[...new Set(unknown)].map((name) => ({ name })),
  ]
}
