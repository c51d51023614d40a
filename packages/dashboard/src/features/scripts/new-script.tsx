import { v1ProjectScriptsCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type Draft, NOTHING, sourceOf, UploadForm } from './upload-form.tsx'

export function NewScript({ onCancel }: { onCancel: (() => void) | undefined }) {
  const project = useProject()
  const open = useOpen()
  const showToast = useToast()
  const [draft, setDraft] = useState<Draft>(NOTHING)
  const [name, setName] = useState('')
  const [fileName, setFileName] = useState('')
  const given = name.trim() || fileName || text.scripts.untitled
  const call = useCall()
  // Closes within the change, because the updated list may unmount this form.
  const create = useChange(async (order: Order) => {
    const body = bodyOf(order)
    const { data } = await v1ProjectScriptsCreate({ ...call, path: { project_id: project.id }, body })
    showToast({ title: text.scripts.published(order.name) })
    open(addressOf.script(project.id, data.script_id))
  })
  return (
    <UploadForm
      draft={draft}
      onChange={setDraft}
      onName={setFileName}
      submit={text.scripts.protectNew}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ ...draft, name: given })}
      onCancel={onCancel}
    >
      <Field
        label={text.scripts.name}
        hint={text.scripts.nameHint}
        error={errorsOfFields(create.error).name}
        value={name}
        placeholder={fileName || text.scripts.untitled}
        dir="auto"
        onChange={(event) => setName(event.target.value)}
      />
    </UploadForm>
  )
}

type Order = Draft & { readonly name: string }

function bodyOf(order: Order) {
  const { name, options, test } = order
  return {
    name,
    ...sourceOf(order),
    ...(Object.keys(options).length > 0 && { options }),
    ...(test.trim() !== '' && { test_script: test }),
  }
}
