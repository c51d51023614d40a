/** Creates an account's first user from a setup link. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Skeleton } from '../../components/skeleton.tsx'
import { isGone, UnreachablePage } from '../../layout/error-pages.tsx'
import { canUsePasskeys, makePasskey } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { AuthForm, AuthLayout, DeadLink, useEnter } from './auth-layout.tsx'
import { EmailField, NameField, NewPasswordField } from './person-fields.tsx'
import { ResetPage } from './reset.tsx'

export function SetUpPage({ link }: { link: string }) {
  const call = useCall()
  const look = useQuery({
    queryKey: ['set-up', link],
    queryFn: () => auth.setUpLook(call, link),
    staleTime: 'static',
  })
  if (isGone(look.error)) return <DeadSetUp />
  if (look.error) return <UnreachablePage error={look.error} onRetry={() => look.refetch()} />
  if (look.data?.purpose === 'reset') return <ResetPage link={link} />
  return (
    <AuthLayout title={text.setUpTitle} intro={look.data && text.setUpFor(look.data.account ?? '')}>
      {look.data === undefined ? (
        <Skeleton rows={2} />
      ) : (
        <SetUpForm link={link} email={look.data.email ?? look.data.account ?? ''} />
      )}
    </AuthLayout>
  )
}

function DeadSetUp() {
  return (
    <DeadLink
      hint={
        <>
          {text.linkSetUp} <code>{text.setupCommand}</code>.
        </>
      }
    />
  )
}

type Way = 'password' | 'passkey'

function SetUpForm({ link, email: known }: { link: string; email: string }) {
  const call = useCall()
  const enter = useEnter()
  const [email, setEmail] = useState(known)
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [way, setWay] = useState<Way>('password')
  const setUp = useMutation({
    mutationFn: async () => {
      const given = { link, email: email.trim(), name: name.trim() }
      if (way === 'password') return auth.setUp(call, { ...given, password })
      return auth.setUpPasskeyFinish(call, await makePasskey(await auth.setUpPasskeyBegin(call, given)))
    },
  })
  const wrong = errorsOfFields(setUp.error)
  const choose = (chosen: Way) => {
    setUp.reset()
    setWay(chosen)
  }
  return (
    <AuthForm
      submit={way === 'password' ? text.createAccount : text.createPasskey}
      isPending={setUp.isPending}
      error={setUp.error}
      fields={['email', 'name', 'password']}
      onSubmit={() => setUp.mutate(undefined, { onSuccess: enter })}
    >
      <EmailField value={email} error={wrong.email} hint={text.setUpEmail} onChange={setEmail} />
      <NameField value={name} error={wrong.name} onChange={setName} />
      {canUsePasskeys() && <Ways way={way} onChoose={choose} />}
      {way === 'password' && (
        <NewPasswordField value={password} error={wrong.password} onChange={setPassword} />
      )}
    </AuthForm>
  )
}

function Ways({ way, onChoose }: { way: Way; onChoose: (way: Way) => void }) {
  return (
    <fieldset className="checks">
      <legend>{text.howToSignIn}</legend>
      {(['password', 'passkey'] as const).map((one) => (
        <label className="check" key={one}>
          <input type="radio" name="way" checked={way === one} onChange={() => onChoose(one)} />
          <span>
            {one === 'password' ? text.withPassword : text.withPasskey}
            {one === 'passkey' && <span className="hint">{text.passkeyHint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
