/** Pages that need no sign-in: each has an address, and most of them are reached by a link that counts once. */
import { useParams } from '@tanstack/react-router'
import { ConfirmPage } from '../pages/doors/confirm.tsx'
import { DeadLink } from '../pages/doors/door.tsx'
import { InvitationPage } from '../pages/doors/invitation.tsx'
import { ObjectionPage } from '../pages/doors/objection.tsx'
import { AskResetPage, ResetPage } from '../pages/doors/reset.tsx'
import { SetUpPage } from '../pages/doors/set-up.tsx'
import { SignUpPage } from '../pages/doors/sign-up.tsx'
import { text } from '../text/text.ts'
import { useMeQuery } from './me.ts'

export function Doors({ door }: { door: string }) {
  const { secret = '' }: { secret?: string } = useParams({ strict: false })
  return <Door door={door} secret={secret} key={door + secret} />
}

function Door({ door, secret }: { door: string; secret: string }) {
  const me = useMeQuery()
  if (door === 'sign-up') return <SignUpPage />
  if (secret === '') return door === 'reset' ? <AskResetPage /> : <DeadLink hint={text.linkMissing} />
  if (door === 'reset') return <ResetPage link={secret} />
  if (door === 'set-up') return <SetUpPage link={secret} />
  if (door === 'confirm') return <ConfirmPage link={secret} />
  if (door === 'objection') return <ObjectionPage link={secret} />
  return <InvitationPage link={secret} me={me.data} />
}
