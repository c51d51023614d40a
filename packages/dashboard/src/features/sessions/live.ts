/**
 * A project's live sessions. Loads the list after the event stream has started, and applies the events to it
 * (`docs/sessions.md`). The stream masks license keys, but the list doesn't.
 */
import { type V1ProjectSessionsListResponse, v1ProjectSessionsList } from '@scriptward/sdk'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useList } from '../../components/table/use-list.ts'
import { useCall } from '../../queries/api.ts'
import { watchSessions } from '../../queries/session-events.ts'

export type Session = V1ProjectSessionsListResponse['sessions'][number]
export type Conditions = Readonly<Partial<Record<(typeof CONDITIONS)[number], string>>>
export type Stream = 'connecting' | 'live' | 'lost' | 'ended'

export const CONDITIONS = ['script_id', 'user_key', 'executor', 'game_user_id', 'place_id', 'job_id'] as const
const PAGE = 200
/** Interval at which batches of events are rendered. */
const DRAW_MS = 300

/** Changes received from the stream since the list was requested. */
type Changes = {
  readonly seen: ReadonlyMap<string, Session>
  readonly closed: ReadonlySet<string>
}
const NO_CHANGES: Changes = { seen: new Map(), closed: new Set() }

export function useLiveSessions(projectId: string, conditions: Conditions) {
  const call = useCall()
  const { stream, round, changes, again } = useStream(projectId)
  const { query, rows, more, total } = useList(['sessions', projectId, conditions, round], async (after) => {
    const query = { ...conditions, limit: PAGE, order: 'newest' as const, ...(after && { after }) }
    const { data } = await v1ProjectSessionsList({ ...call, path: { project_id: projectId }, query })
    return { rows: data.sessions, next: data.next, total: data.total }
  })
  const sessions = useMemo(() => withChanges(rows, changes, conditions), [rows, changes, conditions])
  const shown = total === undefined ? undefined : Math.max(0, total + sessions.length - rows.length)
  return { query, sessions, more, total: shown, stream, again }
}

/**
 * A page that is loaded later may contain sessions that the stream has already reported as opened or closed.
 */
function withChanges(rows: readonly Session[], { seen, closed }: Changes, conditions: Conditions): Session[] {
  const listed = new Set(rows.map(({ id }) => id))
  const opened = [...seen.values()].filter(
    (session) => !listed.has(session.id) && !closed.has(session.id) && isMeant(session, conditions),
  )
  const current = rows.filter(({ id }) => !closed.has(id)).map((row) => stateOf(row, seen.get(row.id)))
  return [...opened.toReversed(), ...current]
}

function stateOf(row: Session, seen: Session | undefined): Session {
  return seen === undefined ? row : { ...row, state: seen.state, last_seen: seen.last_seen }
}

/** Events contain only masked keys, so only the list can be filtered by key. */
function isMeant(session: Session, { user_key, ...others }: Conditions): boolean {
  if (user_key !== undefined) return false
  return Object.entries(others).every(([name, value]) => session[name as keyof Session] === value)
}

/** `round` counts how many times the stream has started. Each start reloads the list. */
function useStream(projectId: string) {
  const call = useCall()
  const [stream, setStream] = useState<Stream>('connecting')
  const [round, setRound] = useState(0)
  const [attempt, setAttempt] = useState(0)
  const [changes, setChanges] = useState(NO_CHANGES)
  const pending = useRef<Change[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt opens another stream, another render does not.
  useEffect(() => {
    const timer = setInterval(() => {
      const arrived = pending.current.splice(0)
      if (arrived.length > 0) setChanges((before) => arrived.reduce(afterChange, before))
    }, DRAW_MS)
    const end = watchSessions(call, projectId, {
      onBegin: () => {
        pending.current = []
        setChanges(NO_CHANGES)
        setRound((before) => before + 1)
        setStream('live')
      },
      onEvent: (type, session) => pending.current.push({ type, session: session as Session }),
      onLost: () => setStream('lost'),
      onRefused: () => setStream('ended'),
    })
    return () => {
      end()
      clearInterval(timer)
    }
  }, [projectId, attempt])
  const again = () => {
    setStream('connecting')
    setAttempt((before) => before + 1)
  }
  return { stream, round, changes, again }
}

type Change = { readonly type: string; readonly session: Session }

function afterChange({ seen, closed }: Changes, { type, session }: Change): Changes {
  if (type === 'closed') return { seen, closed: new Set(closed).add(session.id) }
  return { seen: new Map(seen).set(session.id, session), closed }
}
