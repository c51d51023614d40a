/** Accepts an invitation: as a new user, with an existing password, or as the signed-in user. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { PasswordField } from '../../components/fields/field.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { isGone, UnreachablePage } from '../../layout/error-pages.tsx'
import { signInWithPasskey } from '../../lib/passkeys.ts'
import { text } from '../../messages/text.ts'
import type { Me } from '../../queries/access.ts'
import { errorsOfFields, useCall } from '../../queries/api.ts'
import { auth, type InvitationLook, type SignedIn } from '../../queries/auth.ts'
import { AuthForm, AuthLayout, DeadLink, useEnter } from './auth-layout.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { NameField } from './person-fields.tsx'
import { SecondStepPage } from './second-step.tsx'

type Props = { readonly link: string; readonly me: Me | null | undefined }

export function InvitationPage({ link, me }: Props) {
  const call = useCall()
  const enter = useEnter()
  const [ticket, setTicket] = useState<string | null>(null)
  const look = useQuery({
    queryKey: ['invitation', link],
    queryFn: () => auth.invitationLook(call, link),
    staleTime: 'static',
  })
  const { accept, byPasskey } = useJoining(link)
  const go = (answer: SignedIn) => (answer.done ? void enter() : setTicket(answer.ticket))
  /** The 2FA code signed the user in; the invitation still has to be accepted. */
  const goOn = () => accept.mutate({}, { onSuccess: go, onSettled: () => setTicket(null) })
  if (ticket !== null)
    return <SecondStepPage ticket={ticket} onAnswer={goOn} onBack={() => setTicket(null)} />
  if ([look, accept, byPasskey].some(({ error }) => isGone(error)))
    return <DeadLink hint={text.linkInvitation} />
  if (look.error) return <UnreachablePage error={look.error} onRetry={() => look.refetch()} />
  if (look.data === undefined || me === undefined)
    return (
      <AuthLayout title={text.invitationTitle('…')}>
        <Skeleton rows={2} />
      </AuthLayout>
    )
  const { account, role, invited_by } = look.data
  const isOwn = me?.person?.email === look.data.email
  return (
    <AuthLayout
      title={text.invitationTitle(account)}
      intro={text.invitedAs(invited_by, text.roleNames[role] ?? role)}
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
      {me === null && look.data.has_person && (
        <PasskeyButton
          label={text.joinWith}
          isPending={byPasskey.isPending}
          error={byPasskey.error}
          onClick={() => byPasskey.mutate(undefined, { onSuccess: go })}
        />
      )}
    </AuthLayout>
  )
}

function useJoining(link: string) {
  const call = useCall()
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
  return { accept, byPasskey }
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
      <ErrorMessage of={signOut.error} />
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
    <AuthForm
      submit={text.join}
      isPending={isPending}
      error={error}
      fields={['name', 'password']}
      onSubmit={submit}
    >
      <p>{isSignedIn || has_person ? text.invitationHasPerson(email) : text.invitationNewPerson(email)}</p>
      {!isSignedIn && !has_person && <NameField value={name} error={wrong.name} onChange={setName} />}
      {/* Lets password managers save the password for this email address. */}
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
    </AuthForm>
  )
}
