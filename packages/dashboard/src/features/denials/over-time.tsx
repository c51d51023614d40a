/** Denials over time. If the list is filtered by reason, the chart shows only that reason. */

import { Chart } from '../../components/chart/chart.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { isReason, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { deniedIn, type Outcome, type Period, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'

export function OverTime({ period }: { period: Period }) {
  const t = text.denials
  const { id } = useProject()
  const [{ reason, script_id }] = useFilters()
  const query = useOutcomes(id, period, script_id)
  const { now = [], step = 'day' } = query.data ?? {}
  const count = (outcome: Outcome) => (isReason(reason) ? (outcome.denied[reason] ?? 0) : deniedIn(outcome))
  const values = now.map(count)
  const total = values.reduce((sum, value) => sum + value, 0)
  const title = isReason(reason) ? titleOf(reason) : t.denied
  return (
    <Panel title={t.overTime} {...(query.data && { hint: t.total(total) })}>
      <QueryBoundary query={query}>
        {total === 0 ? (
          <p className="hint">{t.noneInPeriod}</p>
        ) : (
          <Chart
            label={t.overTime}
            times={now.map(({ at }) => at)}
            step={step}
            series={[{ title, color: 'denied', values }]}
            isStacked
          />
        )}
      </QueryBoundary>
    </Panel>
  )
}
