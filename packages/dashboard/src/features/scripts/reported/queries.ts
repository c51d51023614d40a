import {
  type V1ProjectsErrorsData,
  type V1ProjectsErrorsResponse,
  type V1ScriptErrorsGetResponse,
  type V1ScriptErrorsListData,
  type V1ScriptErrorsListResponse,
  v1ProjectsErrors,
  v1ScriptErrorsEdit,
  v1ScriptErrorsGet,
  v1ScriptErrorsList,
  v1ScriptErrorsUsers,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useList } from '../../../components/table/use-list.ts'
import { useCall, useChange } from '../../../queries/api.ts'

export type ProjectError = V1ProjectsErrorsResponse['errors'][number]
export type ProjectErrorQuery = NonNullable<V1ProjectsErrorsData['query']>
export type ReportedError = V1ScriptErrorsListResponse['errors'][number]
export type ErrorDetail = V1ScriptErrorsGetResponse['group']
export type ErrorState = ReportedError['state']
export type ErrorQuery = NonNullable<V1ScriptErrorsListData['query']>

/** The ID of an error's script. */
export type ScriptOfErrors = { readonly id: string }

const PAGE = 100
/** Maximum number of affected customers to show; the API lists all. */
export const MAX_AFFECTED = 100

/** Counts pages from the start of the list, because the order changes with every report. */
export function useErrors(scriptId: string, filter: ErrorQuery) {
  const call = useCall()
  return useList(['script', scriptId, 'errors', filter], async (after) => {
    const query = pageOf(filter, after)
    const { data } = await v1ScriptErrorsList({ ...call, path: { script_id: scriptId }, query })
    return listed(data, query.from)
  })
}

/** The errors of all scripts in a project. */
export function useProjectErrors(projectId: string, filter: ProjectErrorQuery) {
  const call = useCall()
  return useList(['project', projectId, 'errors', filter], async (after) => {
    const query = pageOf(filter, after)
    const { data } = await v1ProjectsErrors({ ...call, path: { project_id: projectId }, query })
    return listed(data, query.from)
  })
}

function pageOf<Filter>(filter: Filter, after: string | undefined) {
  return { ...filter, from: Number(after ?? 0), limit: PAGE }
}

function listed<Row>({ errors, total }: { readonly errors: Row[]; readonly total: number }, from: number) {
  const end = from + errors.length
  return { rows: errors, next: end < total && errors.length > 0 ? String(end) : null, total }
}

export function useError(scriptId: string, id: string) {
  const call = useCall()
  const path = { script_id: scriptId, error_id: id }
  return useQuery({
    queryKey: ['script', scriptId, 'error', id],
    queryFn: async () => (await v1ScriptErrorsGet({ ...call, path })).data.group,
  })
}

export function useAffected(scriptId: string, id: string) {
  const call = useCall()
  const path = { script_id: scriptId, error_id: id }
  return useQuery({
    queryKey: ['script', scriptId, 'error', id, 'users'],
    queryFn: async () => (await v1ScriptErrorsUsers({ ...call, path, query: { limit: MAX_AFFECTED } })).data,
  })
}

export function useEditError(scriptId: string, id: string) {
  const call = useCall()
  const path = { script_id: scriptId, error_id: id }
  return useChange((state: ErrorState) => v1ScriptErrorsEdit({ ...call, path, body: { state } }))
}
