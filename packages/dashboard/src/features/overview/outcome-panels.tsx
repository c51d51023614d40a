/** Run outcomes and denial reasons of the period. */

import { Bars } from '../../components/chart/bars.tsx'
import { Chart } from '../../components/chart/chart.tsx'
import { outcomeSeries } from '../../components/chart/outcome-series.ts'
import { rangeQuery } from '../../components/chart/series.ts'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf, useOpen } from '../../lib/address.ts'
import { colorOf, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { deniedIn, type Outcome, type Period, totalsOf, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

type Offered = Exclude<Period, '90d' | '200d'>
type Props = { readonly period: Offered }

export function OutcomesPanel({ period }: Props) {
  const t = text.overview
  const { id } = useProject()
  const open = useOpen()
  const query = useOutcomes(id, period)
  const { now = [], before = [], step = 'day' } = query.data ?? {}
  const [current, earlier] = [totalsOf(now), totalsOf(before)]
  const isEmpty = [current, earlier].every(({ granted, denied }) => granted + denied === 0)
  const previous = [...Array(Math.max(0, now.length - before.length)).fill(0), ...before.map(attemptsIn)]
  const hrefOf = (outcome: string) => addressOf.project(id, 'logs', { outcome, period })
  return (
    <Panel title={t.outcomes} hint={t.outcomesHint}>
      <QueryBoundary query={query}>
        {isEmpty ? (
          <p className="hint">{t.noRunsHint}</p>
        ) : (
          <>
            <p>{t.reading(current, earlier, t.periodNames[period])}</p>
            <Chart
              label={t.outcomes}
              times={now.map(({ at }) => at)}
              step={step}
              series={[
                ...outcomeSeries(now, (outcome) => ({ href: hrefOf(outcome) })),
                { title: t.previous[period], color: 'soft', values: previous, isBefore: true },
              ]}
              isStacked
              onBucket={(range) => open(addressOf.project(id, 'logs', { ...rangeQuery(range), period }))}
            />
          </>
        )}
      </QueryBoundary>
    </Panel>
  )
}

const attemptsIn = (outcome: Outcome) => outcome.granted + deniedIn(outcome)
const MAX_SHOWN = 6

export function WhyPanel({ period }: Props) {
  const { id } = useProject()
  const query = useOutcomes(id, period)
  const { reasons } = totalsOf(query.data?.now ?? [])
  const sorted = Object.entries(reasons).sort(([, a], [, b]) => b - a)
  return (
    <Panel title={text.overview.why} hint={text.overview.whyHint}>
      <QueryBoundary query={query}>
        {sorted.length === 0 ? (
          <p className="hint">{text.overview.nobodyDenied}</p>
        ) : (
          <Bars
            label={text.overview.why}
            bars={sorted.slice(0, MAX_SHOWN).map(([reason, value]) => ({
              id: reason,
              title: <a href={addressOf.project(id, 'denials', { reason, period })}>{titleOf(reason)}</a>,
              value,
              color: colorOf(reason),
            }))}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}
