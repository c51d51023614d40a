/** The pages of one project: it is read once, and all of them know it. */
import { isServiceError } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useCall } from '../../api.ts'
import { ProjectContext, projectQuery, useProjectId } from '../../projects.ts'
import { UnknownPage, Waiting } from '../trouble.tsx'

export function ProjectLayout() {
  const call = useCall()
  const id = useProjectId() ?? ''
  const asked = useQuery(projectQuery(call, id))
  if (isUnknown(asked.error)) return <UnknownPage />
  return (
    <Waiting asked={asked}>
      {asked.data && (
        <ProjectContext value={asked.data}>
          <Outlet key={id} />
        </ProjectContext>
      )}
    </Waiting>
  )
}

function isUnknown(error: unknown): boolean {
  return isServiceError(error) && error.status === 404
}
