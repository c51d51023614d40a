/** Every run of a project: a chart of the outcomes, and the filtered list. */
import { Chart } from '../../components/chart/chart.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { deniedIn, type Period, periodIn, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { LogList } from './log-list.tsx'
import { TimeRange } from './time-range.tsx'

const OFFERED = ['24h', '7d', '30d'] as const

export function LogsPage() {
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '24h')
  return (
    <>
      <PageTitle title={text.frame.logs} intro={text.logs.intro}>
        <Segments
          label={text.logs.period}
          options={OFFERED.map((each) => [each, text.denials.periods[each]])}
          chosen={period}
          onChoose={(chosen) => change({ period: chosen, from: undefined, to: undefined })}
        />
      </PageTitle>
      <OverTime period={period} />
      <LogList period={period} />
    </>
  )
}

function OverTime({ period }: { period: Period }) {
  const t = text.logs
  const { id } = useProject()
  const [{ script_id }, change] = useFilters()
  const query = useOutcomes(id, period, script_id)
  const { now = [], step = 'day' } = query.data ?? {}
  const series = [
    { title: t.outcomes.granted, color: 'good', values: now.map(({ granted }) => granted) },
    { title: t.outcomes.denied, color: 'warn', values: now.map(deniedIn) },
    { title: t.outcomes.crashed, color: 'bad', values: now.map(({ crashed }) => crashed) },
  ] as const
  const isAny = series.some(({ values }) => values.some((value) => value > 0))
  return (
    <Panel title={t.overTime} {...(isAny && { hint: t.dragHint })}>
      <QueryBoundary query={query}>
        {isAny ? (
          <Chart
            label={t.overTime}
            times={now.map(({ at }) => at)}
            step={step}
            series={series}
            onSelect={(start, end) => change({ from: String(start), to: String(end) })}
          />
        ) : (
          <p className="hint">{t.none}</p>
        )}
        <TimeRange period={period} />
      </QueryBoundary>
    </Panel>
  )
}
