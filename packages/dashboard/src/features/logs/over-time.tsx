/** The outcomes of the period. The chosen range is marked; click or drag to choose one. */
import { Chart } from '../../components/chart/chart.tsx'
import { outcomeSeries } from '../../components/chart/outcome-series.ts'
import { type Range, rangeQuery } from '../../components/chart/series.ts'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { deniedIn, type Period, useOutcomes } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { numberOf } from './queries.ts'
import { useReleaseFlags } from './release-flags.ts'

export function OverTime({ period }: { period: Period }) {
  const t = text.logs
  const { id } = useProject()
  const [given, change] = useFilters()
  const query = useOutcomes(id, period, given.script_id)
  const { now = [], step = 'day' } = query.data ?? {}
  const flags = useReleaseFlags(given.script_id, now[0]?.at)
  const isAny = now.some((each) => each.granted + deniedIn(each) > 0)
  const [from, to] = [numberOf(given.from), numberOf(given.to)]
  const choose = (outcome: string) => change({ outcome: given.outcome === outcome ? undefined : outcome })
  const show = (range: Range) => change(rangeQuery(range))
  return (
    <QueryBoundary query={query}>
      {isAny ? (
        <Chart
          label={t.overTime}
          times={now.map(({ at }) => at)}
          step={step}
          series={outcomeSeries(now, (outcome) => ({
            onChoose: () => choose(outcome),
            isChosen: given.outcome === outcome,
          }))}
          isStacked
          flags={flags}
          brush={from === undefined ? undefined : { from, to: (to ?? Date.now()) + 1 }}
          onRange={show}
          onBucket={show}
        />
      ) : (
        <p className="hint">{t.none}</p>
      )}
    </QueryBoundary>
  )
}
