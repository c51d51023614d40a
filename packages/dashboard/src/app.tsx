/** Wraps every page: the connection to the API, toasts, and the identity check. */
import { CSPProvider } from '@base-ui/react/csp-provider'
import type { Connection } from '@scriptward/sdk'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ProveDialog } from './components/overlays/prove-dialog.tsx'
import { Toasts } from './components/overlays/toasts.tsx'
import { ME } from './layout/me.ts'
import { prefetchRoute } from './layout/prefetch.ts'
import { ConnectionContext } from './queries/api.ts'
import { CallLog, CallsContext } from './queries/api-call-log.ts'
import { connectPage } from './queries/connection.ts'
import type { makeRouter } from './router.tsx'

export function App({ router }: { router: ReturnType<typeof makeRouter> }) {
  const [calls] = useState(() => new CallLog())
  const queries = useQueryClient()
  const { connection, proof } = useConnection(queries, calls)
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
          {proof && <ProveDialog onAnswer={proof} />}
        </CallsContext>
      </ConnectionContext>
    </CSPProvider>
  )
}

/** `proof` is set while a request waits for the user to confirm their identity; concurrent requests share it. */
function useConnection(queries: QueryClient, calls: CallLog) {
  const [proof, setProof] = useState<((isProved: boolean) => void) | null>(null)
  const waiting = useRef<Promise<boolean> | null>(null)
  const [connection] = useState<Connection>(() =>
    connectPage({
      onCall: (request) => calls.add(request),
      onSignedOut: () => queries.setQueryData(ME, null),
      prove: () => {
        waiting.current ??= new Promise<boolean>((resolve) => setProof(() => resolve)).finally(() => {
          waiting.current = null
          setProof(null)
        })
        return waiting.current
      },
    }),
  )
  return { connection, proof }
}
