/** Asks for the 2FA code after the password. */
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Brand } from '../../components/brand.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Field } from '../../components/fields/field.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'

type Props = {
  readonly ticket: string
  readonly onAnswer: (answer: SignedIn) => void
  readonly onBack: () => void
}

/** The second step's form, without a heading. */
export function SecondStepForm({ ticket, onAnswer, onBack }: Props) {
  const call = useCall()
  const [code, setCode] = useState('')
  const [isRecovery, setIsRecovery] = useState(false)
  const verify = useMutation({ mutationFn: () => auth.secondFactor(call, { ticket, code: code.trim() }) })
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
    <form className="stack" onSubmit={submit}>
      <p className="hint">{isRecovery ? text.recoveryIntro : text.codeIntro}</p>
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
      <ErrorMessage of={verify.error} />
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

export function SecondStep(given: Props) {
  return (
    <div className="panel">
      <h1>{text.codeTitle}</h1>
      <SecondStepForm {...given} />
    </div>
  )
}

export function SecondStepPage(given: Props) {
  return (
    <main className="auth">
      <Brand />
      <SecondStep {...given} />
    </main>
  )
}
