/**
 * The sentences of the audit log: what each action did, by its name. Words in braces are ids that the entry names, or members
 * that it changed.
 */
import { number } from '../../format.ts'

const projects = {
  'v1.projects.create': 'created project {project_id}',
  'v1.projects.edit': 'edited project {project_id}',
  'v1.projects.remove': 'removed project {project_id}',
  'v1.branding.edit': 'edited the branding of project {project_id}',
  'v1.chatMembers.add': 'added members of the chat to project {project_id}',
  'v1.chatMembers.remove': 'removed members of the chat from project {project_id}',
  'v1.chatMembers.replace': 'replaced the chat’s members of project {project_id}',
}
const scripts = {
  'v1.projectScripts.create': 'uploaded script {script_id} to project {project_id}',
  'v1.scripts.edit': 'edited script {script_id}',
  'v1.scripts.update': 'uploaded version {version} of script {script_id}',
  'v1.scripts.toggle': 'switched script {script_id}',
  'v1.scripts.traceback': 'looked up an error of script {script_id}',
  'v1.scripts.trace': 'traced a leaked copy of script {script_id}',
  'v1.scripts.remove': 'removed script {script_id}',
  'v1.scriptVersions.activate': 'activated version {n} of script {script_id}',
}
const users = {
  'v1.projectUsers.create': 'created user {user_key} in project {project_id}',
  'v1.projectUsers.generate': 'generated users of project {project_id}',
  'v1.projectUsers.import': 'imported users of project {project_id}',
  'v1.projectUsers.export': 'exported the users of project {project_id}',
  'v1.projectUsers.compensate': 'gave more time to users of project {project_id}',
  'v1.projectUsers.resetAll': 'reset the devices of all users of project {project_id}',
  'v1.projectUsers.purge': 'purged users of project {project_id}',
  'v1.projectUsers.clear': 'removed all users of project {project_id}',
  'v1.users.edit': 'edited user {user_key}',
  'v1.users.reset': 'reset the device of user {user_key}',
  'v1.users.link': 'linked user {user_key}',
  'v1.users.blacklist': 'blacklisted user {user_key}',
  'v1.users.unblacklist': 'lifted the blacklist entry of user {user_key}',
  'v1.users.unlock': 'unlocked user {user_key}',
  'v1.users.remove': 'removed user {user_key}',
  'delete-expired-users': 'removed expired users of project {project_id}',
  'end-blacklists': 'ended blacklist entries that had run out',
}
const sessions = {
  'v1.sessions.message': 'sent a message to session {session_id}',
  'v1.sessions.messageMany': 'sent a message to several sessions',
  'v1.sessions.disconnect': 'ended session {session_id}',
  'v1.sessions.disconnectMany': 'ended several sessions',
  'v1.projectSessions.message': 'sent a message to all sessions of project {project_id}',
  'v1.projectSessions.disconnect': 'ended all sessions of project {project_id}',
}
const ads = {
  'v1.adSystems.create': 'created ad system {system_id}',
  'v1.adSystems.edit': 'edited ad system {system_id}',
  'v1.adSystems.url': 'changed the address of ad system {system_id}',
  'v1.adSystems.remove': 'removed ad system {system_id}',
  'v1.adCheckpoints.prepare': 'prepared a checkpoint of ad system {system_id}',
  'v1.adCheckpoints.create': 'created checkpoint {checkpoint_id} of ad system {system_id}',
  'v1.adCheckpoints.createByGet': 'created checkpoint {checkpoint_id} of ad system {system_id}',
  'v1.adCheckpoints.edit': 'edited checkpoint {checkpoint_id}',
  'v1.adCheckpoints.swap': 'moved checkpoint {checkpoint_id}',
  'v1.adCheckpoints.remove': 'removed checkpoint {checkpoint_id}',
}
const webhooks = {
  'v1.webhooks.test': 'tested a webhook of project {project_id}',
  'v1.webhooks.redeliver': 'sent delivery {delivery_id} of project {project_id} again',
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
  'v1.tokens.rotate': 'gave token {token_id} a new secret',
  'v1.tokens.revoke': 'revoked token {token_id}',
}
const account = {
  'v1.account.edit': 'edited the account',
  'v1.account.resetKey': 'replaced the API key',
  'v1.auth.account': 'switched to this account',
  'v1.auth.setUp': 'set up their sign-in by link',
  'v1.auth.setUp.passkeyFinish': 'set up their sign-in by link, with a passkey',
  'v1.auth.signUp': 'signed up',
  'v1.auth.signUp.confirm': 'confirmed their sign-up',
}
const signIns = {
  'v1.auth.password': 'signed in with a password',
  'v1.auth.secondFactor': 'signed in with a password and second factor',
  'v1.auth.passkeys.finish': 'signed in with a passkey',
  'v1.auth.signOut': 'signed out',
  'v1.auth.confirm': 'proved who they are',
  'v1.auth.passkeys.confirm': 'proved who they are with a passkey',
  'v1.signIns.end': 'ended sign-in {sign_in_id}',
  'v1.signIns.endOthers': 'ended all their other sign-ins',
  'v1.auth.reset.request': 'asked for a new password',
  'v1.auth.reset': 'reset their password by link',
  'v1.auth.password.change': 'changed their password',
  'v1.auth.person.edit': 'edited their profile',
  'v1.auth.person.email': 'changed their e-mail',
  'v1.auth.totp.begin': 'began to add a second factor',
  'v1.auth.totp.finish': 'added a second factor',
  'v1.auth.totp.remove': 'turned their second factor off',
  'v1.auth.recoveryCodes.new': 'made new recovery codes',
  'v1.auth.passkeys.addFinish': 'added passkey {passkey_id}',
  'v1.auth.passkeys.edit': 'renamed passkey {passkey_id}',
  'v1.auth.passkeys.remove': 'removed passkey {passkey_id}',
}
const operators = {
  'admin.customers.create': 'created account {id}',
  'admin.customers.remove': 'removed account {id}',
  'admin.tiers.put': 'saved tier {id}',
  'admin.tiers.remove': 'removed tier {id}',
  'admin.people.reset': 'made a link for a new password of person {id}',
  'admin.people.disable': 'disabled person {id}',
  'admin.people.enable': 'enabled person {id}',
  'admin.customers.edit': 'edited this account as an operator',
  'admin.customers.blacklist': 'blacklisted this account',
  'admin.customers.unblacklist': 'lifted the blacklist entry of this account',
  'admin.customers.resetKey': 'replaced the API key as an operator',
}

