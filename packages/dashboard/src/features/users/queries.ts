/** Queries for the user pages, and cache updates that make reloading every page unnecessary. */
import type { UserStatus } from '@scriptward/client/user-statuses'
import {
  type V1ProjectUsersCountsResponse,
  v1ProjectUsersCounts,
  v1ProjectUsersFilter,
  v1ProjectUsersList,
  v1UsersGet,
} from '@scriptward/sdk'
import { type InfiniteData, useQuery, useQueryClient } from '@tanstack/react-query'
import { listQuery, useListQuery } from '../../components/table/use-list.ts'
import { type Calling, useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { conditionsIn, sortingIn } from './filters.ts'
import { FIRST_PAGE } from './first-page.ts'
import type { User } from './user.ts'

type Filters = Readonly<Record<string, string | undefined>>
export type Counts = V1ProjectUsersCountsResponse['counts']
type Page = { readonly rows: readonly User[]; readonly next: string | null; readonly total?: number }
type Pages = InfiniteData<Page>

const PAGE = 100
/** The API charges a count as ten requests, because counting reads every user. */
const COUNT_MS = 60_000

export const listKey = (projectId: string) => ['users', projectId]
const countsKey = (projectId: string) => ['user counts', projectId]
export const userKey = (key: string) => ['user', key]

export function useUsers(given: Filters) {
  return useListQuery(usersQuery(useCall(), useProject().id, given))
}

export function usersQuery(call: Calling, projectId: string, given: Filters, size?: number) {
  const conditions = conditionsIn(given)
  const sorting = sortingIn(given)
  return listQuery<User>([...listKey(projectId), conditions, sorting], async (after) => {
    const limit = size ?? (after === undefined ? FIRST_PAGE.limit : PAGE)
    const page = { limit, ...sorting, ...(after !== undefined && { after }) }
    const path = { project_id: projectId }
    if (conditions) {
      const found = (await v1ProjectUsersFilter({ ...call, path, query: { ...conditions, ...page } })).data
      return { rows: found.users, next: found.next }
    }
    const { users, next, total } = (await v1ProjectUsersList({ ...call, path, query: page })).data
    return { rows: users, next, total }
  })
}

export function useCounts() {
  return useQuery({ ...countsQuery(useCall(), useProject().id), refetchInterval: COUNT_MS })
}

export function countsQuery(call: Calling, project_id: string) {
  return {
    queryKey: countsKey(project_id),
    queryFn: async () => (await v1ProjectUsersCounts({ ...call, path: { project_id } })).data.counts,
    staleTime: COUNT_MS,
  }
}

/** Polls at a long interval to pick up changes made elsewhere. */
export function useUser(key: string) {
  const call = useCall()
  return useQuery({
    queryKey: userKey(key),
    queryFn: () => readUser(call, key),
    refetchInterval: 10_000,
    refetchOnWindowFocus: 'always',
  })
}

export async function readUser(call: Calling, key: string): Promise<User> {
  return (await v1UsersGet({ ...call, path: { user_key: key } })).data.user
}

/** Updates the cached users after a change. */
export function useShownUsers() {
  const queries = useQueryClient()
  const { id } = useProject()
  const change = (next: (rows: readonly User[]) => readonly User[]) =>
    queries.setQueriesData<Pages>({ queryKey: listKey(id) }, (data) => data && pagesAfter(data, next))
  const count = (changes: Partial<Record<UserStatus, number>>) =>
    queries.setQueryData<Counts>(
      countsKey(id),
      (counts) =>
        counts &&
        (Object.fromEntries(
          Object.entries(counts).map(([status, was]) => [status, was + (changes[status as UserStatus] ?? 0)]),
        ) as Counts),
    )
  const put = (users: readonly User[], before: readonly User[]) => {
    const byKey = new Map(users.map((user) => [user.key, user]))
    change((rows) => rows.map((row) => byKey.get(row.key) ?? row))
    for (const user of users) queries.setQueryData(userKey(user.key), user)
    count(differenceOf(before, users))
    for (const user of users) void queries.invalidateQueries({ queryKey: ['activity', user.key] })
  }
  const drop = (users: readonly User[]) => {
    const keys = new Set(users.map(({ key }) => key))
    change((rows) => rows.filter(({ key }) => !keys.has(key)))
    for (const key of keys) queries.removeQueries({ queryKey: userKey(key) })
    count(differenceOf(users, []))
  }
  /** Reloads from the first page after users were added or removed elsewhere. */
  const again = async () => {
    // A first load that is still running would otherwise be used, although it began before the change.
    await Promise.all([listKey(id), countsKey(id)].map((queryKey) => queries.cancelQueries({ queryKey })))
    queries.setQueriesData<Pages>(
      { queryKey: listKey(id) },
      (data) => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    )
    await Promise.all([
      queries.invalidateQueries({ queryKey: listKey(id) }),
      queries.invalidateQueries({ queryKey: countsKey(id) }),
    ])
  }
  return { put, drop, again }
}

/**
 * Every page contains the total of the list. The total decreases by the number of rows removed from any page.
 */
function pagesAfter(data: Pages, next: (rows: readonly User[]) => readonly User[]): Pages {
  const pages = data.pages.map((page) => ({ ...page, rows: next(page.rows) }))
  const dropped = rowsIn(data.pages) - rowsIn(pages)
  return {
    ...data,
    pages: pages.map(({ total, ...page }) => ({
      ...page,
      ...(total !== undefined && { total: total - dropped }),
    })),
  }
}

function rowsIn(pages: readonly Page[]): number {
  return pages.reduce((sum, { rows }) => sum + rows.length, 0)
}

function differenceOf(before: readonly User[], after: readonly User[]): Partial<Record<UserStatus, number>> {
  const changes: Partial<Record<UserStatus, number>> = {}
  for (const { status } of before) changes[status] = (changes[status] ?? 0) - 1
  for (const { status } of after) changes[status] = (changes[status] ?? 0) + 1
  return changes
}
