/** How many were denied when: of one reason, if the list shows only that one. */
import { useFilters } from '../../address.ts'
import { isReason, titleOf } from '../../denials.ts'
import { deniedIn, type Outcome, type Period, useOutcomes } from '../../outcomes.ts'
import { Chart } from '../../parts/chart/chart.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useProject } from '../../projects.ts'
import { text } from '../../text/text.ts'
import { Waiting } from '../trouble.tsx'

export function OverTime({ period }: { period: Period }) {
  const t = text.denials
  const { id } = useProject()
  const [{ reason, script_id }] = useFilters()
  const asked = useOutcomes(id, period, script_id)
  const { now = [], step = 'day' } = asked.data ?? {}
  const count = (outcome: Outcome) => (isReason(reason) ? (outcome.denied[reason] ?? 0) : deniedIn(outcome))
  const values = now.map(count)
  const total = values.reduce((sum, value) => sum + value, 0)
  const title = isReason(reason) ? titleOf(reason) : t.denied
  return (
    <Panel title={t.overTime} {...(asked.data && { hint: t.total(total) })}>
      <Waiting asked={asked}>
        {total === 0 ? (
          <p className="hint">{t.noneInPeriod}</p>
        ) : (
          <Chart
            label={t.overTime}
            times={now.map(({ at }) => at)}
            step={step}
            series={[{ title, color: 'bad', values }]}
          />
        )}
      </Waiting>
    </Panel>
  )
}
