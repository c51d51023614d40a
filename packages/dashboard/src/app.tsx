/** The frame around every page: who is signed in, and the address, decide what there is to see. */
import type { Connection } from '@scriptward/sdk'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { access, type Me } from './access-api.ts'
import { usePlace } from './address.ts'
import { ConnectionContext, useCall } from './api.ts'
import { connectPage, hasCookie } from './connection.ts'
import { DoorPage } from './pages/doors.tsx'
import { SignInPage } from './pages/sign-in.tsx'
import { TroublePage } from './pages/trouble.tsx'
import { ProveDialog } from './parts/prove-dialog.tsx'
import { Skeleton } from './parts/skeleton.tsx'
import { MeContext } from './rights.ts'
import { Rooms } from './rooms.tsx'

export function App() {
  const { connection, asked } = useConnection(useQueryClient())
  return (
    <ConnectionContext value={connection}>
      <Visit />
      {asked && <ProveDialog onAnswer={asked} />}
    </ConnectionContext>
  )
}

function Visit() {
  const call = useCall()
  const place = usePlace()
  const wasSignedIn = useRef(false)
  const me = useQuery({
    queryKey: ME,
    queryFn: async (): Promise<Me | null> => (hasCookie() ? access.me(call).catch(nobodyIfRefused) : null),
  })
  if ('door' in place) return <DoorPage place={place} me={me.data} key={place.door + place.secret} />
  if (me.error) return <TroublePage error={me.error} onRetry={() => me.refetch()} />
  if (me.data === undefined)
    return (
      <main className="door">
        <Skeleton rows={2} />
      </main>
    )
  if (me.data === null) return <SignInPage isAgain={wasSignedIn.current} />
  wasSignedIn.current = true
  return (
    <MeContext value={me.data}>
      <Rooms place={place} onSignedOut={() => (wasSignedIn.current = false)} />
    </MeContext>
  )
}

const ME = ['me']

function nobodyIfRefused(error: { status?: number }): null {
  if (error.status === 401) return null
  throw error
}

/** `asked` is there while a change waits for a proof of who it is; requests at the same time share it. */
function useConnection(queries: QueryClient) {
  const [asked, setAsked] = useState<((isProved: boolean) => void) | null>(null)
  const waiting = useRef<Promise<boolean> | null>(null)
  const [connection] = useState<Connection>(() =>
    connectPage({
      onSignedOut: () => queries.setQueryData(ME, null),
      prove: () => {
        waiting.current ??= new Promise<boolean>((resolve) => setAsked(() => resolve)).finally(() => {
          waiting.current = null
          setAsked(null)
        })
        return waiting.current
      },
    }),
  )
  return { connection, asked }
}
