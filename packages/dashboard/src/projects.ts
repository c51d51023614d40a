/** The project that the page is about. */
import type { V1ProjectsGetResponse } from '@scriptward/sdk'
import { useParams } from '@tanstack/react-router'
import { createContext, useContext } from 'react'

export type Project = V1ProjectsGetResponse['project']

export const ProjectContext = createContext<Project | null>(null)

export function useProject(): Project {
  const project = useContext(ProjectContext)
  if (project === null) throw new Error('used outside ProjectContext')
  return project
}

/** The project whose pages are open. */
export function useProjectId(): string | undefined {
  const { project }: { project?: string } = useParams({ strict: false })
  return project
}
