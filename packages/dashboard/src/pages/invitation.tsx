/** Joining an account: as a new person, with the password of a known one, or as the one who is signed in. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { auth, type InvitationLook, type Me, type SignedIn } from '../access-api.ts'
import { errorsOfFields, useCall } from '../api.ts'
import { Complaint } from '../parts/complaint.tsx'
import { DeadLink, Door, DoorForm, useEnter } from '../parts/door.tsx'
import { Field, PasswordField } from '../parts/field.tsx'
import { SecondStepPage } from '../parts/second-step.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { canUsePasskeys, signInWithPasskey } from '../passkeys.ts'
import { text } from '../text.ts'
import { isGone, TroublePage } from './trouble.tsx'

type Given = { readonly link: string; readonly me: Me | null | undefined }

export function InvitationPage({ link, me }: Given) {
  const call = useCall()
  const enter = useEnter()
  const [ticket, setTicket] = useState<string | null>(null)
  const look = useQuery({
    queryKey: ['invitation', link],
    queryFn: () => auth.invitationLook(call, link),
    staleTime: 'static',
  })
  const accept = useMutation({
    mutationFn: (given: Omit<Parameters<typeof auth.acceptInvitation>[1], 'link'>) =>
      auth.acceptInvitation(call, { link, ...given }),
  })
  const byPasskey = useMutation({
    mutationFn: async () => {
      await signInWithPasskey(call)
      return auth.acceptInvitation(call, { link })
    },
  })
  const go = (answer: SignedIn) => (answer.done ? void enter() : setTicket(answer.ticket))
  // The code signed them in; the invitation is still open.
  const goOn = () => accept.mutate({}, { onSuccess: go, onSettled: () => setTicket(null) })
  if (ticket !== null)
    return <SecondStepPage ticket={ticket} onAnswer={goOn} onBack={() => setTicket(null)} />
  if ([look, accept, byPasskey].some(({ error }) => isGone(error)))
    return <DeadLink hint={text.linkInvitation} />
  if (look.error) return <TroublePage error={look.error} onRetry={() => look.refetch()} />
  if (look.data === undefined || me === undefined)
    return (
      <Door title={text.invitationTitle('…')}>
        <Skeleton rows={2} />
      </Door>
    )
  const isOwn = me?.person?.email === look.data.email
  return (
    <Door
      title={text.invitationTitle(look.data.account)}
      intro={text.invitedAs(look.data.invited_by, text.roleNames[look.data.role] ?? look.data.role)}
    >
      {me !== null && !isOwn ? (
        <OtherPerson mine={me.person?.email ?? me.name} theirs={look.data.email} />
      ) : (
        <JoinForm
          look={look.data}
          isSignedIn={isOwn}
          isPending={accept.isPending}
          error={accept.error}
          onJoin={(given) => accept.mutate(given, { onSuccess: go })}
        />
      )}
      {me === null && look.data.has_person && canUsePasskeys() && (
        <PasskeyWay
          isPending={byPasskey.isPending}
          error={byPasskey.error}
          onUse={() => byPasskey.mutate(undefined, { onSuccess: go })}
        />
      )}
    </Door>
  )
}

function OtherPerson({ mine, theirs }: { mine: string; theirs: string }) {
  const call = useCall()
  const queries = useQueryClient()
  const signOut = useMutation({
    mutationFn: () => auth.signOut(call),
    onSuccess: () => queries.resetQueries({ queryKey: ['me'] }),
  })
  return (
    <>
      <p>{text.invitationForAnother(mine, theirs)}</p>
      <Complaint of={signOut.error} />
      <button
        type="button"
        className="main wide"
        disabled={signOut.isPending}
        onClick={() => signOut.mutate()}
      >
        {text.signOutHere}
      </button>
    </>
  )
}

type Join = {
  readonly look: InvitationLook
  readonly isSignedIn: boolean
  readonly isPending: boolean
  readonly error: unknown
  readonly onJoin: (given: { name?: string; password?: string }) => void
}

function JoinForm({ look: { email, has_person }, isSignedIn, isPending, error, onJoin }: Join) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const wrong = errorsOfFields(error)
  const submit = () => {
    if (isSignedIn) return onJoin({})
    onJoin(has_person ? { password } : { name: name.trim(), password })
  }
  return (
    <DoorForm
      submit={text.join}
      isPending={isPending}
      error={error}
      fields={['name', 'password']}
      onSubmit={submit}
    >
      <p>{isSignedIn || has_person ? text.invitationHasPerson(email) : text.invitationNewPerson(email)}</p>
      {!isSignedIn && !has_person && (
        <Field
          label={text.yourName}
          hint={text.yourNameHint}
          autoComplete="name"
          required
          error={wrong.name}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {/* Password managers save the password for it. */}
      {!isSignedIn && <input type="email" autoComplete="username" value={email} readOnly hidden />}
      {!isSignedIn && (
        <PasswordField
          label={text.password}
          {...(has_person ? {} : { hint: text.passwordHint })}
          autoComplete={has_person ? 'current-password' : 'new-password'}
          error={wrong.password}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </DoorForm>
  )
}

function PasskeyWay(given: { isPending: boolean; error: unknown; onUse: () => void }) {
  return (
    <>
      <div className="divider">{text.or}</div>
      <button type="button" className="wide" disabled={given.isPending} onClick={given.onUse}>
        {text.joinWith}
      </button>
      <Complaint of={given.error} />
    </>
  )
}
