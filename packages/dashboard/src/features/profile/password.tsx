import { useState } from 'react'
import { PasswordField } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useUnkeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { text } from '../../messages/text.ts'
import type { Person } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'

export function PasswordPanel({ person }: { person: Person }) {
  const [isOpen, setIsOpen] = useState(false)
  const [isChanged, setIsChanged] = useState(false)
  const name = person.has_password ? text.changePassword : text.setPassword
  const done = () => {
    setIsOpen(false)
    setIsChanged(true)
  }
  return (
    <section className="panel">
      <header>
        <h2>{text.passwordTitle}</h2>
        <p className="hint">{person.has_password ? text.hasPassword : text.hasNoPassword}</p>
      </header>
      <div className="bar">
        <button type="button" onClick={() => setIsOpen(true)}>
          {name}
        </button>
        <span className="hint" role="status">
          {isChanged && text.passwordChanged}
        </span>
      </div>
      {isOpen && (
        <PasswordDialog title={name} email={person.email} onDone={done} onClose={() => setIsOpen(false)} />
      )}
    </section>
  )
}

type Props = { readonly title: string; readonly email: string; onDone(): void; onClose(): void }

function PasswordDialog({ title, email, onDone, onClose }: Props) {
  const call = useCall()
  const kept = useKept('password')
  const [password, setPassword] = useUnkeptState(kept, 'password', '')
  const change = useChange(async () => {
    await auth.changePassword(call, password)
    kept.forget()
  })
  const errors = useFormErrors(change.error)
  return (
    <FormDialog
      kept={kept}
      title={title}
      submit={title}
      isPending={change.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => change.mutate(undefined, { onSuccess: onDone })}
    >
      <p className="hint">{text.passwordWrite}</p>
      {/* Lets password managers identify the account. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={text.newPassword}
        hint={text.passwordHint}
        error={errors.of('password')}
        autoComplete="new-password"
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormDialog>
  )
}
