/**
 * Audit log sentences by action name. Placeholders are IDs or fields of the entry; `{keys}`, `{users}` and the
 * other names in `auditCounts` are replaced by the entry's count.
 */
import { number } from '../../lib/format.ts'

const projects = {
  'v1.projects.create': 'created project {project_id}',
  'v1.projects.edit': 'edited project {project_id}',
  'v1.projects.remove': 'removed project {project_id}',
  'v1.branding.edit': 'edited the branding of project {project_id}',
  'v1.chatMembers.add': 'added people to the Discord member list of project {project_id}',
  'v1.chatMembers.remove': 'removed people from the Discord member list of project {project_id}',
  'v1.chatMembers.replace': 'replaced the Discord member list of project {project_id}',
}
const discord = {
  'v1.discord.connect': 'connected a Discord bot to project {project_id}',
  'v1.discord.install': 'installed the Discord bot of project {project_id}',
  'v1.discord.edit': 'changed the Discord staff of project {project_id}',
  'v1.discord.compare': 'compared the Discord roles of project {project_id}',
  'v1.discord.disconnect': 'disconnected the Discord bot of project {project_id}',
}
const scripts = {
  'v1.projectScripts.create': 'uploaded script {script_id} to project {project_id}',
  'v1.scripts.edit': 'edited script {script_id}',
  'v1.scripts.update': 'uploaded version {version} of script {script_id}',
  'v1.scripts.toggle': 'enabled or disabled script {script_id}',
  'v1.scripts.traceback': 'looked up an error in script {script_id}',
  'v1.scripts.trace': 'traced a leaked copy of script {script_id}',
  'v1.scripts.remove': 'removed script {script_id}',
  'v1.executorRules.edit': 'changed the executor rules for script {script_id}',
  'v1.scriptErrors.edit': 'changed the state of error {error_id} in script {script_id}',
  'v1.serverFunctions.put': 'saved function {function_name} in script {script_id}',
  'v1.serverFunctions.get': 'viewed function {function_name} in script {script_id}',
  'v1.scriptVersions.source': 'viewed the source for version {n} of script {script_id}',
  'v1.scriptVersions.compare': 'compared version {n} of script {script_id} with another version',
  'v1.scriptVersions.test': 'viewed the test for version {n} of script {script_id}',
  'v1.serverFunctions.remove': 'removed function {function_name} from script {script_id}',
  'v1.releases.start': 'released version {n} of script {script_id}',
  'v1.releases.edit': 'changed release {release_id} of script {script_id}',
  'v1.releases.pause': 'paused release {release_id} of script {script_id}',
  'v1.releases.continue': 'continued release {release_id} of script {script_id}',
  'v1.releases.rollBack': 'rolled back release {release_id} of script {script_id}',
  'v1.channels.set': 'set channel {channel} for script {script_id}',
  'v1.channels.remove': 'removed channel {channel} from script {script_id}',
  'v1.scriptVersions.edit': 'edited the notes for version {n} of script {script_id}',
  'v1.scriptVersions.yank': 'yanked version {n} of script {script_id}',
  'v1.scriptVersions.unyank': 'unyanked version {n} of script {script_id}',
  'v1.scriptVersions.activate': 'activated version {n} of script {script_id}',
}
const users = {
  'v1.projectUsers.create': 'created user {user_key} in project {project_id}',
  'v1.projectUsers.generate': 'generated {keys} in project {project_id}',
  'v1.projectUsers.import': 'imported {users} into project {project_id}',
  'v1.projectUsers.export': 'exported users from project {project_id}',
  'v1.projectUsers.compensate': 'extended {keys} by {duration} in project {project_id}',
  'v1.projectUsers.resetAll': 'reset devices for {users} in project {project_id}',
  'v1.projectUsers.purge': 'purged {unused} from project {project_id}',
  'v1.projectUsers.clear': 'removed all users from project {project_id}',
  'v1.projectUsers.bulk': 'changed {users} in bulk in project {project_id}',
  'v1.changes.undo': 'undid bulk change {change_id}',
  'v1.users.edit': 'edited user {user_key}',
  'v1.users.reset': 'reset the device of user {user_key}',
  'v1.users.link': 'linked a Discord account to user {user_key}',
  'v1.users.blacklist': 'blocked user {user_key}',
  'v1.users.unblacklist': 'unblocked user {user_key}',
  'v1.users.unlock': 'unlocked user {user_key}',
  'v1.users.remove': 'removed user {user_key}',
  'delete-expired-users': 'removed {expired} from project {project_id}',
  'v1.plans.create': 'created plan {name} in project {project_id}',
  'v1.plans.edit': 'edited plan {plan_id}',
  'v1.plans.remove': 'removed plan {plan_id}',
  'v1.users.pause': 'paused the key of user {user_key}',
  'v1.users.resume': 'resumed the key of user {user_key}',
  'v1.users.extend': 'extended the key of user {user_key} by {duration}',
  'v1.users.issue': 'marked the key of user {user_key} as handed out',
  'v1.userDevices.name': 'renamed a device of user {user_key}',
  'v1.userDevices.remove': 'removed a device of user {user_key}',
  'v1.variables.replace': 'changed variables {variables} in project {project_id}',
  'v1.announcements.create': 'posted an announcement in project {project_id}',
  'v1.announcements.remove': 'removed an announcement from project {project_id}',
  'v1.bans.create': 'blocked {banned} in project {project_id}',
  'v1.bans.edit': 'edited the block on {banned} in project {project_id}',
  'v1.bans.remove': 'unblocked {banned} in project {project_id}',
  'end-bans': 'removed expired blocks',
  'end-blacklists': 'unblocked users whose blocks had expired',
}
const sessions = {
  'v1.sessions.message': 'sent a message to session {session_id}',
  'v1.sessions.messageMany': 'sent a message to several sessions',
  'v1.sessions.disconnect': 'disconnected session {session_id}',
  'v1.sessions.disconnectMany': 'disconnected several sessions',
  'v1.projectSessions.messageAll': 'sent a message to all sessions in project {project_id}',
  'v1.projectSessions.disconnectAll': 'disconnected all sessions in project {project_id}',
}
const ads = {
  'v1.adSystems.create': 'created ad system {system_id}',
  'v1.adSystems.edit': 'edited ad system {system_id}',
  'v1.adSystems.url': 'changed the URL of ad system {system_id}',
  'v1.adSystems.remove': 'removed ad system {system_id}',
  'v1.adCheckpoints.prepare': 'prepared a step for ad system {system_id}',
  'v1.adCheckpoints.createLink': 'created a link on an ad network for ad system {system_id}',
  'v1.adCheckpoints.create': 'created step {checkpoint_id} in ad system {system_id}',
  'v1.adCheckpoints.createByGet': 'created step {checkpoint_id} in ad system {system_id}',
  'v1.adCheckpoints.edit': 'edited step {checkpoint_id}',
  'v1.adCheckpoints.swap': 'moved step {checkpoint_id}',
  'v1.adCheckpoints.remove': 'removed step {checkpoint_id}',
}
const webhooks = {
  'v1.webhooks.create': 'added a webhook endpoint to project {project_id}',
  'v1.webhooks.edit': 'edited a webhook endpoint in project {project_id}',
  'v1.webhooks.rotate': 'rotated a webhook secret in project {project_id}',
  'v1.webhooks.remove': 'removed a webhook endpoint from project {project_id}',
  'v1.webhooks.recover': 'replayed {events} to a webhook endpoint in project {project_id}',
  'v1.webhooks.test': 'tested a webhook in project {project_id}',
  'v1.webhooks.redeliver': 'resent delivery {delivery_id} in project {project_id}',
}
const team = {
  'v1.members.invite': 'invited {email} as {role}',
  'v1.invitations.withdraw': 'withdrew invitation {invitation_id}',
  'v1.auth.invitation': 'accepted an invitation',
  'v1.members.edit': 'edited member {member_id}',
  'v1.members.remove': 'removed member {member_id}',
  'v1.members.leave': 'left the account',
  'v1.tokens.create': 'created token {token_id}',
  'v1.tokens.edit': 'edited token {token_id}',
  'v1.tokens.rotate': 'rotated the secret of token {token_id}',
  'v1.tokens.revoke': 'revoked token {token_id}',
  'v1.me.revoke': 'revoked itself',
  refused: 'was denied {operation}',
  'v1.auth.commandLine': 'authorized “{name}” for the command line',
  'v1.tokens.exchange': 'received token {token_id} on the command line',
}
const account = {
  'v1.account.edit': 'edited the account',
  'v1.account.resetKey': 'replaced the API key',
  'v1.account.takeKey': 'viewed the new API key',
  'v1.auth.account': 'switched to this account',
  'v1.auth.setUp': 'used a setup link to create a login',
  'v1.auth.setUp.passkeyFinish': 'used a setup link to create a login with a passkey',
  'v1.auth.signUp': 'signed up',
  'v1.auth.signUp.confirm': 'confirmed their sign-up',
}
const signIns = {
  'v1.auth.password': 'signed in with a password',
  'v1.auth.secondFactor': 'signed in with a password and 2FA',
  'v1.auth.passkeys.finish': 'signed in with a passkey',
  'v1.auth.signOut': 'signed out',
  'v1.auth.confirm': 'confirmed their identity',
  'v1.auth.passkeys.confirm': 'confirmed their identity with a passkey',
  'v1.signIns.end': 'ended dashboard session {sign_in_id}',
  'v1.signIns.endOthers': 'signed out everywhere else',
  'v1.auth.reset.request': 'requested a password reset',
  'v1.auth.objection': 'restored their owner role',
  'v1.auth.reset': 'reset their password with a link',
  'v1.auth.password.change': 'changed their password',
  'v1.auth.person.edit': 'edited their profile',
  'v1.auth.person.email': 'changed their email',
  'v1.auth.totp.begin': 'started setting up 2FA',
  'v1.auth.totp.finish': 'turned on 2FA',
  'v1.auth.totp.remove': 'turned off 2FA',
  'v1.auth.recoveryCodes.new': 'generated new backup codes',
  'v1.auth.passkeys.addFinish': 'added passkey {passkey_id}',
  'v1.auth.passkeys.edit': 'renamed passkey {passkey_id}',
  'v1.auth.passkeys.remove': 'removed passkey {passkey_id}',
}
const operators = {
  'admin.customers.create': 'created account {id}',
  'admin.customers.remove': 'removed account {id}',
  'admin.tiers.put': 'saved service tier {id}',
  'admin.tiers.remove': 'removed service tier {id}',
  'admin.backups.make': 'created a backup',
  'admin.backups.download': 'created a download link for backup {backup_name}',
  'admin.backups.remove': 'removed backup {backup_name}',
  'admin.mail.test': 'sent a test email to {to}',
  'admin.people.objection': 'created an owner restore link for {id}',
  'admin.people.reset': 'created a password reset link for {id}',
  'admin.people.disable': 'disabled dashboard user {id}',
  'admin.people.enable': 'enabled dashboard user {id}',
  'admin.customers.edit': 'edited this account as an operator',
  'admin.customers.blacklist': 'blocked this account',
  'admin.customers.unblacklist': 'unblocked this account',
  'admin.customers.resetKey': 'replaced the API key as an operator',
}

