import {
  type V1AnnouncementsListResponse,
  type V1VariablesGetResponse,
  v1AnnouncementsList,
  v1VariablesGet,
  v1VariablesReplace,
} from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'

export type Announcement = V1AnnouncementsListResponse['announcements'][number]
/** All of a project's variables, and the version of the set. */
export type VariableSet = Pick<V1VariablesGetResponse, 'version' | 'variables'>
export type Variable = VariableSet['variables'][string]

export function useVariables() {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['variables', id],
    queryFn: async () => (await v1VariablesGet({ ...call, path: { project_id: id } })).data,
  })
}

/** Replaces the set of variables. Fails if someone else has changed the set since it was read. */
export function useReplace({ version }: VariableSet, onDone: () => void) {
  const call = useCall()
  const { id } = useProject()
  return useChange(async (variables: VariableSet['variables']) => {
    await v1VariablesReplace({ ...call, path: { project_id: id }, body: { version, variables } })
    onDone()
  })
}

export function useAnnouncements() {
  const call = useCall()
  const { id } = useProject()
  return useQuery({
    queryKey: ['announcements', id],
    queryFn: async () =>
      (await v1AnnouncementsList({ ...call, path: { project_id: id } })).data.announcements,
  })
}
