/** Fields for the first sign-in step: a password or a passkey. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field, PasswordField } from '../../components/fields/field.tsx'
import { addressOf } from '../../lib/address.ts'
import { signInWithPasskey } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'
import { PasskeyButton } from './passkey-button.tsx'

type Props = {
  /** The user's email address, if it is known. */
  readonly email?: string | undefined
  readonly hasPassword?: boolean | undefined
  readonly onAnswer: (answer: SignedIn) => void
}

export function SignInForm({ email: known = '', hasPassword = true, onAnswer }: Props) {
  const call = useCall()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const byPassword = useMutation({ mutationFn: () => auth.password(call, { email: email.trim(), password }) })
  const byPasskey = useMutation({ mutationFn: () => signInWithPasskey(call) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    byPasskey.reset()
    byPassword.mutate(undefined, { onSuccess: onAnswer })
  }
  const enterByPasskey = () => {
    byPassword.reset()
    byPasskey.mutate(undefined, { onSuccess: onAnswer })
  }
  return (
    <>
      {hasPassword && (
        <form className="stack" onSubmit={submit}>
          <Field
            label={text.email}
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <PasswordField
            label={text.password}
            autoComplete="current-password"
            autoFocus={known !== ''}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          <ErrorMessage of={byPassword.error} />
          <button type="submit" className="main wide" disabled={byPassword.isPending}>
            {text.signIn}
          </button>
          {known === '' && <a href={addressOf.reset}>{text.forgot}</a>}
        </form>
      )}
      <PasskeyButton
        label={text.signInWith}
        isAlone={!hasPassword}
        isPending={byPasskey.isPending}
        error={byPasskey.error}
        onClick={enterByPasskey}
      />
    </>
  )
}
