/** Entries of the audit log as sentences. */
import type { AuditEntry } from './access-api.ts'
import { text } from './text.ts'

const VERBS: Readonly<Record<string, string>> = {
  create: 'created',
  edit: 'edited',
  remove: 'removed',
  generate: 'generated keys in',
  import: 'imported users into',
  export: 'exported users of',
  resetAll: 'reset all devices of',
  purge: 'purged users of',
  clear: 'cleared',
  compensate: 'gave time to users of',
  reset: 'reset the device of',
  resetKey: 'replaced the API key of',
  blacklist: 'blacklisted',
  unblacklist: 'took off the blacklist',
  link: 'linked',
  unlock: 'unlocked',
  update: 'uploaded a version of',
  toggle: 'switched',
  activate: 'activated a version of',
  trace: 'traced a copy of',
  disconnect: 'ended',
  disconnectMany: 'ended',
  message: 'sent a message to',
  messageMany: 'sent a message to',
  redeliver: 'sent again',
  test: 'tested',
  url: 'changed the address of',
  prepare: 'prepared',
  swap: 'reordered',
  replace: 'replaced',
  add: 'added',
  rotate: 'rotated',
  revoke: 'revoked',
  new: 'created',
  invite: 'invited',
  withdraw: 'withdrew',
  leave: 'left',
  end: 'ended',
  endOthers: 'ended all other sign-ins:',
  put: 'wrote',
}
const NOUNS: Readonly<Record<string, string>> = {
  account: 'the account',
  projects: 'project',
  projectUsers: 'project',
  projectScripts: 'script in project',
  projectSessions: 'sessions of project',
  users: 'user',
  scripts: 'script',
  scriptVersions: 'script',
  sessions: 'sessions',
  webhooks: 'webhook',
  adSystems: 'ad system',
  adCheckpoints: 'checkpoint',
  chatMembers: 'chat members of project',
  tokens: 'token',
  members: 'member',
  invitations: 'invitation',
  signIns: 'sign-in',
  customers: 'account',
  tiers: 'tier',
  people: 'person',
}
/** Whole sentences for what has no noun of its own. */
const WHOLE: Readonly<Record<string, string>> = {
  'auth.password': 'signed in with the password',
  'auth.secondFactor': 'signed in with a second factor',
  'auth.passkeys.finish': 'signed in with a passkey',
  'auth.signOut': 'signed out',
  'auth.confirm': 'proved who they are',
  'auth.setUp': 'set up the account',
  'auth.reset': 'reset their password',
  'auth.invitation': 'joined the account',
  'auth.account': 'switched to this account',
  'auth.totp.begin': 'began to add a second factor',
  'auth.totp.finish': 'turned the second factor on',
  'auth.totp.remove': 'turned the second factor off',
  'projectUsers.create': 'created a user in project',
  'members.invite': 'invited a person',
  'members.leave': 'left the account',
}
const SHOWN = 3
const LONGEST = 40

export function whoDid({ actor }: AuditEntry): string {
  if (actor.kind === 'api_key') return text.apiKeyActor
  if (actor.kind === 'command_line') return text.commandLine
  if (actor.kind === 'job') return text.job
  return actor.name || text.job
}

/** What was done, without who: `edited project Garden: name A → B`. `names` has names of nouns by their ids. */
export function whatWasDone(entry: AuditEntry, names: ReadonlyMap<string, string>): string {
  const count = entry.count === null ? '' : ` (${text.rows(entry.count)})`
  const changes = Object.entries(entry.changes).slice(0, SHOWN).map(wordsOfChange)
  const details = changes.length === 0 ? '' : `: ${changes.join(', ')}`
  return `${deedOf(entry.action)}${subjectOf(entry, names)}${count}${details}`
}

export function shownValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return text.nothing
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function deedOf(action: string): string {
  const name = action.replace(/^(v1|admin)\./, '')
  const parts = name.split('.')
  const verb = VERBS[parts.at(-1) ?? '']
  const noun = NOUNS[parts.at(-2) ?? '']
  return WHOLE[name] ?? (verb === undefined ? name : `${verb}${noun === undefined ? '' : ` ${noun}`}`)
}

function subjectOf({ nouns }: AuditEntry, names: ReadonlyMap<string, string>): string {
  const ids = Object.values(nouns)
  return ids.length === 0 ? '' : ` ${ids.map((id) => names.get(id) ?? id).join(' ')}`
}

function wordsOfChange([name, change]: [string, { before?: unknown; after: unknown }]): string {
  const after = short(shownValue(change.after))
  return 'before' in change ? `${name} ${short(shownValue(change.before))} → ${after}` : `${name} ${after}`
}

function short(value: string): string {
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
}
