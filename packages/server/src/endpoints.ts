/**
 * Every endpoint of both API families. An endpoint that isn't listed doesn't exist, because nothing else
 * registers endpoints.
 */

import type { Endpoint } from './api/endpoint.ts'
import { tokens } from './features/access/endpoints.ts'
import { account } from './features/accounts/endpoints/account.ts'
import { admin } from './features/accounts/endpoints/admin.ts'
import { limits } from './features/accounts/endpoints/limits.ts'
import { whoAmI } from './features/accounts/endpoints/me.ts'
import { statistics } from './features/accounts/endpoints/statistics.ts'
import { tiers } from './features/accounts/endpoints/tiers.ts'
import { adCheckpoints } from './features/ads/endpoints/ad-checkpoints.ts'
import { adSetup } from './features/ads/endpoints/ad-setup.ts'
import { adSystems } from './features/ads/endpoints/ad-systems.ts'
import { audit } from './features/audit/endpoints.ts'
import { backups } from './features/backups/endpoints.ts'
import { bans } from './features/bans/endpoints.ts'
import { changes } from './features/changes/endpoints/changes.ts'
import { userChanges } from './features/changes/endpoints/user-changes.ts'
import { userDevices } from './features/devices/endpoints.ts'
import { interactions } from './features/discord/endpoints/interactions.ts'
import { discord } from './features/discord/endpoints/settings.ts'
import { scriptErrors } from './features/errors/endpoints.ts'
import { beat } from './features/executions/endpoints/beat.ts'
import { check } from './features/executions/endpoints/check.ts'
import { denials } from './features/executions/endpoints/denials.ts'
import { exec } from './features/executions/endpoints/exec.ts'
import { library } from './features/executions/endpoints/library.ts'
import { loader } from './features/executions/endpoints/loader.ts'
import { executionLog } from './features/executions/endpoints/log.ts'
import { executors } from './features/executors/endpoints.ts'
import { serverFunctions } from './features/functions/endpoints.ts'
import { health } from './features/health/endpoints.ts'
import { hub } from './features/hub/endpoints.ts'
import { userImports } from './features/imports/endpoints.ts'
import { newUsers } from './features/keys/endpoints/new-users.ts'
import { projectUsers } from './features/keys/endpoints/project-users.ts'
import { userHistory } from './features/keys/endpoints/user-history.ts'
import { userIssue } from './features/keys/endpoints/user-issue.ts'
import { userPauses } from './features/keys/endpoints/user-time-left.ts'
import { users } from './features/keys/endpoints/users.ts'
import { commandLine } from './features/people/endpoints/command-line.ts'
import { invitations } from './features/people/endpoints/invitations.ts'
import { links } from './features/people/endpoints/links.ts'
import { members } from './features/people/endpoints/members.ts'
import { ownPerson } from './features/people/endpoints/own-person.ts'
import { passkeys } from './features/people/endpoints/passkeys.ts'
import { people } from './features/people/endpoints/people.ts'
import { secondFactors } from './features/people/endpoints/second-factors.ts'
import { setUpByPasskey } from './features/people/endpoints/set-up-by-passkey.ts'
import { signingIn } from './features/people/endpoints/sign-in.ts'
import { signingUp } from './features/people/endpoints/sign-up.ts'
import { plans } from './features/plans/endpoints.ts'
import { branding } from './features/projects/endpoints/branding.ts'
import { chatMembers } from './features/projects/endpoints/chat-members.ts'
import { projects } from './features/projects/endpoints/projects.ts'
import { releases } from './features/releases/endpoints.ts'
import { activity } from './features/scripts/endpoints/activity.ts'
import { obfuscator } from './features/scripts/endpoints/obfuscator.ts'
import { scripts } from './features/scripts/endpoints/scripts.ts'
import { versions } from './features/scripts/endpoints/versions.ts'
import { sessions } from './features/sessions/endpoints.ts'
import { system } from './features/system/endpoints.ts'
import { systemEndpoints } from './features/system/public-endpoints.ts'
import { traces } from './features/traces/endpoints.ts'
import { variables } from './features/variables/endpoints.ts'
import { views } from './features/views/endpoints.ts'
import { webhookAddresses } from './features/webhooks/endpoints/webhook-addresses.ts'
import { webhooks } from './features/webhooks/endpoints/webhooks.ts'

const management: readonly Endpoint[] = [
  ...tiers,
  ...account,
  ...tokens,
  ...projects,
  ...branding,
  ...chatMembers,
  ...discord,
  ...plans,
  ...bans,
  ...variables,
  ...views,
  ...projectUsers,
  ...newUsers,
  ...userChanges,
  ...userImports,
  ...changes,
  ...users,
  ...userPauses,
  ...userIssue,
  ...userHistory,
  ...userDevices,
  ...executionLog,
  ...health,
  ...denials,
  ...executors,
  ...scripts,
  ...versions,
  ...releases,
  ...serverFunctions,
  ...traces,
  ...scriptErrors,
  ...activity,
  ...obfuscator,
  ...sessions,
  ...webhooks,
  ...webhookAddresses,
  ...adSystems,
  ...adCheckpoints,
  ...adSetup,
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
const offered = [
  ...management,
  ...auth,
  ...loader,
  ...hub,
  ...exec,
  ...beat,
  ...check,
  ...library,
  ...interactions,
]

export const endpoints: readonly Endpoint[] = [...offered, ...systemEndpoints(offered)]
