import { v1ProjectsErrors } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRefusal } from '../lib/rights.ts'
import { useCall } from '../queries/api.ts'
import { NEEDS } from './project-pages.ts'

/** Returns the project's number of open errors, or 0 while loading. */
export function useOpenErrors(projectId: string): number {
  const call = useCall()
  const refusal = useRefusal(NEEDS.errors)
  const count = useQuery({
    queryKey: ['project', projectId, 'errors', 'count'],
    queryFn: async () => {
      const query = { state: 'open', limit: 1 } as const
      return (await v1ProjectsErrors({ ...call, path: { project_id: projectId }, query })).data.total
    },
    enabled: refusal === undefined,
    staleTime: 60_000,
  })
  return count.data ?? 0
}
