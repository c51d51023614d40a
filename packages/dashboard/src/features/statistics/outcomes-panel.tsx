/** Execution outcomes over time and by reason. */

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
import { Download, dayOf, type Sheet } from './download.tsx'

type Props = { readonly period: Period; readonly script: string | undefined }

export function OutcomesPanel({ period, script }: Props) {
  const t = text.statistics
  const { id, name } = useProject()
  const query = useOutcomes(id, period, script)
  const { now = [], step = 'day' } = query.data ?? {}
  const { granted, denied } = totalsOf(now)
  const open = useOpen()
  const logOf = (filters: { outcome?: string; from?: string; to?: string }) =>
    addressOf.project(id, 'logs', { period: '30d', script_id: script, ...filters })
  const isNone = granted + denied === 0
  return (
    <Panel
      title={t.byOutcome}
      hint={t.byOutcomeHint}
      actions={!isNone && <Download title={t.byOutcome} sheet={() => sheetOf(now, name)} />}
    >
      <QueryBoundary query={query}>
        {isNone ? (
          <p className="hint">{t.noneHint}</p>
        ) : (
          <Chart
            label={t.byOutcome}
            times={now.map(({ at }) => at)}
            step={step}
            series={outcomeSeries(now, (outcome) => ({ href: logOf({ outcome }) }))}
            isStacked
            onBucket={(range) => open(logOf(rangeQuery(range)))}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}

export function ReasonsPanel({ period, script }: Props) {
  const t = text.statistics
  const { id } = useProject()
  const query = useOutcomes(id, period, script)
  const sorted = Object.entries(totalsOf(query.data?.now ?? []).reasons).sort(([, a], [, b]) => b - a)
  return (
    <Panel title={t.byReason}>
      <QueryBoundary query={query}>
        {sorted.length === 0 ? (
          <p className="hint">{t.noneDenied}</p>
        ) : (
          <Bars
            label={t.byReason}
            bars={sorted.map(([reason, value]) => ({
              id: reason,
              title: (
                <a href={addressOf.project(id, 'denials', { reason, script_id: script })}>
                  {titleOf(reason)}
                </a>
              ),
              value,
              color: colorOf(reason),
            }))}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}

/** Has one column for each reason that occurs. */
function sheetOf(now: readonly Outcome[], project: string): Sheet {
  const t = text.statistics
  const reasons = Object.keys(totalsOf(now).reasons)
  return {
    name: `${project}-${t.byOutcome}`,
    head: [t.date, t.granted, text.logs.vanished, t.denied, ...reasons.map(titleOf)],
    rows: now.map((each) => [
      dayOf(each.at),
      each.granted,
      each.vanished,
      deniedIn(each),
      ...reasons.map((reason) => each.denied[reason] ?? 0),
    ]),
  }
}
