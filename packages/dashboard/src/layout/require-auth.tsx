/** Wraps pages for signed-in users. Everyone else gets the sign-in form at the same URL. */
import { lazy, type ReactNode, Suspense } from 'react'
import { Skeleton } from '../components/skeleton.tsx'
import { MeContext } from '../lib/rights.ts'
import { AppShell } from './app-shell.tsx'
import { UnreachablePage } from './error-pages.tsx'
import { useMeQuery } from './me.ts'

const SignInPage = lazy(async () => ({ default: (await import('../features/auth/sign-in.tsx')).SignInPage }))

/** `alone` is a page to render without the app shell. */
export function RequireAuth({ alone }: { alone?: ReactNode }) {
  const me = useMeQuery()
  if (me.error && me.data === undefined)
    return <UnreachablePage error={me.error} onRetry={() => me.refetch()} />
  if (me.data === undefined) return <Waiting />
  if (me.data === null)
    return (
      <Suspense fallback={<Waiting />}>
        <SignInPage />
      </Suspense>
    )
  return <MeContext value={me.data}>{alone ?? <AppShell />}</MeContext>
}

function Waiting() {
  return (
    <main className="auth">
      <Skeleton rows={2} />
    </main>
  )
}
