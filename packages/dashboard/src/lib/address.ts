/**
 * URLs of pages. The page is in the fragment, so that links, the back button and reloads work, and secrets in
 * links are never sent to a server.
 */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

/** A project's pages, grouped and ordered as in the sidebar. */
export const ROOM_GROUPS = {
  ship: ['overview', 'scripts', 'hub', 'errors', 'releases', 'variables'],
  sell: ['users', 'plans', 'discord', 'ads'],
  watch: ['logs', 'sessions', 'statistics', 'webhooks'],
  protect: ['bans', 'leaks'],
  rest: ['settings'],
} as const
/** Includes denials, which are a view of the logs. */
export type ProjectRoom = (typeof ROOM_GROUPS)[keyof typeof ROOM_GROUPS][number] | 'denials'
export const PROJECT_ROOMS: readonly ProjectRoom[] = [...Object.values(ROOM_GROUPS).flat(), 'denials']

type Filters = Readonly<Record<string, string | undefined>>

const ofProject = (id: string, room: ProjectRoom = 'overview', filters: Filters = {}) =>
  `#/projects/${id}${room === 'overview' ? '' : `/${room}`}${queryOf(filters)}`

export const addressOf = {
  projects: '#/',
  project: ofProject,
  script: (projectId: string, scriptId: string) => `#/projects/${projectId}/scripts/${scriptId}`,
  adSystem: (projectId: string, systemId: string) => `#/projects/${projectId}/ads/${systemId}`,
  /** Opens a user's drawer. */
  user: (projectId: string, key: string) => ofProject(projectId, 'users', { user: key }),
  userPage: (projectId: string, key: string) => `${ofProject(projectId, 'users')}/${encodeURIComponent(key)}`,
  profile: '#/profile',
  apiAccess: '#/account/api',
  usage: '#/account/usage',
  tier: '#/account/tier',
  danger: '#/account/danger',
  tokens: '#/tokens',
  members: '#/members',
  audit: '#/audit',
  changes: '#/changes',
  customers: '#/operators/customers',
  tiers: '#/operators/tiers',
  system: '#/operators/system',
  reset: '#/reset',
  signUp: '#/sign-up',
} as const

/**
 * Navigates to a URL from {@link addressOf} and replaces the history entry, because the previous page may
 * have been opened through a single-use link.
 */
export function useGoTo(): (address: string) => void {
  const { history } = useRouter()
  return (address) => history.replace(address.replace(/^#/, ''))
}

/** Navigates to a URL from {@link addressOf}, like a click on a link. */
export function useOpen(): (address: string) => void {
  const { history } = useRouter()
  return (address) => history.push(address.replace(/^#/, ''))
}

/** Reads and changes the query in the fragment. It stores list filters and the open dialog. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  // Starts from the latest query, because another navigation may be in progress.
  const search = (changes: Filters) => (before: Filters) => without({ ...before, ...changes })
  const change = (changes: Filters) =>
    void navigate({ to: '.', search: search(changes), replace: true } as never)
  return [filters, change]
}

/** Parses a query into plain strings, as the router does. */
export function readQuery(query: string): Filters {
  return Object.fromEntries(new URLSearchParams(query))
}

/** Adds filters to the query of a URL. */
export function withQuery(address: string, filters: Filters): string {
  return address + queryOf(filters)
}

export function queryOf(filters: Filters): string {
  const query = new URLSearchParams(without(filters)).toString()
  return query === '' ? '' : `?${query}`
}

function without(filters: Filters): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filters).filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''),
  )
}
