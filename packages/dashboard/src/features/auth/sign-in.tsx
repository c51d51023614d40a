/** Signs in with a password, with 2FA if enabled, or with a passkey. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Brand } from '../../components/brand.tsx'
import { useTitle } from '../../layout/title.ts'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'
import { SecondStep } from './second-step.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** The playground is served next to the dashboard, under the same path prefix, if a proxy adds one. */
const PLAYGROUND = '../playground/'

export function SignInPage() {
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
        <>
          <div className="panel">
            <h1>{text.signInTitle}</h1>
            <SignInForm onAnswer={go} />
          </div>
          <Newcomers />
          <p>
            <a href={PLAYGROUND}>{text.tryPlayground}</a>
          </p>
        </>
      ) : (
        <SecondStep ticket={ticket} onAnswer={go} onBack={() => setTicket(null)} />
      )}
    </main>
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
