/** Fields for a new user account. */
import type { ReactNode } from 'react'
import { Field, PasswordField } from '../../components/fields/field.tsx'
import { text } from '../../messages/text.ts'

type Props = {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function EmailField({ value, error, hint, onChange }: Props & { hint?: ReactNode }) {
  return (
    <Field
      label={text.email}
      hint={hint}
      type="email"
      autoComplete="username"
      required
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

export function NameField({ value, error, onChange }: Props) {
  return (
    <Field
      label={text.yourName}
      hint={text.yourNameHint}
      autoComplete="name"
      required
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

export function NewPasswordField({ value, error, onChange }: Props) {
  return (
    <PasswordField
      label={text.password}
      hint={text.passwordHint}
      autoComplete="new-password"
      error={error}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
