/** Signs in with a password, with 2FA if enabled, or with a passkey. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Brand } from '../../components/brand.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field, PasswordField } from '../../components/fields/field.tsx'
import { useTitle } from '../../layout/title.ts'
import { addressOf } from '../../lib/address.ts'
import { signInWithPasskey } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'
import { PasskeyButton } from './passkey-button.tsx'
import { SecondStep } from './second-step.tsx'

/** `isAgain` means that the session expired and the user continues on the same page. */
export function SignInPage({ isAgain }: { isAgain: boolean }) {
  const queries = useQueryClient()
  const [ticket, setTicket] = useState<string | null>(null)
  const go = (answer: SignedIn) => {
    if (answer.done) void queries.resetQueries()
    else setTicket(answer.ticket)
  }
  useTitle(text.signIn)
  return (
    <main className="auth">
      <Brand />
      {ticket === null ? (
        <FirstStep onAnswer={go} isAgain={isAgain} />
      ) : (
        <SecondStep ticket={ticket} onAnswer={go} onBack={() => setTicket(null)} />
      )}
    </main>
  )
}

type Step = { readonly onAnswer: (answer: SignedIn) => void }

function FirstStep({ onAnswer, isAgain }: Step & { isAgain: boolean }) {
  const call = useCall()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const byPassword = useChange(() => auth.password(call, { email: email.trim(), password }))
  const byPasskey = useChange(() => signInWithPasskey(call))
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
      <div className="panel">
        <h1>{text.signInTitle}</h1>
        {isAgain && (
          <p className="notice" role="status">
            {text.signInAgain}
          </p>
        )}
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
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
          <ErrorMessage of={byPassword.error} />
          <button type="submit" className="main wide" disabled={byPassword.isPending}>
            {text.signIn}
          </button>
          <a href={addressOf.reset}>{text.forgot}</a>
        </form>
        <PasskeyButton
          label={text.signInWith}
          isPending={byPasskey.isPending}
          error={byPasskey.error}
          onClick={enterByPasskey}
        />
      </div>
      <Newcomers />
    </>
  )
}

function Newcomers() {
  const call = useCall()
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  if (options.data?.sign_up === 'open')
    return (
      <p>
        {text.noAccount} <a href={addressOf.signUp}>{text.signUp}</a>
      </p>
    )
  return (
    <p className="hint">
      {text.helpWithSignIn} <code>{text.setupCommand}</code>.
    </p>
  )
}
