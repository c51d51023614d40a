/** Signing in: by password, with a second factor where there is one, or by passkey. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { auth, type SignedIn } from '../access-api.ts'
import { addressOf } from '../address.ts'
import { useCall, useChange } from '../api.ts'
import { Brand } from '../parts/brand.tsx'
import { Complaint } from '../parts/complaint.tsx'
import { Field, PasswordField } from '../parts/field.tsx'
import { canUsePasskeys, signInWithPasskey } from '../passkeys.ts'
import { text } from '../text.ts'

/** `isAgain`: they were signed in a moment ago, and go on where they were. */
export function SignInPage({ isAgain }: { isAgain: boolean }) {
  const queries = useQueryClient()
  const [ticket, setTicket] = useState<string | null>(null)
  const go = (answer: SignedIn) => {
    if (answer.done) void queries.resetQueries()
    else setTicket(answer.ticket)
  }
  useEffect(() => {
    document.title = `${text.signIn} · ${text.product}`
  }, [])
  return (
    <main className="door">
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
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  const byPassword = useChange(() => auth.password(call, { email: email.trim(), password }))
  const byPasskey = useChange(() => signInWithPasskey(call))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    byPasskey.reset()
    byPassword.mutate(undefined, { onSuccess: onAnswer })
  }
  const signInByPasskey = () => {
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
          <Complaint of={byPassword.error} />
          <button type="submit" className="main wide" disabled={byPassword.isPending}>
            {text.signIn}
          </button>
          <a href={addressOf.reset}>{text.forgot}</a>
        </form>
        {canUsePasskeys() && (
          <>
            <div className="divider">{text.or}</div>
            <button type="button" className="wide" onClick={signInByPasskey} disabled={byPasskey.isPending}>
              {text.signInWith}
            </button>
            <Complaint of={byPasskey.error} />
          </>
        )}
      </div>
      {options.data?.sign_up === 'open' ? (
        <p>
          {text.noAccount} <a href={addressOf.signUp}>{text.signUp}</a>
        </p>
      ) : (
        <p className="hint">
          {text.helpWithSignIn} <code>{text.setupCommand}</code>.
        </p>
      )}
    </>
  )
}

function SecondStep({ ticket, onAnswer, onBack }: Step & { ticket: string; onBack: () => void }) {
  const call = useCall()
  const [code, setCode] = useState('')
  const [isRecovery, setIsRecovery] = useState(false)
  const verify = useChange(() => auth.secondFactor(call, { ticket, code: code.trim() }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    verify.mutate(undefined, { onSuccess: onAnswer })
  }
  const change = () => {
    verify.reset()
    setCode('')
    setIsRecovery(!isRecovery)
  }
  return (
    <form className="panel" onSubmit={submit}>
      <header>
        <h1>{text.codeTitle}</h1>
        <p className="hint">{isRecovery ? text.recoveryIntro : text.codeIntro}</p>
      </header>
      <Field
        key={String(isRecovery)}
        label={isRecovery ? text.recoveryCode : text.code}
        className="code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        autoComplete="one-time-code"
        autoFocus
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <Complaint of={verify.error} />
      <button type="submit" className="main wide" disabled={verify.isPending}>
        {text.verify}
      </button>
      <div className="bar between">
        <button type="button" className="link" onClick={change}>
          {isRecovery ? text.useApp : text.useRecovery}
        </button>
        <button type="button" className="link" onClick={onBack}>
          {text.startOver}
        </button>
      </div>
    </form>
  )
}
