import { type FormEvent, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { text } from '../../messages/text.ts'
import type { Person } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'

export function AboutPanel({ person }: { person: Person }) {
  return (
    <section className="panel">
      <h2>{text.aboutYou}</h2>
      <AboutForm person={person} />
      <OwnEmail email={person.email} />
    </section>
  )
}

function AboutForm({ person }: { person: Person }) {
  const call = useCall()
  const kept = useKept('your-name')
  const [name, setName] = useKeptState(kept, 'name', person.name)
  const save = useChange(async () => {
    await auth.editPerson(call, { name: name.trim() })
    kept.forget()
  })
  const errors = useFormErrors(save.error)
  const isSame = name.trim() === person.name
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Form kept={kept} onSubmit={submit}>
      <Field
        label={text.yourName}
        hint={text.yourNameHint}
        error={errors.of('name')}
        autoComplete="name"
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ErrorMessage of={errors.rest} />
      <div className="bar">
        <button type="submit" className="main" disabled={isSame || save.isPending}>
          {text.save}
        </button>
        <span className="hint" role="status">
          {save.isSuccess && isSame ? text.saved : ''}
        </span>
      </div>
    </Form>
  )
}

function OwnEmail({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <ul className="rows">
      <li>
        <div className="main-text">
          <strong className="name">{email}</strong>
          <span className="facts">{text.emailHint}</span>
        </div>
        <button type="button" onClick={() => setIsOpen(true)}>
          {text.changeEmail}
        </button>
        {isOpen && <EmailDialog onClose={() => setIsOpen(false)} />}
      </li>
    </ul>
  )
}

function EmailDialog({ onClose }: { onClose: () => void }) {
  const call = useCall()
  const kept = useKept('email')
  const [email, setEmail] = useKeptState(kept, 'email', '')
  const change = useChange(async () => {
    await auth.editEmail(call, email.trim())
    kept.forget()
  })
  const errors = useFormErrors(change.error)
  return (
    <FormDialog
      kept={kept}
      title={text.changeEmail}
      submit={text.changeEmail}
      isPending={change.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
    >
      <Field
        label={text.email}
        hint={text.emailChangeHint}
        error={errors.of('email')}
        type="email"
        autoComplete="email"
        autoFocus
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </FormDialog>
  )
}
