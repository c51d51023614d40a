import { type V1ProjectsGetResponse, v1ProjectsGet } from '@scriptward/sdk'
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'
import type { Calling } from './api.ts'

export type Project = V1ProjectsGetResponse['project']

export const ProjectContext = createContext<Project | null>(null)

export function useProject(): Project {
  const project = useContext(ProjectContext)
  if (project === null) throw new Error('used outside ProjectContext')
  return project
}

export function useProjectId(): string | undefined {
  const { project }: { project?: string } = useParams({ strict: false })
  return project
}

/** Uses the same cache entry as {@link useProject}. */
export function projectQuery(call: Calling, id: string) {
  return {
    queryKey: ['project', id],
    queryFn: async () => (await v1ProjectsGet({ ...call, path: { project_id: id } })).data.project,
  }
}
