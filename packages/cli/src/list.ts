/** Every command of authors in its group, in the order in which `scriptward help` shows them. */

import type { Command } from 'commander'
import type { Surroundings } from './cli.ts'
import { addAnnouncements } from './commands/announcements.ts'
import { addBans } from './commands/bans.ts'
import { addChanges } from './commands/changes.ts'
import { addCompletion } from './commands/completion.ts'
import { addDenials } from './commands/denials.ts'
import { addFunctions } from './commands/functions.ts'
import { addHelp } from './commands/help.ts'
import { addInit } from './commands/init.ts'
import { addLogin } from './commands/login.ts'
import { addLogout } from './commands/logout.ts'
import { addLogs } from './commands/logs.ts'
import { addObfuscate } from './commands/obfuscate.ts'
import { addOpen } from './commands/open.ts'
import { addPlans } from './commands/plans.ts'
import { addProjects } from './commands/projects.ts'
import { addPush } from './commands/push.ts'
import { addRun } from './commands/run.ts'
import { addScripts } from './commands/scripts.ts'
import { addSessions } from './commands/sessions.ts'
import { addStats } from './commands/stats.ts'
import { addTokens } from './commands/tokens.ts'
import { addTrace } from './commands/trace.ts'
import { addTraceback } from './commands/traceback.ts'
import { addUsers } from './commands/users.ts'
import { addVariables } from './commands/variables.ts'
import { addVersion } from './commands/version.ts'
import { addActivate, addVersions } from './commands/versions.ts'
import { addWebhooks } from './commands/webhooks.ts'
import { addWhoami } from './commands/whoami.ts'

export type AddCommand = (program: Command, around: Surroundings) => void

export const groups: readonly { readonly name: string; readonly commands: readonly AddCommand[] }[] = [
  { name: 'Account:', commands: [addLogin, addLogout, addWhoami, addOpen, addProjects, addTokens] },
  {
    name: 'Scripts:',
    commands: [
      ...[addInit, addPush, addRun, addScripts, addVersions, addActivate],
      ...[addFunctions, addTraceback, addTrace],
    ],
  },
  {
    name: 'Users:',
    commands: [
      ...[addUsers, addPlans, addVariables, addAnnouncements, addBans, addChanges],
      ...[addSessions, addLogs, addDenials, addStats, addWebhooks],
    ],
  },
  { name: 'Without a service:', commands: [addObfuscate] },
  { name: 'Help:', commands: [addCompletion, addVersion, addHelp] },
]
