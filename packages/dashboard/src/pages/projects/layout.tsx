/** The pages of one project: it is read once, and all of them know it. */
import { isServiceError, v1ProjectsGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { useCall } from '../../api.ts'
import { ProjectContext, useProjectId } from '../../projects.ts'
import { UnknownPage, Waiting } from '../trouble.tsx'

export function ProjectLayout() {
  const call = useCall()
  const id = useProjectId() ?? ''
  const asked = useQuery({
    queryKey: ['project', id],
    queryFn: async () => (await v1ProjectsGet({ ...call, path: { project_id: id } })).data.project,
  })
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
