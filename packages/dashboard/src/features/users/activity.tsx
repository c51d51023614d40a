/** Timeline of a user: executions, denials with fixes, and changes by team members. */
import { v1UserDenialsList, v1UserExecutionsList } from '@scriptward/sdk'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { actorName, lineOf, namesIn, summaryOf } from '../../components/audit/audit-line.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { reasonText, titleOf } from '../../lib/denials.ts'
import { useRefusal } from '../../lib/rights.ts'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { access } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'
import { type ActivityEvent, type DenialEvent, eventsOf } from './events.ts'
import type { User } from './user.ts'
import styles from './users.module.css'

const PAGE = 50

export function Activity({ user }: { user: User }) {
  const t = text.users
  const refusal = useRefusal('audit:read')
  const { isPending, errors, events, more } = useEvents(user, refusal === undefined)
  if (isPending) return <Skeleton rows={4} />
  return (
    <>
      {refusal !== undefined && <p className="hint">{t.noAudit(refusal)}</p>}
      {errors.map((error) => (
        <ErrorMessage key={String(error)} of={error} />
      ))}
      <ol className={styles.timeline}>
        {events.map((event) => (
          <Event key={keyOf(event)} event={event} />
        ))}
      </ol>
      {more && (
        <div className="bar">
          <button type="button" onClick={more}>
            {text.more}
          </button>
        </div>
      )}
      <p className="hint">{t.timelineHint}</p>
    </>
  )
}

function useEvents(user: User, isAudited: boolean) {
  const executions = useExecutions(user.key)
  const audit = useAudit(user.key, isAudited)
  const denials = useDenials(user.key)
  const runs = executions.data?.pages.flatMap((page) => page.executions) ?? []
  const entries = audit.data?.pages.flatMap((page) => page.entries) ?? []
  const ends = [
    executions.hasNextPage && runs.at(-1)?.granted_at,
    audit.hasNextPage && entries.at(-1)?.created_at,
  ].filter((end) => typeof end === 'number')
  const queries = [executions, denials, ...(isAudited ? [audit] : [])]
  const load = () => {
    if (executions.hasNextPage) void executions.fetchNextPage()
    if (audit.hasNextPage) void audit.fetchNextPage()
  }
  return {
    isPending: queries.some((each) => each.isPending),
    errors: queries.flatMap(({ error }) => error ?? []),
    events: eventsOf({ user, executions: runs, denials: denials.data ?? [], entries, ends }),
    more: executions.hasNextPage || audit.hasNextPage ? load : undefined,
  }
}

function useExecutions(user_key: string) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: ['activity', user_key, 'executions'],
    queryFn: async ({ pageParam }) =>
      (
        await v1UserExecutionsList({
          ...call,
          path: { user_key },
          query: { limit: PAGE, after: pageParam },
        })
      ).data,
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
}

function useAudit(subject: string, enabled: boolean) {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: ['activity', subject, 'audit'],
    queryFn: ({ pageParam }) =>
      access.audit(call, { subject, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    enabled,
  })
}

function useDenials(user_key: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['activity', user_key, 'denials'],
    queryFn: async () => (await v1UserDenialsList({ ...call, path: { user_key } })).data.denials,
  })
}

const LOOKS = { execution: 'good', denial: 'bad', audit: '', created: '', reset: 'warn' } as const

function Event({ event }: { event: ActivityEvent }) {
  return (
    <li className={styles[LOOKS[event.kind]]}>
      <Words event={event} />
      <span className="hint">
        <Time at={event.at} />
      </span>
    </li>
  )
}

function Words({ event }: { event: ActivityEvent }) {
  const t = text.users
  switch (event.kind) {
    case 'execution': {
      const { executor, script_version } = event.execution
      return <span>{t.ran(executor, script_version)}</span>
    }
    case 'denial':
      return <DenialWords denial={event.denial} />
    case 'audit':
      return <AuditWords entry={event.entry} />
    default:
      return <span>{event.kind === 'reset' ? t.wasReset : t.wasCreated}</span>
  }
}

function DenialWords({ denial }: { denial: DenialEvent }) {
  const t = text.users
  const { reason, value, count, allowed_at, client } = denial
  return (
    <>
      <span>
        <strong>{t.denied(titleOf(reason), count)}</strong>
        {value !== null && ` · ${value}`} · {client.executor}
      </span>
      <span>{reasonText(reason).todo}</span>
      {allowed_at !== null && allowed_at > Date.now() && <span>{t.allowedAt(when(allowed_at))}</span>}
    </>
  )
}

function AuditWords({ entry }: { entry: Extract<ActivityEvent, { kind: 'audit' }>['entry'] }) {
  const names = namesIn([entry])
  const changes = summaryOf(entry, names)
  return (
    <span>
      <strong>{actorName(entry.actor, names)}</strong>{' '}
      {lineOf(entry, names).map((piece) => (typeof piece === 'string' ? piece : piece.label))}
      {changes.length > 0 && `: ${changes.join(', ')}`}
    </span>
  )
}

function keyOf(event: ActivityEvent): string {
  if (event.kind === 'audit') return event.entry.id
  if (event.kind === 'denial') return `${event.at}${event.denial.reason}${event.denial.script_id}`
  return `${event.kind}${event.at}`
}
