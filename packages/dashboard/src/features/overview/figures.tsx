/** The overview's figures with their trends. Each figure loads and fails independently. */
import { v1ProjectSessionsList, v1ProjectsGet, v1ProjectUsersCreated } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { FigureCard } from '../../components/figure-card.tsx'
import { addressOf } from '../../lib/address.ts'
import { compact, number, percent } from '../../lib/format.ts'
import { useReason, useRefusal } from '../../lib/rights.ts'
import { stabilityOf, TONES } from '../../lib/stability.ts'
import { text } from '../../messages/text.ts'
import { missingRight, useCall } from '../../queries/api.ts'
import { deniedShare, lengthOf, type Period, totalsOf, useOutcomes } from '../../queries/outcomes.ts'
import { useProjectHealth } from '../../queries/project-health.ts'
import { useProject } from '../../queries/projects.ts'
import styles from './overview.module.css'

type Shown = {
  readonly value: ReactNode
  readonly change?: ReactNode
  readonly tone?: 'good' | 'warn' | 'bad' | undefined
}
type QueryState<Data> = {
  readonly data: Data | undefined
  readonly error: unknown
  readonly isPending: boolean
  refetch(): unknown
}
type Props<Data> = {
  readonly title: string
  readonly href?: string
  readonly query: QueryState<Data>
  readonly show: (data: Data) => Shown
}
type Offered = Exclude<Period, '90d' | '200d'>

const LIVE_MS = 15_000
const MINUTE_MS = 60_000

export function Figures({ period }: { period: Offered }) {
  return (
    <div className="figures">
      <Runs period={period} />
      <RunningNow />
      <NewUsers period={period} />
      <Denied period={period} />
      <CrashFree />
    </div>
  )
}

function Figure<Data>({ title, href, query, show }: Props<Data>) {
  const reason = useReason(missingRight(query.error))
  const to = href === undefined ? {} : { href }
  const { data } = query
  if (data !== undefined) return <FigureCard title={title} {...to} {...show(data)} />
  if (query.isPending) return <FigureCard title={title} {...to} value={<Loading />} />
  const why = reason ?? (
    <>
      {text.overview.failed}{' '}
      <button type="button" className="link" onClick={() => query.refetch()}>
        {text.retry}
      </button>
    </>
  )
  return <FigureCard title={title} {...to} value={text.overview.none} change={why} />
}

function Loading() {
  return (
    <span className={styles.wait} role="status">
      <span className="unseen-text">{text.loading}</span>
    </span>
  )
}

function Runs({ period }: { period: Offered }) {
  const { id } = useProject()
  const query = useOutcomes(id, period)
  return (
    <Figure
      title={text.overview.runs}
      href={addressOf.project(id, 'statistics')}
      query={query}
      show={({ now, before }) => {
        const [runs, earlier] = [totalsOf(now).granted, totalsOf(before).granted]
        return { value: <Amount of={runs} />, ...changeOf(runs, earlier, period) }
      }}
    />
  )
}

function RunningNow() {
  const call = useCall()
  const { id } = useProject()
  const maySee = useRefusal('sessions:read') === undefined
  const path = { project_id: id }
  const query = useQuery({
    queryKey: ['running', id],
    queryFn: async () => (await v1ProjectsGet({ ...call, path })).data.project.total_instances,
    refetchInterval: LIVE_MS,
  })
  const sessions = useQuery({
    queryKey: ['sessions', 'live count', id],
    queryFn: async () => (await v1ProjectSessionsList({ ...call, path, query: { limit: 1 } })).data.total,
    refetchInterval: LIVE_MS,
    enabled: maySee,
  })
  return (
    <Figure
      title={text.overview.runningNow}
      href={addressOf.project(id, 'sessions')}
      query={query}
      show={(running) => ({
        value: <Amount of={running} />,
        ...(sessions.data !== undefined && { change: text.overview.liveSessions(sessions.data) }),
      })}
    />
  )
}

function NewUsers({ period }: { period: Offered }) {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['new users', id, period],
    queryFn: async () => {
      const count = async (from: number, to: number) =>
        (await v1ProjectUsersCreated({ ...call, path: { project_id: id }, query: { from, to } })).data.count
      const now = Date.now()
      const from = now - lengthOf(period)
      const [newest, before] = await Promise.all([count(from, now), count(from - lengthOf(period), from)])
      return { newest, before }
    },
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
  })
  return (
    <Figure
      title={text.overview.newUsers}
      href={addressOf.project(id, 'users')}
      query={query}
      show={({ newest, before }) => ({
        value: <Amount of={newest} />,
        ...countChangeOf(newest, before, period),
      })}
    />
  )
}

function Denied({ period }: { period: Offered }) {
  const { id } = useProject()
  const query = useOutcomes(id, period)
  return (
    <Figure
      title={text.overview.deniedShare}
      href={addressOf.project(id, 'denials', { period })}
      query={query}
      show={({ now, before }) => {
        const [share, earlier] = [deniedShare(totalsOf(now)), deniedShare(totalsOf(before))]
        if (share === undefined) return { value: text.overview.none, change: text.overview.nobodyTried }
        return { value: percent(share), ...(earlier !== undefined && shareChangeOf(share, earlier, period)) }
      }}
    />
  )
}

/** Customers are counted per version, so the figure covers the live versions instead of a period. */
function CrashFree() {
  const { id } = useProject()
  const query = useProjectHealth()
  return (
    <Figure
      title={text.overview.crashFree}
      href={addressOf.project(id, 'scripts')}
      query={query}
      show={({ crash_free_customers: share, crashed_customers, customers }) => {
        if (share === null) return { value: text.overview.none, change: text.overview.noCustomers }
        const change = text.overview.crashedOf(crashed_customers, customers)
        const stability = stabilityOf(share)
        const rated = text.health.ratedRuns(text.health.stability[stability], change)
        return { value: percent(share), change: rated, tone: TONES[stability] }
      }}
    />
  )
}

/** Abbreviates large numbers; the exact number is in the tooltip and available to screen readers. */
function Amount({ of }: { of: number }) {
  return of < 100_000 ? number(of) : <span title={number(of)}>{compact(of)}</span>
}

function changeOf(now: number, before: number, period: Offered): Omit<Shown, 'value'> {
  const t = text.overview
  const than = t.periodNames[period]
  if (now === before) return { change: t.same(than) }
  if (before === 0) return { change: t.noneBefore(than) }
  const share = Math.abs(now - before) / before
  return now > before
    ? { change: t.up(share, than), tone: 'good' }
    : { change: t.down(share, than), tone: 'bad' }
}

function countChangeOf(now: number, before: number, period: Offered): Omit<Shown, 'value'> {
  const t = text.overview
  const than = t.periodNames[period]
  if (now === before) return { change: t.same(than) }
  return now > before
    ? { change: t.upCount(now - before, than), tone: 'good' }
    : { change: t.downCount(before - now, than), tone: 'bad' }
}

function shareChangeOf(now: number, before: number, period: Offered): Omit<Shown, 'value'> {
  const t = text.overview
  const than = t.periodNames[period]
  if (Math.abs(now - before) < 0.0005) return { change: t.same(than) }
  return now > before
    ? { change: t.upPoints(now - before, than), tone: 'bad' }
    : { change: t.downPoints(before - now, than), tone: 'good' }
}
