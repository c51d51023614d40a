/** Creates a project, in a dialog or in an empty list, and then opens its overview. */
import { v1ProjectsCreate } from '@scriptward/sdk'
import { Empty } from '../../components/empty.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import styles from './projects.module.css'

export function NewProjectDialog({ onClose }: { onClose: () => void }) {
  const { kept, create, field, submit, rest } = useNewProject()
  return (
    <FormDialog
      kept={kept}
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
  const { kept, create, field, submit, rest } = useNewProject()
  return (
    <Empty title={text.projectList.emptyTitle} hint={text.projectList.emptyHint}>
      <Form
        kept={kept}
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
      </Form>
    </Empty>
  )
}

function useNewProject() {
  const call = useCall()
  const open = useOpen()
  const kept = useKept('project')
  const [name, setName] = useKeptState(kept, 'name', '')
  const create = useChange(async (given: string) => {
    const { project_id } = (await v1ProjectsCreate({ ...call, body: { name: given } })).data
    kept.forget()
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
  return { kept, create, field, submit, rest: errors.rest }
}
