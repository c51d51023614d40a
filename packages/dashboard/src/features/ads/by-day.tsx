/** Visitors per day, in total or for one step, as a chart and a table. */

import { Chart, type Series } from '../../components/chart/chart.tsx'
import { Segments } from '../../components/fields/segments.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { periodIn } from '../../queries/outcomes.ts'
import {
  type AdDay,
  type Checkpoint,
  labelOf,
  PROVIDER_IDS,
  type ProviderId,
  useAdDays,
  useCheckpoints,
  useProviders,
} from './queries.ts'

const OFFERED = ['7d', '30d', '90d'] as const

export function ByDay({ systemId }: { systemId: string }) {
  const [given, change] = useFilters()
  const period = periodIn(given.period, OFFERED, '30d')
  const query = useAdDays(systemId, period)
  const { data: checkpoints = [] } = useCheckpoints(systemId)
  const step = checkpoints.find(({ id }) => id === given.step)
  const { data: providers } = useProviders()
  const used = PROVIDER_IDS.filter((id) => checkpoints.some(({ provider }) => provider === id))
  const provider = used.find((id) => id === given.step)
  const shown = provider ? labelOf(providers, provider) : step?.name
  const days = query.data ?? []
  const isNone = days.every((day) => day.checkpoints.length === 0 && day.completions === 0)
  return (
    <Panel
      title={t.byDay}
      hint={t.byDayHint}
      actions={
        <Segments
          label={text.statistics.period}
          options={OFFERED.map((each) => [each, text.statistics.periods[each]])}
          chosen={period}
          onChoose={(chosen) => change({ period: chosen })}
        />
      }
    >
      <QueryBoundary query={query}>
        {isNone ? (
          <p className="hint">{t.nobodyCame}</p>
        ) : (
          <>
            <SelectField
              label={t.step}
              options={[
                ['', t.wholeWay],
                ...checkpoints.map(({ id, name }) => [id, name] as const),
                ...used.map((id) => [id, t.allOf(labelOf(providers, id))] as const),
              ]}
              value={step?.id ?? provider ?? ''}
              onChange={(event) => change({ step: event.target.value || undefined })}
            />
            <Chart
              label={shown === undefined ? t.byDay : t.byDayOf(shown)}
              times={days.map(({ at }) => at)}
              step="day"
              series={
                provider
                  ? ofProvider(days, provider)
                  : step
                    ? ofStep(days, step)
                    : ofWholeWay(days, checkpoints[0])
              }
            />
          </>
        )}
      </QueryBoundary>
    </Panel>
  )
}

type Count = 'started' | 'completed' | 'refused'

function ofStep(days: readonly AdDay[], step: Checkpoint): Series[] {
  return [
    series(t.started, 'soft', countsOf(days, step, 'started')),
    series(t.completed, 'accent', countsOf(days, step, 'completed')),
    series(t.refused, 'bad', countsOf(days, step, 'refused')),
  ]
}

/** Returns completed and bypassed visits, which show whether the network lets visitors skip its ads. */
function ofProvider(days: readonly AdDay[], id: ProviderId): Series[] {
  const counts = (count: 'completed' | 'bypassed') =>
    days.map(({ providers }) => providers.find(({ provider }) => provider === id)?.[count] ?? 0)
  return [series(t.completed, 'accent', counts('completed')), series(t.bypasses, 'warn', counts('bypassed'))]
}

/** Starting the first step counts as starting the entire flow. */
function ofWholeWay(days: readonly AdDay[], first: Checkpoint | undefined): Series[] {
  return [
    series(t.started, 'soft', countsOf(days, first, 'started')),
    series(
      t.finished,
      'accent',
      days.map(({ completions }) => completions),
    ),
    series(
      t.newKeys,
      'good',
      days.map(({ keys }) => keys),
    ),
  ]
}

function series(title: string, color: Series['color'], values: readonly number[]): Series {
  return { title: `${title}: ${number(values.reduce((sum, value) => sum + value, 0))}`, color, values }
}

function countsOf(days: readonly AdDay[], step: Checkpoint | undefined, count: Count): number[] {
  return days.map(
    ({ checkpoints }) => checkpoints.find((one) => one.checkpoint_id === step?.id)?.[count] ?? 0,
  )
}
