/** Chooses projects: all, or only these. */
import { v1ProjectsList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useCall } from '../api.ts'
import { text } from '../text.ts'

/** Null stands for all. `isSingle` is for roles that have exactly one. */
type Given = {
  readonly chosen: readonly string[] | null
  readonly onChange: (chosen: readonly string[] | null) => void
  readonly isSingle?: boolean
}

export function useProjects() {
  const call = useCall()
  return useQuery({
    queryKey: ['projects'],
    queryFn: async () => (await v1ProjectsList(call)).data.projects,
  })
}

export function ProjectPicker({ chosen, onChange, isSingle = false }: Given) {
  const id = useId()
  const projects = useProjects().data ?? []
  const toggle = (one: string) =>
    onChange(isSingle ? [one] : [...new Set(chosen ?? []).symmetricDifference(new Set([one]))])
  return (
    <fieldset className="stack tight">
      <legend>{text.projectsOf}</legend>
      {!isSingle && (
        <div className="segments">
          {[true, false].map((isAll) => (
            <label className="check" key={String(isAll)}>
              <input
                type="radio"
                name={`${id}-all`}
                checked={(chosen === null) === isAll}
                onChange={() => onChange(isAll ? null : [])}
              />
              <span>{isAll ? text.allProjects : text.someProjects}</span>
            </label>
          ))}
        </div>
      )}
      {(isSingle || chosen !== null) && (
        <div className="checks">
          {isSingle && <p className="hint">{text.oneProject}</p>}
          {projects.length === 0 && <p className="hint">{text.noProjects}</p>}
          {projects.map((project) => (
            <label className="check" key={project.id}>
              <input
                type={isSingle ? 'radio' : 'checkbox'}
                name={`${id}-project`}
                checked={chosen?.includes(project.id) ?? false}
                onChange={() => toggle(project.id)}
              />
              <span>{project.name}</span>
            </label>
          ))}
        </div>
      )}
    </fieldset>
  )
}
