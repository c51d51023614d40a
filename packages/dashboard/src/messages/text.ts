/** All texts of the dashboard. Each section has its own file and field. */
import { accessText, commandLineText } from './en/access.ts'
import { adsText } from './en/ads.ts'
import { auditText } from './en/audit.ts'
import { bansText } from './en/bans.ts'
import { changesText } from './en/changes.ts'
import { denialsText } from './en/denials.ts'
import { devicesText } from './en/devices.ts'
import { reportedText } from './en/errors.ts'
import { everywhereText } from './en/everywhere.ts'
import { executorsText } from './en/executors.ts'
import { frameText } from './en/frame.ts'
import { healthText } from './en/health.ts'
import { keyFormatsText, labelsText } from './en/keys.ts'
import { logsText } from './en/logs.ts'
import { backupsText, operatorsText } from './en/operators.ts'
import { overviewText } from './en/overview.ts'
import { plansText } from './en/plans.ts'
import { projectsText } from './en/projects.ts'
import { refusalsText } from './en/refusals.ts'
import { releasesText } from './en/releases.ts'
import { rightsText } from './en/rights.ts'
import { functionsText, scriptsText } from './en/scripts.ts'
import { sessionsText } from './en/sessions.ts'
import { settingsText } from './en/settings.ts'
import { statisticsText } from './en/statistics.ts'
import { usersText } from './en/users.ts'
import { announcementsText, variablesText } from './en/variables.ts'
import { webhooksText } from './en/webhooks.ts'

export const text = {
  ...everywhereText,
  ...accessText,
  ...refusalsText,
  ...auditText,
  ...rightsText,
  frame: frameText,
  projectList: projectsText,
  overview: overviewText,
  scripts: scriptsText,
  functions: functionsText,
  reported: reportedText,
  users: usersText,
  devices: devicesText,
  keyFormats: keyFormatsText,
  labels: labelsText,
  plans: plansText,
  variables: variablesText,
  announcements: announcementsText,
  sessions: sessionsText,
  ads: adsText,
  webhooks: webhooksText,
  statistics: statisticsText,
  logs: logsText,
  health: healthText,
  releases: releasesText,
  executors: executorsText,
  denials: denialsText,
  bans: bansText,
  settings: settingsText,
  operators: operatorsText,
  login: commandLineText,
  backups: backupsText,
  changes: changesText,
} as const
