/** Loads the project once for all of its pages. */
import { isServiceError } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { QueryBoundary, UnknownPage } from '../../layout/error-pages.tsx'
import { useCall } from '../../queries/api.ts'
import { ProjectContext, projectQuery, useProjectId } from '../../queries/projects.ts'

export function ProjectLayout() {
  const call = useCall()
  const id = useProjectId() ?? ''
  const query = useQuery(projectQuery(call, id))
  if (isUnknown(query.error)) return <UnknownPage />
  return (
    <QueryBoundary query={query}>
      {query.data && (
        <ProjectContext value={query.data}>
          <Outlet key={id} />
        </ProjectContext>
      )}
    </QueryBoundary>
  )
}

function isUnknown(error: unknown): boolean {
  return isServiceError(error) && error.status === 404
}
