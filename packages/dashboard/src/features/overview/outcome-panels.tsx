/** Run outcomes and denial reasons of the period. */

import { Bars } from '../../components/chart/bars.tsx'
import { Chart } from '../../components/chart/chart.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { colorOf, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { deniedIn, type Outcome, type Period, totalsOf, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

export function OutcomesPanel({ period }: { period: Period }) {
  const { id } = useProject()
  const query = useOutcomes(id, period)
  const { now = [], before = [], step = 'day' } = query.data ?? {}
  const { granted, denied } = totalsOf([...now, ...before])
  return (
    <Panel title={text.overview.outcomes} hint={text.overview.outcomesHint}>
      <QueryBoundary query={query}>
        {granted + denied === 0 ? (
          <p className="hint">{text.overview.noRunsHint}</p>
        ) : (
          <Chart
            label={text.overview.outcomes}
            times={now.map(({ at }) => at)}
            step={step}
            series={[
              { title: text.overview.granted, color: 'accent', values: grantedIn(now) },
              { title: text.overview.denied, color: 'bad', values: now.map(deniedIn) },
              {
                title: text.overview.grantedBefore,
                color: 'soft',
                values: [...Array(Math.max(0, now.length - before.length)).fill(0), ...grantedIn(before)],
                isBefore: true,
              },
            ]}
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}

const grantedIn = (outcomes: readonly Outcome[]) => outcomes.map(({ granted }) => granted)
const MAX_SHOWN = 6

export function WhyPanel({ period }: { period: Period }) {
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
