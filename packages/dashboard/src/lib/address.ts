/** Addresses of pages. They stand in the fragment, so that links, back and reload work and no secret of a link is sent. */
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'

/** The pages of a project, in the order of the bar. */
export const PROJECT_ROOMS = [
  'overview',
  'scripts',
  'users',
  'plans',
  'variables',
  'sessions',
  'ads',
  'webhooks',
  'statistics',
  'denials',
  'bans',
  'settings',
] as const
export type ProjectRoom = (typeof PROJECT_ROOMS)[number]

type Filters = Readonly<Record<string, string | undefined>>

const ofProject = (id: string, room: ProjectRoom = 'overview', filters: Filters = {}) =>
  `#/projects/${id}${room === 'overview' ? '' : `/${room}`}${queryOf(filters)}`

export const addressOf = {
  projects: '#/',
  project: ofProject,
  script: (projectId: string, scriptId: string) => `#/projects/${projectId}/scripts/${scriptId}`,
  adSystem: (projectId: string, systemId: string) => `#/projects/${projectId}/ads/${systemId}`,
  /** The drawer of a user over the list. */
  user: (projectId: string, key: string) => ofProject(projectId, 'users', { user: key }),
  profile: '#/profile',
  account: '#/account',
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

/** Goes to an address of {@link addressOf}. Nothing goes back to the page before, also because links count once. */
export function useGoTo(): (address: string) => void {
  const { history } = useRouter()
  return (address) => history.replace(address.replace(/^#/, ''))
}

/** Opens an address of {@link addressOf} as a link would. */
export function useOpen(): (address: string) => void {
  const { history } = useRouter()
  return (address) => history.push(address.replace(/^#/, ''))
}

/** What stands behind `?` in the fragment: the filters of a list, and what is open over it. */
export function useFilters(): [Filters, (changes: Filters) => void] {
  const filters: Filters = useSearch({ strict: false })
  const navigate = useNavigate()
  // From what stands there then, because another change may be on its way.
  const search = (changes: Filters) => (before: Filters) => without({ ...before, ...changes })
  const change = (changes: Filters) =>
    void navigate({ to: '.', search: search(changes), replace: true } as never)
  return [filters, change]
}

/** As the router reads and writes what stands behind `?`: plain texts. */
export function readQuery(query: string): Filters {
  return Object.fromEntries(new URLSearchParams(query))
}

/** An address with more behind `?`. */
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
