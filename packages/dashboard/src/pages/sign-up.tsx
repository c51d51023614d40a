/** Making an account by oneself, where the operator allows it. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { auth, type Captcha } from '../access-api.ts'
import { errorsOfFields, useCall } from '../api.ts'
import { externalAnswer, pageOf, solve } from '../captcha.ts'
import { Door, DoorForm } from '../parts/door.tsx'
import { Field, PasswordField } from '../parts/field.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { text } from '../text.ts'
import { TroublePage } from './trouble.tsx'

export function SignUpPage() {
  const call = useCall()
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  if (options.error) return <TroublePage error={options.error} onRetry={() => options.refetch()} />
  if (options.data === undefined)
    return (
      <Door title={text.signUpTitle}>
        <Skeleton rows={2} />
      </Door>
    )
  const { sign_up, captcha } = options.data
  if (sign_up !== 'open') return <Door title={text.signUpTitle} intro={text.signUpOff} />
  if (captcha?.kind === 'external' && externalAnswer() === undefined)
    return (
      <Door title={text.signUpTitle} intro={text.captchaIntro}>
        <a className="button" href={pageOf(captcha.page)}>
          {text.captchaOpen}
        </a>
      </Door>
    )
  return <SignUpForm captcha={captcha} />
}

function SignUpForm({ captcha }: { captcha: Captcha | null }) {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useSignUp(captcha)
  const given = { email: email.trim(), name: name.trim(), password }
  const wrong = errorsOfFields(signUp.error)
  if (signUp.isSuccess)
    return (
      <Door title={text.signUpTitle}>
        <p role="status">{text.signUpSent(email.trim())}</p>
      </Door>
    )
  return (
    <Door title={text.signUpTitle}>
      <DoorForm
        submit={signUp.isPending && captcha !== null ? text.signUpWorking : text.signUp}
        isPending={signUp.isPending}
        error={signUp.error}
        fields={['email', 'name', 'password']}
        onSubmit={() => signUp.mutate(given)}
      >
        {captcha?.kind === 'external' && <p className="notice good">{text.captchaSolved}</p>}
        <Field
          label={text.email}
          type="email"
          autoComplete="username"
          required
          error={wrong.email}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Field
          label={text.yourName}
          hint={text.yourNameHint}
          autoComplete="name"
          required
          error={wrong.name}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <PasswordField
          label={text.password}
          hint={text.passwordHint}
          autoComplete="new-password"
          error={wrong.password}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </DoorForm>
    </Door>
  )
}

function useSignUp(captcha: Captcha | null) {
  const call = useCall()
  return useMutation({
    mutationFn: async (given: { email: string; name: string; password: string }) => {
      if (captcha === null) return auth.signUp(call, given)
      if (captcha.kind === 'external')
        return auth.signUp(call, { ...given, captcha: { answer: externalAnswer() ?? '' } })
      // Each challenge counts once, and for ten minutes.
      const fresh = (await auth.options(call)).captcha
      return auth.signUp(call, { ...given, ...(fresh?.kind === 'pow' && { captcha: await solve(fresh) }) })
    },
  })
}
