/** Pages that need no sign-in: each has an address, and most of them are reached by a link that counts once. */
import { useParams } from '@tanstack/react-router'
import { ConfirmPage } from '../features/auth/confirm.tsx'
import { DeadLink } from '../features/auth/door.tsx'
import { InvitationPage } from '../features/auth/invitation.tsx'
import { ObjectionPage } from '../features/auth/objection.tsx'
import { AskResetPage, ResetPage } from '../features/auth/reset.tsx'
import { SetUpPage } from '../features/auth/set-up.tsx'
import { SignUpPage } from '../features/auth/sign-up.tsx'
import { text } from '../messages/text.ts'
import { useMeQuery } from './me.ts'

export function Doors({ door }: { door: string }) {
  const { secret = '' }: { secret?: string } = useParams({ strict: false })
  return <AuthLayout door={door} secret={secret} key={door + secret} />
}

function AuthLayout({ door, secret }: { door: string; secret: string }) {
  const me = useMeQuery()
  if (door === 'sign-up') return <SignUpPage />
  if (secret === '') return door === 'reset' ? <AskResetPage /> : <DeadLink hint={text.linkMissing} />
  if (door === 'reset') return <ResetPage link={secret} />
  if (door === 'set-up') return <SetUpPage link={secret} />
  if (door === 'confirm') return <ConfirmPage link={secret} />
  if (door === 'objection') return <ObjectionPage link={secret} />
  return <InvitationPage link={secret} me={me.data} />
}
