/** One project: its scripts and its user keys. */
import { v1ProjectsGet, v1ProjectsRemove } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addressOf, goTo } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { FormDialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { text } from '../text.ts'
import { ProjectScripts } from './project-scripts.tsx'
import { ProjectUsers } from './project-users.tsx'

type Project = { readonly id: string; readonly name: string }

export function ProjectPage({ id }: { id: string }) {
  const call = useCall()
  const project = useQuery({
    queryKey: ['project', id],
    queryFn: async () => (await v1ProjectsGet({ ...call, path: { project_id: id } })).data.project,
  })
  return (
    <>
      <p>
        <a href={addressOf.projects}>← {text.back}</a>
      </p>
      <Complaint of={project.error} />
      {project.data && (
        <>
          <h1>{project.data.name}</h1>
          <ProjectScripts projectId={id} />
          <ProjectUsers projectId={id} />
          <RemoveProject project={project.data} />
        </>
      )}
    </>
  )
}

function RemoveProject({ project }: { project: Project }) {
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <div className="bar">
        <GuardedButton needs="projects:write" className="danger" onClick={() => setIsAsked(true)}>
          {text.removeProjectButton}
        </GuardedButton>
      </div>
      {isAsked && <RemoveDialog project={project} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function RemoveDialog({ project: { id, name }, onClose }: { project: Project; onClose: () => void }) {
  const call = useCall()
  const [typed, setTyped] = useState('')
  const [isWrong, setIsWrong] = useState(false)
  const remove = useChange(() => v1ProjectsRemove({ ...call, path: { project_id: id } }))
  const submit = () => {
    setIsWrong(typed.trim() !== name)
    if (typed.trim() === name) remove.mutate(undefined, { onSuccess: () => goTo(addressOf.projects) })
  }
  return (
    <FormDialog
      title={text.removeProjectTitle(name)}
      submit={text.removeProjectButton}
      isDanger
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{text.removeProject}</p>
      <Field
        label={text.typeName(name)}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        error={isWrong ? text.notTheName : undefined}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  )
}
