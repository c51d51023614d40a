import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import { text } from '../../messages/text.ts'

/** `maxLength` is excluded, because it makes browsers silently truncate pasted text. */
type Props = {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
} & Omit<InputHTMLAttributes<HTMLInputElement>, 'maxLength'>

export function Field({ label, hint, error, ...rest }: Props) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} {...describedBy(id, hint, error)} {...rest} />
      <About id={id} hint={hint} error={error} />
    </div>
  )
}

/** A password field with a show button. `autoComplete` identifies the password for password managers. */
export function PasswordField({ label, hint, error, ...rest }: Props) {
  const id = useId()
  const [isShown, setIsShown] = useState(false)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="with-button">
        <input
          id={id}
          type={isShown ? 'text' : 'password'}
          required
          {...describedBy(id, hint, error)}
          {...rest}
        />
        <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? text.hide : text.show}
        </button>
      </div>
      <About id={id} hint={hint} error={error} />
    </div>
  )
}

export function About({ id, hint, error }: { id: string; hint: ReactNode; error: string | undefined }) {
  return (
    <>
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </>
  )
}

export function describedBy(id: string, hint: ReactNode, error: string | undefined) {
  const ids = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean)
  return {
    'aria-invalid': error !== undefined,
    ...(ids.length > 0 ? { 'aria-describedby': ids.join(' ') } : {}),
  }
}
