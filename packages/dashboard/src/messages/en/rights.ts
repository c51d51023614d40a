/** Messages for choosing permissions, projects and limits, for tokens and team members. */
import { number } from '../../lib/format.ts'

export const quickChoices = 'Presets'
export const quicks = {
  deploy: 'Deploy scripts',
  issue: 'Issue keys',
  help: 'Support users',
  statistics: 'View statistics',
} as const
export const clearRights = 'Clear all'
export const onlyYours = "Permissions you don't have aren't listed."
export const includedIn = (right: string) => `included in ${right}`
export const rightsNouns = {
  account: 'Account',
  projects: 'Projects',
  scripts: 'Scripts',
  users: 'Users',
  sessions: 'Sessions',
  ads: 'Ads',
  webhooks: 'Webhooks',
  statistics: 'Statistics',
  tokens: 'Tokens',
  members: 'Members',
  audit: 'Audit log',
  admin: 'Server',
} as Readonly<Record<string, string>>
export const rightTexts = {
  'account:read': 'View the account, its service tier and totals.',
  'account:write': 'Replace the API key and change account settings.',
  'projects:read': 'View projects.',
  'projects:write': 'Create, edit and remove projects.',
  'scripts:read': 'View scripts and versions, without their source.',
  'scripts:write': 'Upload, edit, enable, disable and remove scripts.',
  'scripts:source': 'View source code and tests, and trace leaked copies.',
  'users:read': 'View users, their devices and denials.',
  'users:write': 'Create, edit, block and remove individual users, and reset their devices.',
  'users:issue': 'Create users and generate keys, but nothing else.',
  'users:bulk': 'Import, export, purge, clear and extend all users in a project, and reset their devices.',
  'sessions:read': 'View live sessions.',
  'sessions:write': 'Disconnect live sessions and send messages to them.',
  'ads:read': 'View ad systems, steps and their statistics.',
  'ads:write': 'Create, edit and remove ad systems and steps.',
  'webhooks:read': 'View webhook endpoints (without secrets) and deliveries.',
  'webhooks:write': 'Add, edit, test and remove webhook endpoints, and resend deliveries.',
  'statistics:read': 'View run and executor statistics.',
  'tokens:read': 'View tokens, without their secrets.',
  'tokens:write': 'Create, edit, rotate and revoke tokens.',
  'members:read': 'View team members and invitations.',
  'members:write': 'Invite, edit and remove team members.',
  'audit:read': 'View the audit log.',
  admin: 'Operate the server: accounts, service tiers and dashboard users.',
} as Readonly<Record<string, string>>
export const andMore = (count: number) => `and ${number(count)} more`
export const findProject = 'Find a project'
export const noProjectsToChoose = 'No projects available.'
export const projectGone = 'removed project'
export const restricted = "You have access only to these projects, so you can't grant access to others."
export const expiryDate = 'Last day'
export const onDate = 'on a date'
export const asItIs = (when: string) => `unchanged: ${when}`
export const chooseDate = 'Choose a date in the future.'
export const expiresAt = (when: string) => `expires ${when}`
export const expiresNever = 'never expires'
export const startOf = (start: string) => `${start}…`
export const tryIt = 'Try it'
export const tryItHint = "Returns the token's permissions. Send the token in this header with every request."
export const copyCurl = 'Copy command'
export const rotateNow = 'Rotate secret'
export const chooseRole = 'Choose a role.'
export const notYourRole = "You can't assign this role: it has more permissions than you."
export const maxKeysHint =
  "Maximum number of keys they can have at a time. Leave empty to apply only your service tier's limit."
export const keysUpTo = (count: number) => (count === 1 ? 'up to 1 key' : `up to ${number(count)} keys`)
export const resellerProject = "Reseller's project"
export const leaveInstead = 'This is you. You can leave the account under Danger zone.'
export const invitedAt = (when: string) => `invited ${when}`
export const linkUntil = (when: string) => `link expires ${when}`
export const withdrawTitle = (email: string) => `Withdraw the invitation for ${email}?`
export const withdrawText = 'The link stops working immediately. You can invite them again.'
