/** What a user runs right now: each session can be sent a message, or ended. */
import { v1SessionsDisconnect, v1SessionsMessage, v1UserSessionsList } from '@scriptward/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../../api.ts'
import { AreaField } from '../../parts/area-field.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Complaint } from '../../parts/complaint.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { GuardedButton } from '../../parts/guarded.tsx'
import { Time } from '../../parts/time.tsx'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'
import styles from './users.module.css'

const WRITE = 'sessions:write'
const EVERY_MS = 5_000
const SHOWN = 100

export function Sessions({ userKey }: { userKey: string }) {
  const t = text.users
  const call = useCall()
  const path = { user_key: userKey }
  const asked = useQuery({
    queryKey: ['sessions of', userKey],
    queryFn: async () => (await v1UserSessionsList({ ...call, path, query: { limit: SHOWN } })).data.sessions,
    refetchInterval: EVERY_MS,
  })
  return (
    <Waiting asked={asked}>
      {asked.data?.length === 0 ? (
        <p>{t.noSessions}</p>
      ) : (
        <ul className={styles.sessions}>
          {asked.data?.map((session) => (
            <Line key={session.id} session={session} />
          ))}
        </ul>
      )}
    </Waiting>
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
      <Complaint of={end.error} />
      {isWriting && <MessageForm sessionId={session.id} onClose={() => setIsWriting(false)} />}
    </li>
  )
}

function MessageForm({ sessionId, onClose }: { sessionId: string; onClose: () => void }) {
  const t = text.users
  const call = useCall()
  const [key, setKey] = useState('')
  const [data, setData] = useState('')
  const parsed = parsedOf(data)
  const send = useMutation({
    mutationFn: async (body: { key: string; data?: unknown }) =>
      v1SessionsMessage({ ...call, path: { session_id: sessionId }, body }),
    onSuccess: onClose,
  })
  const submit = () => {
    if (parsed === undefined || key.trim() === '') return
    send.mutate({ key: key.trim(), ...('value' in parsed && { data: parsed.value }) })
  }
  return (
    <FormDialog
      title={t.sendMessage}
      submit={t.send}
      isPending={send.isPending}
      error={send.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t.messageName}
        hint={t.messageNameHint}
        required
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <AreaField
        label={t.messageData}
        hint={t.messageDataHint}
        error={parsed === undefined ? t.noJson : undefined}
        value={data}
        onChange={setData}
      />
    </FormDialog>
  )
}

/** Empty for no data; undefined when it is no JSON. */
function parsedOf(typed: string): { readonly value?: unknown } | undefined {
  if (typed.trim() === '') return {}
  try {
    return { value: JSON.parse(typed) }
  } catch {
    return undefined
  }
}
