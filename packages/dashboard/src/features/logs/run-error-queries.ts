import { v1ScriptErrorsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../queries/api.ts'
import type { Run } from './queries.ts'

const SHOWN = 20
/** Reports are grouped a few seconds after they arrive. */
const FRESH_MS = 5000

/** The errors that a run reported. */
export function useRunErrors({ id, script_id }: Run) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', script_id, 'errors of a run', id],
    queryFn: async () => {
      const given = { path: { script_id }, query: { exec: id, limit: SHOWN } }
      return (await v1ScriptErrorsList({ ...call, ...given })).data
    },
    refetchInterval: FRESH_MS,
  })
}
