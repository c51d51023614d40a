/** Every migration in the order in which they run. Databases remember the names, so they never change. */
import type { Migration } from 'kysely/migration'
import { initial } from './0001-initial.ts'
import { access } from './0002-access.ts'
import { dashboard } from './0003-dashboard.ts'
import { lists } from './0004-lists.ts'
import { branding } from './0005-branding.ts'
import { lineMaps } from './0006-line-maps.ts'
import { days } from './0007-days.ts'
import { sessions } from './0008-sessions.ts'

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-access': access,
  '0003-dashboard': dashboard,
  '0004-lists': lists,
  '0005-branding': branding,
  '0006-line-maps': lineMaps,
  '0007-days': days,
  '0008-sessions': sessions,
}
