/** The permission that each page of a project requires. */
import type { ProjectRoom } from '../lib/address.ts'

export const NEEDS: Readonly<Record<ProjectRoom, string>> = {
  overview: 'projects:read',
  scripts: 'scripts:read',
  hub: 'scripts:read',
  errors: 'scripts:read',
  releases: 'scripts:read',
  leaks: 'scripts:source',
  users: 'users:read',
  plans: 'users:read',
  discord: 'projects:read',
  variables: 'projects:read',
  sessions: 'sessions:read',
  ads: 'ads:read',
  webhooks: 'webhooks:read',
  statistics: 'statistics:read',
  logs: 'users:read',
  denials: 'users:read',
  bans: 'users:read',
  settings: 'projects:read',
}
