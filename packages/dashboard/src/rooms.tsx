/** The pages of a person who is signed in, and the bar that leads to them. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { addressOf, goTo, type Place } from './address.ts'
import { useCall, useChange } from './api.ts'
import { auth } from './auth-api.ts'
import { ProjectPage } from './pages/project.tsx'
import { ProjectsPage } from './pages/projects.tsx'
import { NoAccountPage, UnknownPage } from './pages/trouble.tsx'
import { Brand } from './parts/brand.tsx'
import { Complaint } from './parts/complaint.tsx'
import { GuardedLink } from './parts/guarded.tsx'
import { Skeleton } from './parts/skeleton.tsx'
import { useMe } from './rights.ts'
import { text } from './text.ts'

type RoomPlace = Extract<Place, { readonly room: unknown }>

const ProfilePage = lazy(async () => ({ default: (await import('./pages/profile.tsx')).ProfilePage }))
const AccountPage = lazy(async () => ({ default: (await import('./pages/account.tsx')).AccountPage }))
const TokensPage = lazy(async () => ({ default: (await import('./pages/tokens.tsx')).TokensPage }))
const MembersPage = lazy(async () => ({ default: (await import('./pages/members.tsx')).MembersPage }))
const AuditPage = lazy(async () => ({ default: (await import('./pages/audit.tsx')).AuditPage }))

export function Rooms({ place, onSignedOut }: { place: RoomPlace; onSignedOut: () => void }) {
  const main = useRef<HTMLElement>(null)
  const me = useMe()
  const name = place.room === 'project' ? place.id : place.room
  const shown = useRef(name)
  useEffect(() => {
    if (shown.current === name) return
    shown.current = name
    main.current?.focus()
    scrollTo(0, 0)
  }, [name])
  const skip = () => main.current?.focus()
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={skip}>
        {text.skip}
      </button>
      <Side place={place} onSignedOut={onSignedOut} key={name} />
      <main ref={main} tabIndex={-1} key={`${name} ${me.account?.id}`}>
        <MustAdd isOnProfile={place.room === 'profile'} />
        <Suspense fallback={<Skeleton />}>
          <Room place={place} />
        </Suspense>
      </main>
    </div>
  )
}

function Room({ place }: { place: RoomPlace }) {
  const { account } = useMe()
  if (place.room === 'profile') return <ProfilePage />
  if (place.room === 'unknown') return <UnknownPage />
  if (account === null) return <NoAccountPage />
  if (place.room === 'project') return <ProjectPage id={place.id} />
  if (place.room === 'account') return <AccountPage />
  if (place.room === 'tokens') return <TokensPage />
  if (place.room === 'members') return <MembersPage />
  return place.room === 'audit' ? <AuditPage /> : <ProjectsPage />
}

function Side({ place, onSignedOut }: { place: RoomPlace; onSignedOut: () => void }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { room } = place
  return (
    <header className="side">
      <div className="side-top">
        <Brand />
        <button
          type="button"
          className="menu-button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {text.menu}
        </button>
      </div>
      <div className={isOpen ? 'side-menu' : 'side-menu closed'} id={id}>
        <AccountSwitch />
        <nav aria-label={text.pages}>
          <GuardedLink
            needs="projects:read"
            href={addressOf.projects}
            current={room === 'projects' || room === 'project'}
          >
            {text.projects}
          </GuardedLink>
          <h2>{text.accountGroup}</h2>
          <GuardedLink needs="members:read" href={addressOf.members} current={room === 'members'}>
            {text.members}
          </GuardedLink>
          <GuardedLink needs="tokens:read" href={addressOf.tokens} current={room === 'tokens'}>
            {text.tokens}
          </GuardedLink>
          <GuardedLink needs="audit:read" href={addressOf.audit} current={room === 'audit'}>
            {text.audit}
          </GuardedLink>
          <a href={addressOf.account} aria-current={room === 'account' ? 'page' : undefined}>
            {text.account}
          </a>
          <h2>{text.youGroup}</h2>
          <a href={addressOf.profile} aria-current={room === 'profile' ? 'page' : undefined}>
            {text.profile}
          </a>
        </nav>
        <Who onSignedOut={onSignedOut} />
      </div>
    </header>
  )
}

function AccountSwitch() {
  const call = useCall()
  const queries = useQueryClient()
  const id = useId()
  const { account, accounts } = useMe()
  const change = useChange((accountId: string) => auth.switchAccount(call, accountId))
  if (accounts.length < 2) return null
  const look = (accountId: string) =>
    change.mutate(accountId, {
      onSuccess: async () => {
        goTo(addressOf.projects)
        await queries.resetQueries()
      },
    })
  return (
    <div className="field">
      <label htmlFor={id} className="hint">
        {text.switchAccount}
      </label>
      <select id={id} value={account?.id} onChange={(event) => look(event.target.value)}>
        {accounts.map((one) => (
          <option key={one.id} value={one.id}>
            {one.email}
          </option>
        ))}
      </select>
      <Complaint of={change.error} />
    </div>
  )
}

function Who({ onSignedOut }: { onSignedOut: () => void }) {
  const call = useCall()
  const queries = useQueryClient()
  const me = useMe()
  // No useChange: it asks for everything again, is refused, and this bar is gone before it has signed out.
  const signOut = useMutation({
    mutationFn: () => auth.signOut(call),
    onSuccess: () => {
      onSignedOut()
      queries.clear()
      location.replace(addressOf.projects)
      location.reload()
    },
  })
  const role = me.role === null ? '' : (text.roleNames[me.role] ?? me.role)
  return (
    <div className="who">
      <div className="who-name">
        <strong>{me.person?.name || me.person?.email}</strong>
        <span className="hint" title={me.account?.email}>
          {[role, me.account?.email].filter(Boolean).join(' · ')}
        </span>
      </div>
      <Complaint of={signOut.error} />
      <button type="button" onClick={() => signOut.mutate()} disabled={signOut.isPending}>
        {text.signOut}
      </button>
    </div>
  )
}

function MustAdd({ isOnProfile }: { isOnProfile: boolean }) {
  const { person } = useMe()
  if (!person?.must_add_factor) return null
  return (
    <div className="notice warn" role="status">
      <span>
        <strong>{text.mustAddTitle}.</strong> {text.mustAdd}
      </span>
      {!isOnProfile && (
        <a className="button" href={addressOf.profile}>
          {text.addNow}
        </a>
      )}
    </div>
  )
}
