/** Requests a password reset link, and sets the new password. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field, PasswordField } from '../../components/fields/field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { isGone, UnreachablePage } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'
import { AuthForm, AuthLayout, DeadLink, useEnter } from './auth-layout.tsx'
import { EmailField } from './person-fields.tsx'
import { SecondStepPage } from './second-step.tsx'

export function AskResetPage() {
  const call = useCall()
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  if (options.error) return <UnreachablePage error={options.error} onRetry={() => options.refetch()} />
  if (options.data === undefined)
    return (
      <AuthLayout title={text.resetTitle}>
        <Skeleton rows={1} />
      </AuthLayout>
    )
  if (options.data.mail) return <AskForm />
  return (
    <AuthLayout title={text.resetTitle}>
      <p>
        {text.resetNoMail} <code>{text.resetCommand}</code>.
      </p>
    </AuthLayout>
  )
}

function AskForm() {
  const call = useCall()
  const [email, setEmail] = useState('')
  const ask = useMutation({ mutationFn: () => auth.askReset(call, email.trim()) })
  if (ask.isSuccess)
    return (
      <AuthLayout title={text.resetTitle}>
        <p role="status">{text.resetSent(email.trim())}</p>
      </AuthLayout>
    )
  return (
    <AuthLayout title={text.resetTitle} intro={text.resetIntro}>
      <AuthForm
        submit={text.sendLink}
        isPending={ask.isPending}
        error={ask.error}
        fields={['email']}
        onSubmit={() => ask.mutate()}
      >
        <EmailField value={email} error={errorsOfFields(ask.error).email} onChange={setEmail} />
      </AuthForm>
    </AuthLayout>
  )
}

export function ResetPage({ link }: { link: string }) {
  const call = useCall()
  const enter = useEnter()
  const [password, setPassword] = useState('')
  const [ticket, setTicket] = useState<string | null>(null)
  const look = useQuery({
    queryKey: ['set-up', link],
    queryFn: () => auth.setUpLook(call, link),
    staleTime: 'static',
  })
  const reset = useMutation({ mutationFn: () => auth.reset(call, { link, password }) })
  const go = (answer: SignedIn) => (answer.done ? void enter() : setTicket(answer.ticket))
  if (ticket !== null) return <SecondStepPage ticket={ticket} onAnswer={go} onBack={enter} />
  if (isGone(look.error) || isGone(reset.error)) return <DeadReset />
  if (look.error) return <UnreachablePage error={look.error} onRetry={() => look.refetch()} />
  return (
    <AuthLayout title={text.newPasswordTitle} intro={text.newPasswordIntro}>
      <AuthForm
        submit={text.changeAndSignIn}
        isPending={reset.isPending || look.isPending}
        error={reset.error}
        fields={['password']}
        onSubmit={() => reset.mutate(undefined, { onSuccess: go })}
      >
        {/* Lets password managers save the new password for this email address. */}
        {look.data?.email && (
          <Field label={text.email} type="email" autoComplete="username" readOnly value={look.data.email} />
        )}
        <PasswordField
          label={text.newPassword}
          hint={text.passwordHint}
          autoComplete="new-password"
          error={errorsOfFields(reset.error).password}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </AuthForm>
    </AuthLayout>
  )
}

function DeadReset() {
  return (
    <DeadLink hint={text.linkReset}>
      <a className="button" href={addressOf.reset}>
        {text.resetTitle}
      </a>
    </DeadLink>
  )
}