const counted = (one: string, many: string) => (count: number | null) =>
  count === null ? many : count === 1 ? `1 ${one}` : `${number(count)} ${many}`

/** In the order of the filter's options. */
export const auditActions = {
  projects,
  discord,
  scripts,
  users,
  sessions,
  ads,
  webhooks,
  team,
  account,
  signIns,
  operators,
} as const
/** The operators' log covers all accounts, so these sentences include the account. */
export const auditActionsOnOthers = {
  'admin.customers.edit': 'edited account {id}',
  'admin.customers.blacklist': 'blocked account {id}',
  'admin.customers.unblacklist': 'unblocked account {id}',
  'admin.customers.resetKey': 'replaced the API key for account {id}',
} as const
/** Sentences for actions whose meaning depends on one field of the entry, keyed by that field's value. */
export const auditVariants = {
  'v1.scripts.toggle': {
    field: 'state',
    sentences: { true: 'enabled script {script_id}', false: 'disabled script {script_id}' },
  },
  'v1.projectUsers.bulk': {
    field: 'action',
    sentences: {
      extend: 'extended {keys} by {duration} in project {project_id}',
      pause: 'paused {keys} in project {project_id}',
      resume: 'resumed {keys} in project {project_id}',
      blacklist: 'blocked {users} in project {project_id}',
      unblacklist: 'unblocked {users} in project {project_id}',
      tag: 'added tags {tags} to {users} in project {project_id}',
      untag: 'removed tags {tags} from {users} in project {project_id}',
      plan: 'changed the plan for {keys} to {plan_id} in project {project_id}',
      reset: 'reset devices for {users} in project {project_id}',
      remove: 'removed {users} from project {project_id}',
    },
  },
} as const
export const auditCounts = {
  keys: counted('key', 'keys'),
  users: counted('user', 'users'),
  unused: counted('unused user', 'unused users'),
  expired: counted('expired user', 'expired users'),
  events: counted('event', 'events'),
} as const
/** Field names that read better than the API's own. */
export const auditFields = { clock: 'valid', provider: 'network' } as Readonly<Record<string, string>>
/** Sentence for actions that have no sentence of their own. */
export const otherAction = (action: string) => `performed ${action}`
export const noEntriesYet = 'No activity yet'
export const noEntriesYetHint = 'Changes made by your team, tokens or the API key appear here.'
export const tokenActor = (name: string) => `Token “${name}”`
export const chatActor = (name: string) => `${name} on Discord`
export const keyActor = (name: string) => `API key ${name}`
export const hiddenValue = 'hidden'
export const yes = 'yes'
export const no = 'no'
export const moreChanges = (count: number) => (count === 1 ? 'and 1 more' : `and ${number(count)} more`)
export const auditSentence = {
  allChanges: 'Changes',
  by: 'by',
  anyone: 'anyone',
  to: 'to',
  anything: 'anything',
  time: 'from',
  period: 'Period',
  allTime: 'the entire log',
  lastDays: (days: number) => (days === 1 ? 'today' : `the last ${days} days`),
  since: (day: string) => `${day} onward`,
  until: (day: string) => `the start of the log to ${day}`,
  between: (from: string, to: string) => `${from} to ${to}`,
  chooseDays: 'Choose days',
  show: 'Show entries',
} as const
export const nounHint = "ID of a project, script, token and so on. For a user, the key's first 4 characters."
export const onlyThis = (name: string) => `Filter by ${name}`
export const onlyThisShort = 'Filter'
export const entryId = 'Entry ID'
export const by = 'Who'
export const memberName = 'Field'
export const notChainedYet = 'Pending'
export const exporting = 'Exporting…'
export const entryCount = (count: number, isAll: boolean) => {
  const entries = count === 1 ? '1 entry' : `${number(count)} entries`
  return isAll ? entries : `Latest ${entries}`
}
export const verifyTitle = 'Verify the log'
export const verifyBefore =
  'Each entry includes the hash of the previous one, so changing, removing or inserting a row in the database breaks the chain. To check, an operator can run'
