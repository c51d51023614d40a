/** Wraps pages for signed-in users; everyone else gets the sign-in form at the same URL. */
import { type ReactNode, useRef } from 'react'
import { Skeleton } from '../components/skeleton.tsx'
import { SignInPage } from '../features/auth/sign-in.tsx'
import { MeContext } from '../lib/rights.ts'
import { AppShell } from './app-shell.tsx'
import { UnreachablePage } from './error-pages.tsx'
import { useMeQuery } from './me.ts'

/** `alone` is a page without the app shell. */
export function RequireAuth({ alone }: { alone?: ReactNode }) {
  const wasSignedIn = useRef(false)
  const me = useMeQuery()
  if (me.error && me.data === undefined)
    return <UnreachablePage error={me.error} onRetry={() => me.refetch()} />
  if (me.data === undefined)
    return (
      <main className="auth">
        <Skeleton rows={2} />
      </main>
    )
  if (me.data === null) return <SignInPage isAgain={wasSignedIn.current} />
  wasSignedIn.current = true
  return (
    <MeContext value={me.data}>
      {alone ?? <AppShell onSignedOut={() => (wasSignedIn.current = false)} />}
    </MeContext>
  )
}
