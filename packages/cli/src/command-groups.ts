/** Lists all commands for authors by group, in the order of `scriptward help`. */

import type { Command } from 'commander'
import type { Surroundings } from './cli.ts'
import { addAds } from './commands/ads.ts'
import { addAnnouncements } from './commands/announcements.ts'
import { addCompletion } from './commands/completion.ts'
import { addDiscord } from './commands/discord.ts'
import { addHelp } from './commands/help.ts'
import { addLogin } from './commands/login.ts'
import { addLogout } from './commands/logout.ts'
import { addLogs } from './commands/logs.ts'
import { addOpen } from './commands/open.ts'
import { addPlans } from './commands/plans.ts'
import { addProjects } from './commands/projects.ts'
import { addChannels } from './commands/scripts/channels.ts'
import { addDiff } from './commands/scripts/diff.ts'
import { addErrors } from './commands/scripts/errors.ts'
import { addExecutors } from './commands/scripts/executors.ts'
import { addFunctions } from './commands/scripts/functions.ts'
import { addHealth } from './commands/scripts/health.ts'
import { addHub } from './commands/scripts/hub.ts'
import { addInit } from './commands/scripts/init.ts'
import { addObfuscate } from './commands/scripts/obfuscate.ts'
import { addPush } from './commands/scripts/push.ts'
import { addReleases } from './commands/scripts/releases.ts'
import { addRun } from './commands/scripts/run.ts'
import { addScripts } from './commands/scripts/scripts.ts'
import { addTrace } from './commands/scripts/trace.ts'
import { addTraceback } from './commands/scripts/traceback.ts'
import { addTraces } from './commands/scripts/traces.ts'
import { addActivate, addVersions, addYank } from './commands/scripts/versions.ts'
import { addStats } from './commands/stats.ts'
import { addTokens } from './commands/tokens.ts'
import { addTry } from './commands/try.ts'
import { addUpgrade } from './commands/upgrade.ts'
import { addBans } from './commands/users/bans.ts'
import { addChanges } from './commands/users/changes.ts'
import { addDenials } from './commands/users/denials.ts'
import { addSessions } from './commands/users/sessions.ts'
import { addUsers } from './commands/users/users.ts'
import { addVariables } from './commands/variables.ts'
import { addVersion } from './commands/version.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { addWhoami } from './commands/whoami.ts'

export type AddCommand = (program: Command, around: Surroundings) => void

export const groups: readonly { readonly name: string; readonly commands: readonly AddCommand[] }[] = [
  { name: 'Account:', commands: [addLogin, addLogout, addWhoami, addOpen, addProjects, addTokens] },
  {
    name: 'Scripts:',
    commands: [
      ...[addInit, addPush, addRun, addScripts, addVersions, addActivate],
      ...[addReleases, addChannels, addHub],
      ...[addYank, addDiff],
      ...[addFunctions, addHealth, addErrors, addExecutors, addTraceback, addTrace, addTraces],
    ],
  },
  {
    name: 'Users:',
    commands: [
      ...[addUsers, addPlans, addVariables, addAnnouncements, addBans, addChanges],
      ...[addSessions, addLogs, addDenials, addStats, addAds, addDiscord, addWebhooks],
    ],
  },
  { name: 'Local:', commands: [addObfuscate, addTry] },
  { name: 'Help:', commands: [addCompletion, addVersion, addUpgrade, addHelp] },
]
