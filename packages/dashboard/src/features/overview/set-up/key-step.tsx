import { v1ProjectUsersCreate } from '@scriptward/sdk'
import type { FormEvent } from 'react'
import { CopyButton } from '../../../components/code/copy-button.tsx'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { Form } from '../../../components/fields/form.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { useRefusal } from '../../../lib/rights.ts'
import { text } from '../../../messages/text.ts'
import { errorsOfFields, useCall, useChange } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'

export function KeyStep({ userKey, isReady }: { userKey: string | undefined; isReady: boolean }) {
  const t = text.overview.setUp
  // Users who may issue keys only for some plans cannot create the first key, because the first key has no
  // plan.
  const refusal = useRefusal('users:write')
  if (userKey === undefined && refusal !== undefined) return <p className="hint">{refusal}</p>
  if (userKey === undefined) return isReady ? <MakeKey /> : <p className="hint">{t.keyWaits}</p>
  return (
    <section className="secret" aria-label={t.keyMade}>
      <code>{userKey}</code>
      <CopyButton value={userKey} />
    </section>
  )
}

function MakeKey() {
  const t = text.overview.setUp
  const call = useCall()
  const { id } = useProject()
  const kept = useKept('first-key')
  const [note, setNote] = useKeptState<string>(kept, 'note', t.noteUsual)
  const create = useChange(async () => {
    await v1ProjectUsersCreate({ ...call, path: { project_id: id }, body: { note: note.trim() || null } })
    kept.forget()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate(undefined)
  }
  const wrong = errorsOfFields(create.error).note
  return (
    <Form kept={kept} className="stack tight" onSubmit={submit}>
      <Field
        label={t.note}
        hint={t.noteHint}
        error={wrong}
        value={note}
        autoComplete="off"
        onChange={(event) => setNote(event.target.value)}
      />
      <div className="bar">
        <button type="submit" className="main" disabled={create.isPending}>
          {t.makeKey}
        </button>
        {wrong === undefined && <ErrorMessage of={create.error} />}
      </div>
    </Form>
  )
}
