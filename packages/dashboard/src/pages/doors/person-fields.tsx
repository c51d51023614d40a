/** The fields of a new person, on every page that makes one. */
import type { ReactNode } from 'react'
import { Field, PasswordField } from '../../parts/field.tsx'
import { text } from '../../text/text.ts'

type Given = {
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function EmailField({ value, error, hint, onChange }: Given & { hint?: ReactNode }) {
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

export function NameField({ value, error, onChange }: Given) {
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

export function NewPasswordField({ value, error, onChange }: Given) {
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
