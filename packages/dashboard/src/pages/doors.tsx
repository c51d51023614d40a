/** Pages that need no sign-in: each has an address, and most of them are reached by a link that counts once. */
import type { Me } from '../access-api.ts'
import type { Place } from '../address.ts'
import { DeadLink } from '../parts/door.tsx'
import { text } from '../text.ts'
import { ConfirmPage } from './confirm.tsx'
import { InvitationPage } from './invitation.tsx'
import { AskResetPage, ResetPage } from './reset.tsx'
import { SetUpPage } from './set-up.tsx'
import { SignUpPage } from './sign-up.tsx'

/** `me`: null without a sign-in, undefined while that is not known. */
type Given = { readonly place: Extract<Place, { door: unknown }>; readonly me: Me | null | undefined }

export function DoorPage({ place: { door, secret }, me }: Given) {
  if (door === 'sign-up') return <SignUpPage />
  if (secret === '') return door === 'reset' ? <AskResetPage /> : <DeadLink hint={text.linkMissing} />
  if (door === 'reset') return <ResetPage link={secret} />
  if (door === 'set-up') return <SetUpPage link={secret} />
  if (door === 'confirm') return <ConfirmPage link={secret} />
  return <InvitationPage link={secret} me={me} />
}
