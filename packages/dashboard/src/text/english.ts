/** Every sentence of the dashboard in English. Each room has its own file; a room of a project is a member of its name. */
import { accessText } from './en/access.ts'
import { adsText } from './en/ads.ts'
import { auditText } from './en/audit.ts'
import { catalogueText } from './en/catalogue.ts'
import { denialsText } from './en/denials.ts'
import { everywhereText } from './en/everywhere.ts'
import { frameText } from './en/frame.ts'
import { operatorsText } from './en/operators.ts'
import { overviewText } from './en/overview.ts'
import { projectsText } from './en/projects.ts'
import { refusalsText } from './en/refusals.ts'
import { rightsText } from './en/rights.ts'
import { scriptsText } from './en/scripts.ts'
import { sessionsText } from './en/sessions.ts'
import { settingsText } from './en/settings.ts'
import { statisticsText } from './en/statistics.ts'
import { usersText } from './en/users.ts'
import { webhooksText } from './en/webhooks.ts'

export const english = {
  ...everywhereText,
  ...accessText,
  ...refusalsText,
  ...auditText,
  ...rightsText,
  frame: frameText,
  projectList: projectsText,
  overview: overviewText,
  scripts: scriptsText,
  users: usersText,
  sessions: sessionsText,
  ads: adsText,
  webhooks: webhooksText,
  statistics: statisticsText,
  denials: denialsText,
  settings: settingsText,
  operators: operatorsText,
  catalogue: catalogueText,
} as const
