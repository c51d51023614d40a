/** Every sentence of the dashboard in German. A sentence that is missing does not compile. */
import { accessText } from './de/access.ts'
import { adsText } from './de/ads.ts'
import { auditText } from './de/audit.ts'
import { catalogueText } from './de/catalogue.ts'
import { denialsText } from './de/denials.ts'
import { everywhereText } from './de/everywhere.ts'
import { frameText } from './de/frame.ts'
import { operatorsText } from './de/operators.ts'
import { overviewText } from './de/overview.ts'
import { projectsText } from './de/projects.ts'
import { refusalsText } from './de/refusals.ts'
import { rightsText } from './de/rights.ts'
import { scriptsText } from './de/scripts.ts'
import { sessionsText } from './de/sessions.ts'
import { settingsText } from './de/settings.ts'
import { statisticsText } from './de/statistics.ts'
import { usersText } from './de/users.ts'
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
  users: usersText,
  sessions: sessionsText,
  ads: adsText,
  webhooks: webhooksText,
  statistics: statisticsText,
  denials: denialsText,
  settings: settingsText,
  operators: operatorsText,
  catalogue: catalogueText,
}
