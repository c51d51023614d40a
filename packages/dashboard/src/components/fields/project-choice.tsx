/** Chooses all projects, some, or exactly one. */
import { v1ProjectsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { Check, ChoiceGroup } from './choice-group.tsx'
import { Field } from './field.tsx'

type Project = { readonly id: string; readonly name: string }
type Props = {
  /** null means all projects. */
  readonly chosen: readonly string[] | null
  readonly onChange: (chosen: readonly string[] | null) => void
  readonly error?: string | undefined
  readonly isSingle?: boolean
}

/**
 * Returns the visible projects. Users who may not read projects get the IDs of the projects that they are
 * limited to.
 */
function useProjects(): readonly Project[] {
  const call = useCall()
  const me = useMe()
  const list = useQuery({
    queryKey: ['projects', 'names'],
    queryFn: async () => (await v1ProjectsList(call)).data.projects.map(({ id, name }) => ({ id, name })),
    enabled: me.scopes.includes('projects:read'),
  })
  return list.data ?? (me.projects ?? []).map((id) => ({ id, name: id }))
}

export function ProjectChoice({ chosen, onChange, error, isSingle = false }: Props) {
  const me = useMe()
  const group = useId()
  if (isSingle)
    return (
      <ChoiceGroup legend={text.resellerProject} error={error}>
        <ProjectList chosen={chosen ?? []} onChange={onChange} radio={group} />
      </ChoiceGroup>
    )
  const isLimited = me.projects !== null
  const some = chosen ?? (isLimited ? [] : null)
  return (
    <ChoiceGroup legend={text.projectsOf} error={error} hint={isLimited ? text.restricted : undefined}>
      {!isLimited && (
        <div className="bar wide-gap">
          <Check
            label={text.allProjects}
            radio={group}
            checked={some === null}
            onChange={() => onChange(null)}
          />
          <Check
            label={text.someProjects}
            radio={group}
            checked={some !== null}
            onChange={() => onChange([])}
          />
        </div>
      )}
      {some !== null && <ProjectList chosen={some} onChange={onChange} />}
    </ChoiceGroup>
  )
}

type ListProps = {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
  readonly radio?: string
}

function ProjectList({ chosen, onChange, radio }: ListProps) {
  const projects = useProjects()
  const [sought, setSought] = useState('')
  if (projects.length === 0) return <p className="hint">{text.noProjectsToChoose}</p>
  const found = projects.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  const set = (id: string, isChosen: boolean) => {
    if (radio !== undefined) return onChange([id])
    return onChange(isChosen ? [...chosen, id] : chosen.filter((one) => one !== id))
  }
  return (
    <>
      {projects.length > MANY && (
        <Field
          label={text.findProject}
          type="search"
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      <div className="checks project-list">
        {found.map(({ id, name }) => (
          <Check
            key={id}
            label={name}
            checked={chosen.includes(id)}
            onChange={(is) => set(id, is)}
            {...(radio === undefined ? {} : { radio: `${radio}-one` })}
          />
        ))}
      </div>
    </>
  )
}

const MANY = 8
const SHOWN = 2

export function ProjectsInShort({ ids }: { ids: readonly string[] | null }) {
  const projects = useProjects()
  if (ids === null) return text.allProjects
  const names = ids.map((id) => projects.find((one) => one.id === id)?.name ?? text.projectGone)
  return names.length > SHOWN ? (
    <span title={names.join(', ')}>{text.projectCount(names.length)}</span>
  ) : (
    names.join(', ')
  )
}
