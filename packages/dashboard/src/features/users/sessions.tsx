/** Lists a user's live sessions. Each session can be sent a message or ended. */
import { v1SessionsDisconnect, v1SessionsMessage } from '@scriptward/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { type Message, SessionMessage } from '../../components/session-message.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useSessions } from './record/queries.ts'
import styles from './users.module.css'

const WRITE = 'sessions:write'

export function Sessions({ userKey }: { userKey: string }) {
  const t = text.users
  const query = useSessions(userKey)
  return (
    <QueryBoundary query={query}>
      {query.data?.length === 0 ? (
        <p>{t.noSessions}</p>
      ) : (
        <ul className={styles.sessions}>
          {query.data?.map((session) => (
            <Line key={session.id} session={session} />
          ))}
        </ul>
      )}
    </QueryBoundary>
  )
}

type Session = {
  readonly id: string
  readonly executor: string
  readonly state: 'ready' | 'detached'
  readonly created_at: number
  readonly place_id: string | null
}

function Line({ session }: { session: Session }) {
  const t = text.users
  const call = useCall()
  const queries = useQueryClient()
  const [isWriting, setIsWriting] = useState(false)
  const end = useMutation({
    mutationFn: () => v1SessionsDisconnect({ ...call, path: { session_id: session.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['sessions of'] }),
  })
  const send = async (message: Message) => {
    const path = { session_id: session.id }
    return [{ ...(await v1SessionsMessage({ ...call, path, body: message })).data, session_id: session.id }]
  }
  return (
    <li>
      <div className="bar between">
        <strong>{session.executor}</strong>
        <Badge tone={session.state === 'ready' ? 'good' : 'warn'}>{t.sessionStates[session.state]}</Badge>
      </div>
      <p className="hint">
        {t.since} <Time at={session.created_at} />
        {session.place_id !== null && ` · ${t.place(session.place_id)}`}
      </p>
      <div className="bar">
        <GuardedButton needs={WRITE} onClick={() => setIsWriting(true)}>
          {t.sendMessage}
        </GuardedButton>
        <GuardedButton needs={WRITE} className="danger" disabled={end.isPending} onClick={() => end.mutate()}>
          {t.disconnect}
        </GuardedButton>
      </div>
      <ErrorMessage of={end.error} />
      {isWriting && <SessionMessage title={t.sendMessage} send={send} onClose={() => setIsWriting(false)} />}
    </li>
  )
}
