/** Wraps every page: the connection to the API, toasts, and the identity check. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import type { Connection } from '@scriptward/sdk'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Toasts } from './components/overlays/toasts.tsx'
import { ME } from './layout/me.ts'
import { prefetchRoute } from './layout/prefetch.ts'
import { ConnectionContext } from './queries/api.ts'
import { CallLog, CallsContext } from './queries/api-call-log.ts'
import { connectPage } from './queries/connection.ts'
import type { makeRouter } from './router.tsx'

const ProveDialog = lazy(async () => ({
  default: (await import('./components/overlays/prove-dialog.tsx')).ProveDialog,
}))
const SignInAgainDialog = lazy(async () => ({
  default: (await import('./features/auth/sign-in-again.tsx')).SignInAgainDialog,
}))

export function App({ router }: { router: ReturnType<typeof makeRouter> }) {
  const [calls] = useState(() => new CallLog())
  const queries = useQueryClient()
  const { connection, proof, signIn } = useConnection(queries, calls)
  useEffect(
    () => void prefetchRoute(queries, { client: connection, throwOnError: true }),
    [queries, connection],
  )
  return (
    <CSPProvider disableStyleElements>
      <ConnectionContext value={connection}>
        <CallsContext value={calls}>
          <Toasts>
            <RouterProvider router={router} />
          </Toasts>
          <Suspense>{proof && <ProveDialog onAnswer={proof} />}</Suspense>
          <Suspense>{signIn && <SignInAgainDialog onDone={() => signIn(true)} />}</Suspense>
        </CallsContext>
      </ConnectionContext>
    </CSPProvider>
  )
}

/** `proof` and `signIn` are set while a request waits for their dialog. */
function useConnection(queries: QueryClient, calls: CallLog) {
  const [proof, prove] = useQuestion()
  const [signIn, signInAgain] = useQuestion()
  const [connection] = useState<Connection>(() =>
    connectPage({
      onCall: (request) => calls.add(request),
      // Without a signed-in user, there is no page whose state has to be kept.
      signInAgain: async () => queries.getQueryData(ME) != null && signInAgain(),
      prove,
    }),
  )
  return { connection, proof, signIn }
}

/**
 * Returns a function that resolves the open prompt, or null if none is open, and a function that opens a
 * prompt. Concurrent requests share one prompt.
 */
function useQuestion() {
  const [answer, setAnswer] = useState<((isDone: boolean) => void) | null>(null)
  const waiting = useRef<Promise<boolean> | null>(null)
  const ask = () => {
    waiting.current ??= new Promise<boolean>((resolve) => setAnswer(() => resolve)).finally(() => {
      waiting.current = null
      setAnswer(null)
    })
    return waiting.current
  }
  return [answer, ask] as const
}
