/** All projects of the account, and a new one. */
import { v1ProjectsCreate, v1ProjectsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { addressOf } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { Field } from '../parts/field.tsx'
import { GuardedButton } from '../parts/guarded.tsx'
import { PageTitle } from '../parts/page-title.tsx'
import { text } from '../text/text.ts'

export function ProjectsPage() {
  const call = useCall()
  const list = useQuery({
    queryKey: ['projects'],
    queryFn: async () => (await v1ProjectsList(call)).data.projects,
  })
  return (
    <>
      <PageTitle title={text.projects} />
      <Complaint of={list.error} />
      {list.isPending && <p>{text.loading}</p>}
      {list.data?.length === 0 && <p className="hint">{text.noProjects}</p>}
      <ul className="cards">
        {list.data?.map((project) => (
          <li key={project.id}>
            <a href={addressOf.project(project.id)}>{project.name}</a>
            <span className="hint">{text.executionCount(project.total_executions)}</span>
          </li>
        ))}
      </ul>
      <NewProject />
    </>
  )
}

function NewProject() {
  const call = useCall()
  const [name, setName] = useState('')
  const create = useChange((given: string) => v1ProjectsCreate({ ...call, body: { name: given } }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(name, { onSuccess: () => setName('') })
  }
  return (
    <form onSubmit={submit} className="row">
      <Field
        label={text.newProject}
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <GuardedButton needs="projects:write" type="submit" className="main" disabled={create.isPending}>
        {text.create}
      </GuardedButton>
      <Complaint of={create.error} />
    </form>
  )
}
