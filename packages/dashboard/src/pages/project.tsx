/** One project: its scripts and its user keys. */
import { v1ProjectsGet, v1ProjectsRemove } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { addressOf } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { text } from '../text.ts'
import { ProjectScripts } from './project-scripts.tsx'
import { ProjectUsers } from './project-users.tsx'

export function ProjectPage({ id }: { id: string }) {
  const call = useCall()
  const path = { project_id: id }
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: async () => (await v1ProjectsGet({ ...call, path })).data.project,
  })
  const remove = useChange(() => v1ProjectsRemove({ ...call, path }))
  const askAndRemove = () => {
    if (!confirm(text.removeProject)) return
    remove.mutate(undefined, { onSuccess: () => location.assign(addressOf.projects) })
  }
  return (
    <>
      <p>
        <a href={addressOf.projects}>← {text.back}</a>
      </p>
      <Complaint of={project.error ?? remove.error} />
      {project.data && (
        <>
          <PageTitle title={project.data.name} />
          <ProjectScripts projectId={id} />
          <ProjectUsers projectId={id} />
          <div className="bar">
            <GuardedButton needs="projects:write" className="danger" onClick={askAndRemove}>
              {text.removeProjectButton}
            </GuardedButton>
          </div>
        </>
      )}
    </>
  )
}
