/** Self-service sign-up, if the operator allows it. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Skeleton } from '../../components/skeleton.tsx'
import { UnreachablePage } from '../../layout/error-pages.tsx'
import { externalAnswer, pageOf } from '../../lib/external-captcha.ts'
import { solve } from '../../lib/proof-of-work.ts'
import { text } from '../../messages/text.ts'
import { type Calling, errorsOfFields, useCall } from '../../queries/api.ts'
import { auth, type Captcha, type Proof } from '../../queries/auth.ts'
import { AuthForm, AuthLayout } from './auth-layout.tsx'
import { EmailField, NameField, NewPasswordField } from './person-fields.tsx'

export function SignUpPage() {
  const call = useCall()
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  if (options.error) return <UnreachablePage error={options.error} onRetry={() => options.refetch()} />
  if (options.data === undefined)
    return (
      <AuthLayout title={text.signUpTitle}>
        <Skeleton rows={2} />
      </AuthLayout>
    )
  const { sign_up, captcha } = options.data
  if (sign_up !== 'open') return <AuthLayout title={text.signUpTitle} intro={text.signUpOff} />
  if (captcha?.kind === 'external' && externalAnswer() === undefined)
    return (
      <AuthLayout title={text.signUpTitle} intro={text.captchaIntro}>
        <a className="button" href={pageOf(captcha.page)}>
          {text.captchaOpen}
        </a>
      </AuthLayout>
    )
  return <SignUpForm captcha={captcha} />
}

/** Challenges are single-use and expire after ten minutes, so each attempt solves a new one. */
async function proofFor(call: Calling, captcha: Captcha | null): Promise<{ captcha?: Proof }> {
  if (captcha === null) return {}
  if (captcha.kind === 'external') return { captcha: { answer: externalAnswer() ?? '' } }
  const fresh = (await auth.options(call)).captcha
  return fresh?.kind === 'pow' ? { captcha: await solve(fresh) } : {}
}

function SignUpForm({ captcha }: { captcha: Captcha | null }) {
  const call = useCall()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const signUp = useMutation({
    mutationFn: async () => {
      const given = { email: email.trim(), name: name.trim(), password }
      return auth.signUp(call, { ...given, ...(await proofFor(call, captcha)) })
    },
  })
  const wrong = errorsOfFields(signUp.error)
  if (signUp.isSuccess)
    return (
      <AuthLayout title={text.signUpTitle}>
        <p role="status">{text.signUpSent(email.trim())}</p>
      </AuthLayout>
    )
  return (
    <AuthLayout title={text.signUpTitle}>
      <AuthForm
        submit={signUp.isPending && captcha !== null ? text.signUpWorking : text.signUp}
        isPending={signUp.isPending}
        error={signUp.error}
        fields={['email', 'name', 'password']}
        onSubmit={() => signUp.mutate()}
      >
        {captcha?.kind === 'external' && <p className="notice good">{text.captchaSolved}</p>}
        <EmailField value={email} error={wrong.email} onChange={setEmail} />
        <NameField value={name} error={wrong.name} onChange={setName} />
        <NewPasswordField value={password} error={wrong.password} onChange={setPassword} />
      </AuthForm>
    </AuthLayout>
  )
}
