/** The first upload of a script. */
import { v1ProjectScriptsCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { addressOf, useOpen } from '../../address.ts'
import { errorsOfFields, useCall, useChange } from '../../api.ts'
import { Field } from '../../parts/field.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import { type Draft, NOTHING, UploadForm } from './upload-form.tsx'

export function NewScript({ onCancel }: { onCancel: (() => void) | undefined }) {
  const project = useProject()
  const open = useOpen()
  const say = useSay()
  const [draft, setDraft] = useState<Draft>(NOTHING)
  const [name, setName] = useState('')
  const [fileName, setFileName] = useState('')
  const create = useCreate(project.id)
  const given = name.trim() || fileName || text.scripts.untitled
  const send = () =>
    create.mutate(
      { ...draft, name: given },
      {
        onSuccess: (id) => {
          say({ title: text.scripts.published(given) })
          open(addressOf.script(project.id, id))
        },
      },
    )
  return (
    <UploadForm
      draft={draft}
      onChange={setDraft}
      onName={setFileName}
      submit={text.scripts.protectNew}
      isPending={create.isPending}
      error={create.error}
      onSubmit={send}
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

function useCreate(projectId: string) {
  const call = useCall()
  return useChange(async ({ name, source, options, test }: Draft & { name: string }) => {
    const body = {
      name,
      script: source,
      ...(Object.keys(options).length > 0 && { options }),
      ...(test.trim() !== '' && { test_script: test }),
    }
    return (await v1ProjectScriptsCreate({ ...call, path: { project_id: projectId }, body })).data.script_id
  })
}
