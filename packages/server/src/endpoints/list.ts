/** Every endpoint of every family. An endpoint that is not here does not exist; nothing else registers one. */
import { commandLine } from './auth/command-line.ts'
import { invitations } from './auth/invitations.ts'
import { links } from './auth/links.ts'
import { ownPerson } from './auth/own-person.ts'
import { passkeys } from './auth/passkeys.ts'
import { secondFactors } from './auth/second-factors.ts'
import { setUpByPasskey } from './auth/set-up-by-passkey.ts'
import { signingIn } from './auth/sign-in.ts'
import { signingUp } from './auth/sign-up.ts'
import { beat } from './client/beat.ts'
import { check } from './client/check.ts'
import { exec } from './client/exec.ts'
import { loader } from './client/loader.ts'
import type { Endpoint } from './endpoint.ts'
import { account } from './management/account.ts'
import { adCheckpoints } from './management/ad-checkpoints.ts'
import { adSystems } from './management/ad-systems.ts'
import { admin } from './management/admin.ts'
import { audit } from './management/audit.ts'
import { backups } from './management/backups.ts'
import { bans } from './management/bans.ts'
import { batches } from './management/batches.ts'
import { branding } from './management/branding.ts'
import { chatMembers } from './management/chat-members.ts'
import { denials } from './management/denials.ts'
import { limits } from './management/limits.ts'
import { whoAmI } from './management/me.ts'
import { members } from './management/members.ts'
import { newUsers } from './management/new-users.ts'
import { obfuscator } from './management/obfuscator.ts'
import { people } from './management/people.ts'
import { plans } from './management/plans.ts'
import { projectUsers } from './management/project-users.ts'
import { projects } from './management/projects.ts'
import { recentExecutions } from './management/recent-executions.ts'
import { scripts } from './management/scripts.ts'
import { serverFunctions } from './management/server-functions.ts'
import { sessions } from './management/sessions.ts'
import { statistics } from './management/statistics.ts'
import { system } from './management/system.ts'
import { tiers } from './management/tiers.ts'
import { tokens } from './management/tokens.ts'
import { traces } from './management/traces.ts'
import { userChanges } from './management/user-changes.ts'
import { userDevices } from './management/user-devices.ts'
import { userHistory } from './management/user-history.ts'
import { userImports } from './management/user-imports.ts'
import { userIssue } from './management/user-issue.ts'
import { userPauses } from './management/user-pauses.ts'
import { users } from './management/users.ts'
import { variables } from './management/variables.ts'
import { versions } from './management/versions.ts'
import { webhookAddresses } from './management/webhook-addresses.ts'
import { webhooks } from './management/webhooks.ts'
import { systemEndpoints } from './system.ts'

const management: readonly Endpoint[] = [
  ...tiers,
  ...account,
  ...tokens,
  ...projects,
  ...branding,
  ...chatMembers,
  ...plans,
  ...bans,
  ...variables,
  ...projectUsers,
  ...newUsers,
  ...userChanges,
  ...userImports,
  ...batches,
  ...users,
  ...userPauses,
  ...userIssue,
  ...userHistory,
  ...userDevices,
  ...recentExecutions,
  ...denials,
  ...scripts,
  ...versions,
  ...serverFunctions,
  ...traces,
  ...obfuscator,
  ...sessions,
  ...webhooks,
  ...webhookAddresses,
  ...adSystems,
  ...adCheckpoints,
  ...statistics,
  ...members,
  ...limits,
  ...admin,
  ...system,
  ...backups,
  ...people,
  ...whoAmI,
  ...audit,
]
const auth: readonly Endpoint[] = [
  ...signingIn,
  ...signingUp,
  ...links,
  ...invitations,
  ...ownPerson,
  ...secondFactors,
  ...passkeys,
  ...setUpByPasskey,
  ...commandLine,
]
const offered = [...management, ...auth, ...loader, ...exec, ...beat, ...check]

export const endpoints: readonly Endpoint[] = [...offered, ...systemEndpoints(offered)]
