/** Run outcomes of a project's live versions, and the version that makes customers' runs crash. */
import { v1ProjectsHealth } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useRefusal } from '../lib/rights.ts'
import { useCall } from './api.ts'
import { useProject } from './projects.ts'

const MINUTE_MS = 60_000

export function useProjectHealth() {
  const call = useCall()
  const { id } = useProject()
  const isAllowed = useRefusal('statistics:read') === undefined
  return useQuery({
    queryKey: ['project health', id],
    queryFn: async () => (await v1ProjectsHealth({ ...call, path: { project_id: id } })).data,
    refetchInterval: MINUTE_MS,
    enabled: isAllowed,
  })
}
