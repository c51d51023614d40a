/**
 * Prefetches the first page's data while its code loads. Otherwise, the requests for the user, the project
 * and the project's users would run one after another, which is slow on bad networks.
 */
import type { QueryClient } from '@tanstack/react-query'
import { readQuery } from '../lib/address.ts'
import type { Calling } from '../queries/api.ts'
import { hasCookie } from '../queries/connection.ts'
import { projectQuery } from '../queries/projects.ts'

const OF_PROJECT = /^#\/projects\/([^/?]+)(?:\/([a-z]+))?(?:\?(.*))?$/

export async function prefetchRoute(queries: QueryClient, call: Calling): Promise<void> {
  const [, id, room, query = ''] = OF_PROJECT.exec(location.hash) ?? []
  if (id === undefined || !hasCookie()) return
  void queries.prefetchQuery(projectQuery(call, id))
  if (room !== 'users') return
  const { countsQuery, usersQuery } = await import('../features/users/queries.ts')
  void queries.prefetchInfiniteQuery(usersQuery(call, id, readQuery(query)))
  void queries.prefetchQuery(countsQuery(call, id))
}
