/** Asks users to sign in again after their session expires. The page behind the dialog keeps its state. */
import { isServiceError } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { ME } from '../../layout/me.ts'
import { useSignOut } from '../../layout/sign-out.ts'
import { text } from '../../messages/text.ts'
import { access, type Me } from '../../queries/access.ts'
import { type Calling, ConnectionContext, useCall } from '../../queries/api.ts'
import { auth, type SignedIn } from '../../queries/auth.ts'
import { connectQuietly } from '../../queries/connection.ts'
import { SecondStepForm } from './second-step.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Uses its own connection, because a failed request from the dialog must not open the dialog again. */
export function SignInAgainDialog({ onDone }: { onDone: () => void }) {
  const [connection] = useState(connectQuietly)
  return (
    <ConnectionContext value={connection}>
      <Dialog title={text.signInTitle} onClose={() => {}} isKept>
        <p className="notice" role="status">
          {text.signInAgain}
        </p>
        <Steps onDone={onDone} />
      </Dialog>
    </ConnectionContext>
  )
}

function Steps({ onDone }: { onDone: () => void }) {
  const queries = useQueryClient()
  const [me] = useState(() => queries.getQueryData<Me>(ME))
  const [ticket, setTicket] = useState<string | null>(null)
  const resume = useResume(me, onDone)
  const signOut = useSignOut()
  const go = (answer: SignedIn) => (answer.done ? resume.mutate() : setTicket(answer.ticket))
  return (
    <>
      {ticket === null ? (
        <SignInForm email={me?.person?.email} hasPassword={me?.person?.has_password} onAnswer={go} />
      ) : (
        <SecondStepForm ticket={ticket} onAnswer={go} onBack={() => setTicket(null)} />
      )}
      <ErrorMessage of={isExpired(resume.error) ? signOut.error : resume.error} />
      <button type="button" className="link" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        {text.signOut}
      </button>
    </>
  )
}

/** Continues once there is a session, even one started in another tab. */
function useResume(me: Me | undefined, onDone: () => void) {
  const call = useCall()
  const resume = useMutation({
    mutationFn: () => isSameUser(call, me),
    onSuccess: (isSame) => (isSame ? onDone() : location.reload()),
  })
  const { mutate } = resume
  useEffect(() => {
    const check = () => mutate()
    addEventListener('focus', check)
    return () => removeEventListener('focus', check)
  }, [mutate])
  return resume
}

/**
 * Returns whether the same user signed in. If the new session is in another account, switches to the page's
 * account.
 */
async function isSameUser(call: Calling, before: Me | undefined): Promise<boolean> {
  const now = await access.me(call)
  if (now.person?.id !== before?.person?.id) return false
  const account = before?.account?.id
  if (account === undefined || account === now.account?.id) return true
  if (!now.accounts.some(({ id }) => id === account)) return false
  await auth.switchAccount(call, account)
  return true
}

function isExpired(error: unknown): boolean {
  return isServiceError(error) && error.status === 401
}
