import { v1ProjectScriptsCreate } from '@scriptward/sdk'
import { Field } from '../../components/fields/field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
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
  const kept = useKept('new-script')
  const [draft, setDraft] = useKeptState<Draft>(kept, 'draft', NOTHING)
  const [name, setName] = useKeptState(kept, 'name', '')
  const [fileName, setFileName] = useKeptState(kept, 'file', '')
  const given = name.trim() || fileName || text.scripts.untitled
  const call = useCall()
  // Leaves this form inside the mutation function, because the updated list may unmount it first.
  const create = useChange(async (order: Order) => {
    const body = bodyOf(order)
    const { data } = await v1ProjectScriptsCreate({ ...call, path: { project_id: project.id }, body })
    showToast({ title: text.scripts.published(order.name) })
    kept.forget()
    open(addressOf.script(project.id, data.script_id))
  })
  return (
    <UploadForm
      kept={kept}
      draft={draft}
      onChange={setDraft}
      onName={setFileName}
      submit={text.scripts.protectNew}
      isPending={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate({ ...draft, name: given })}
      onCancel={onCancel && (() => kept.discard(onCancel))}
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
