/** Every sentence of the dashboard in German. A sentence that is missing does not compile. */
import { accessText } from './de/access.ts'
import { adsText } from './de/ads.ts'
import { auditText } from './de/audit.ts'
import { backupsText } from './de/backups.ts'
import { bansText } from './de/bans.ts'
import { catalogueText } from './de/catalogue.ts'
import { changesText } from './de/changes.ts'
import { commandLineText } from './de/command-line.ts'
import { denialsText } from './de/denials.ts'
import { devicesText } from './de/devices.ts'
import { everywhereText } from './de/everywhere.ts'
import { frameText } from './de/frame.ts'
import { functionsText } from './de/functions.ts'
import { keyFormatsText } from './de/key-formats.ts'
import { labelsText } from './de/labels.ts'
import { operatorsText } from './de/operators.ts'
import { overviewText } from './de/overview.ts'
import { plansText } from './de/plans.ts'
import { projectsText } from './de/projects.ts'
import { refusalsText } from './de/refusals.ts'
import { rightsText } from './de/rights.ts'
import { scriptsText } from './de/scripts.ts'
import { sessionsText } from './de/sessions.ts'
import { settingsText } from './de/settings.ts'
import { statisticsText } from './de/statistics.ts'
import { usersText } from './de/users.ts'
import { announcementsText, variablesText } from './de/variables.ts'
import { webhooksText } from './de/webhooks.ts'
import type { english } from './english.ts'
import type { Words } from './words.ts'

export const german: Words<typeof english> = {
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
  denials: denialsText,
  bans: bansText,
  settings: settingsText,
  operators: operatorsText,
  login: commandLineText,
  backups: backupsText,
  catalogue: catalogueText,
  changes: changesText,
}
