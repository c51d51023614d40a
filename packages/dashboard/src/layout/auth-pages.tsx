/** Public pages. Most of them are opened through a single-use link. */
import { useParams } from '@tanstack/react-router'
import { DeadLink } from '../features/auth/auth-layout.tsx'
import { ConfirmPage } from '../features/auth/confirm.tsx'
import { InvitationPage } from '../features/auth/invitation.tsx'
import { ObjectionPage } from '../features/auth/objection.tsx'
import { AskResetPage, ResetPage } from '../features/auth/reset.tsx'
import { SetUpPage } from '../features/auth/set-up.tsx'
import { SignUpPage } from '../features/auth/sign-up.tsx'
import { text } from '../messages/text.ts'
import { useMeQuery } from './me.ts'

export function AuthPages({ page }: { page: string }) {
  const { secret = '' }: { secret?: string } = useParams({ strict: false })
  return <AuthPage page={page} secret={secret} key={page + secret} />
}

function AuthPage({ page, secret }: { page: string; secret: string }) {
  const me = useMeQuery()
  if (page === 'sign-up') return <SignUpPage />
  if (secret === '') return page === 'reset' ? <AskResetPage /> : <DeadLink hint={text.linkMissing} />
  if (page === 'reset') return <ResetPage link={secret} />
  if (page === 'set-up') return <SetUpPage link={secret} />
  if (page === 'confirm') return <ConfirmPage link={secret} />
  if (page === 'objection') return <ObjectionPage link={secret} />
  return <InvitationPage link={secret} me={me.data} />
}
