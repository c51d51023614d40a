import { type V1TracesListResponse, v1ProjectScriptsList, v1TracesGet, v1TracesList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../components/table/use-list.ts'
import { useCall } from '../../queries/api.ts'

export type NamedScript = { readonly id: string; readonly name: string }
export type Traced = V1TracesListResponse['traces'][number]

/** Maximum page size of the API. */
const MAX_SCRIPTS = 1000
const PAGE = 50
export const TRACES = ['traces']

/** Newest first. */
export function useNamedScripts(projectId: string) {
  const call = useCall()
  const path = { project_id: projectId }
  const query = { limit: MAX_SCRIPTS, order: 'newest' } as const
  return useQuery({
    queryKey: ['project', projectId, 'script names'],
    queryFn: async (): Promise<readonly NamedScript[]> =>
      (await v1ProjectScriptsList({ ...call, path, query })).data.scripts,
  })
}

export function useTraces(project_id: string) {
  const call = useCall()
  return useList<Traced>([...TRACES, project_id], async (after) => {
    const query = { limit: PAGE, ...(after !== undefined && { after }) }
    const { traces, next } = (await v1TracesList({ ...call, path: { project_id }, query })).data
    return { rows: traces, next }
  })
}

/** A stored result never changes, but the names in it may change. */
export function useTrace(project_id: string, trace_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: [...TRACES, project_id, trace_id],
    queryFn: async () => (await v1TracesGet({ ...call, path: { project_id, trace_id } })).data.trace,
  })
}