export const auditText = {
  auditGroups: {
    projects: 'Projects',
    scripts: 'Scripts',
    users: 'User keys',
    sessions: 'Sessions',
    ads: 'Ads',
    webhooks: 'Webhooks',
    team: 'Members and tokens',
    account: 'Account',
    signIns: 'Signing in',
    operators: 'Operators',
  },
  /** By group, as they are offered to choose from. */
  auditActions: { projects, scripts, users, sessions, ads, webhooks, team, account, signIns, operators },
  /** Of an action that has no sentence of its own; it is shown by its name. */
  otherAction: (action: string) => `did ${action}`,
  noEntriesYet: 'Nothing was changed yet',
  noEntriesYetHint: 'Whatever people, tokens or the API key change in this account is listed here.',
  tokenActor: (name: string) => `Token “${name}”`,
  keyActor: (name: string) => `The API key ${name}`,
  hiddenValue: 'hidden',
  yes: 'yes',
  no: 'no',
  moreChanges: (count: number) => (count === 1 ? 'and 1 more' : `and ${number(count)} more`),
  nounHint: 'A project, script, token… Of a user the first 4 characters of the key.',
  onlyThis: (name: string) => `Only this: ${name}`,
  onlyThisShort: 'Only this',
  entryId: 'Entry',
  by: 'Who',
  memberName: 'Member',
  noChanges: 'It has no changed members.',
  notChainedYet: 'in a second',
  exporting: 'Exporting…',
  entryCount: (count: number, isAll: boolean) => {
    const entries = count === 1 ? '1 entry' : `${number(count)} entries`
    return isAll ? entries : `The newest ${entries}`
  },
  verifyTitle: 'How you can trust it',
  verifyBefore:
    'The hash of each entry covers the entry and the hash of the one before. A row that is changed, removed or inserted in the database breaks the chain. An operator finds the place with',
} as const
