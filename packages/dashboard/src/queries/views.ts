/** The saved views of a project's lists. Each user has their own views. */
import { type V1ViewsListResponse, v1ViewsList, v1ViewsReplace } from '@scriptward/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCall } from './api.ts'
import { useProject } from './projects.ts'

export type SavedView = V1ViewsListResponse['views'][number]

/** A view is identified by its list and its name. */
export const isSame = (one: SavedView, other: SavedView) => one.list === other.list && one.name === other.name

const viewsKey = (projectId: string) => ['views', projectId]

export function useViews(list: string): readonly SavedView[] {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: viewsKey(id),
    queryFn: async () => (await v1ViewsList({ ...call, path: { project_id: id } })).data.views,
  })
  return (query.data ?? []).filter((view) => view.list === list)
}

/**
 * Starts from the latest views, because another tab may have saved a view in the meantime.
 *
 * @param onSaved called even if the dialog has been closed
 */
export function useChangeViews(onSaved = () => {}) {
  const call = useCall()
  const { id } = useProject()
  const queries = useQueryClient()
  return useMutation({
    networkMode: 'always',
    mutationFn: async (change: (views: readonly SavedView[]) => readonly SavedView[]) => {
      const path = { project_id: id }
      const { views } = (await v1ViewsList({ ...call, path })).data
      return (await v1ViewsReplace({ ...call, path, body: { views: [...change(views)] } })).data.views
    },
    onSuccess: (views) => {
      queries.setQueryData(viewsKey(id), views)
      onSaved()
    },
  })
}
