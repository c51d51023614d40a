/** Run outcomes, executors and top scripts across all projects. */
import { v1AccountExecutions, v1AccountExecutors, v1AccountOutcomes } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Bars } from '../../components/chart/bars.tsx'
import { Chart } from '../../components/chart/chart.tsx'
import { outcomeSeries } from '../../components/chart/outcome-series.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { totalsOf } from '../../queries/outcomes.ts'

const MAX_SHOWN = 10
const FRESH_MS = 60_000

export function UsagePanels() {
  return (
    <>
      <Outcomes />
      <div className="two">
        <Scripts />
        <Executors />
      </div>
    </>
  )
}

function Outcomes() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['account', 'outcomes'],
    queryFn: async () => (await v1AccountOutcomes({ ...call, query: { step: 'day' } })).data.outcomes,
    staleTime: FRESH_MS,
  })
  const days = query.data ?? []
  const { granted, denied } = totalsOf(days)
  return (
    <Panel title={text.accountUsage} hint={text.accountUsageHint}>
      <QueryBoundary query={query}>
        {granted + denied === 0 ? (
          <p className="hint">{text.overview.noRunsHint}</p>
        ) : (
          <Chart
            label={text.accountUsage}
            step="day"
            times={days.map(({ at }) => at)}
            series={outcomeSeries(days)}
            isStacked
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}

function Scripts() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['account', 'executions'],
    queryFn: async () => (await v1AccountExecutions(call)).data.executions,
    staleTime: FRESH_MS,
  })
  const { total: _, ...scripts } = query.data ?? { total: {} }
  const sums = Object.entries(scripts).map(([name, days]) => [name, sumOf(days)] as const)
  return (
    <Panel title={text.accountScripts} hint={text.accountScriptsHint}>
      <QueryBoundary query={query}>
        <Largest label={text.accountScripts} counts={sums} none={text.accountNoScripts} />
      </QueryBoundary>
    </Panel>
  )
}

function Executors() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['account', 'executors'],
    queryFn: async () => (await v1AccountExecutors(call)).data.executors,
    staleTime: FRESH_MS,
  })
  return (
    <Panel title={text.statistics.byExecutor}>
      <QueryBoundary query={query}>
        <Largest
          label={text.statistics.byExecutor}
          counts={Object.entries(query.data ?? {})}
          none={text.statistics.noExecutors}
        />
      </QueryBoundary>
    </Panel>
  )
}

type Counts = readonly (readonly [string, number])[]

function Largest({ label, counts, none }: { label: string; counts: Counts; none: string }) {
  const largest = counts.toSorted(([, a], [, b]) => b - a).slice(0, MAX_SHOWN)
  if (largest.length === 0) return <p className="hint">{none}</p>
  return (
    <Bars label={label} bars={largest.map(([id, value]) => ({ id, title: id.replace(ITS_ID, ''), value }))} />
  )
}

/** The API appends IDs to names that are not unique. */
const ITS_ID = / - scr_\w+$/

function sumOf(days: Readonly<Record<string, number>>): number {
  return Object.values(days).reduce((sum, each) => sum + each, 0)
}
