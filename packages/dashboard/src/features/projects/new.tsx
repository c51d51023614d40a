/** Creates a project, in a dialog or in an empty list, and then opens its overview. */
import { v1ProjectsCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import styles from './projects.module.css'

export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const { create, field, submit, rest } = useNewProject()
  return (
    <FormDialog
      title={text.projectList.new}
      submit={text.projectList.create}
      isPending={create.isPending}
      error={rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {field}
    </FormDialog>
  )
}

export function FirstProject() {
  const { create, field, submit, rest } = useNewProject()
  return (
    <Empty title={text.projectList.emptyTitle} hint={text.projectList.emptyHint}>
      <form
        className={styles.first}
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {field}
        <ErrorMessage of={rest} />
        <GuardedButton needs="projects:write" type="submit" className="main" disabled={create.isPending}>
          {text.projectList.create}
        </GuardedButton>
      </form>
    </Empty>
  )
}

function useNewProject() {
  const call = useCall()
  const open = useOpen()
  const [name, setName] = useState('')
  const create = useChange(async (given: string) => {
    const { project_id } = (await v1ProjectsCreate({ ...call, body: { name: given } })).data
    open(addressOf.project(project_id))
  })
  const errors = useFormErrors(create.error)
  const submit = () => {
    const given = name.trim()
    if (errors.check({ name: given === '' ? text.projectList.nameMissing : undefined })) create.mutate(given)
  }
  const field = (
    <Field
      label={text.name}
      hint={text.projectList.nameHint}
      error={errors.of('name')}
      autoComplete="off"
      value={name}
      onChange={(event) => setName(event.target.value)}
    />
  )
  return { create, field, submit, rest: errors.rest }
}
