/**
 * The number of visitors who started and completed each step since the system was created, as bars and as a
 * table.
 */
import { useState } from 'react'
import { type Bar, Bars } from '../../components/chart/bars.tsx'
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import { PlainTable } from '../../components/table/plain-table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { durationText } from '../../lib/durations.ts'
import { number, percent } from '../../lib/format.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { text } from '../../messages/text.ts'
import { useAdStatistics } from './queries.ts'

type Statistics = NonNullable<ReturnType<typeof useAdStatistics>['data']>
type Step = Statistics['checkpoints'][number]

export function Funnel({ systemId }: { systemId: string }) {
  const query = useAdStatistics(systemId)
  const [isTable, setIsTable] = useState(false)
  const steps = query.data?.checkpoints ?? []
  const isEmpty = steps.every(({ total_started }) => total_started === 0)
  const toggle = (
    <button type="button" className="link" onClick={() => setIsTable(!isTable)}>
      {isTable ? text.frame.asChart : text.frame.asTable}
    </button>
  )
  return (
    <Panel title={t.funnel} hint={t.funnelHint} actions={isEmpty ? undefined : toggle}>
      <QueryBoundary query={query}>
        {query.data && isEmpty && <Empty title={t.noFunnel} hint={t.noFunnelHint} />}
        {query.data && !isEmpty && !isTable && <Bars label={t.funnel} bars={barsOf(query.data)} />}
        {!isEmpty && isTable && <Twin steps={steps} />}
      </QueryBoundary>
    </Panel>
  )
}

function barsOf({ checkpoints, total_keys }: Statistics): Bar[] {
  const ofSteps = checkpoints.flatMap(({ checkpoint_id: id, name, total_started, total_completed }) => [
    { id: `${id}-began`, title: t.began(name), value: total_started, color: 'soft' as const },
    { id: `${id}-passed`, title: t.didPass(name), value: total_completed },
  ])
  return [...ofSteps, { id: 'keys', title: t.keys, value: total_keys }]
}

function Twin({ steps }: { steps: readonly Step[] }) {
  return (
    <PlainTable
      label={t.funnel}
      titles={[t.step, t.started, t.completed, t.share, t.median, t.refused]}
      rows={steps.map((step) => ({ id: step.checkpoint_id, name: step.name, cells: cellsOf(step) }))}
    />
  )
}

function cellsOf(step: Step): string[] {
  const { total_started, total_completed, median_duration } = step
  return [
    ...[total_started, total_completed].map(number),
    total_started === 0 ? '–' : percent(total_completed / total_started),
    median_duration === null ? '–' : durationText(median_duration),
    refusedIn(step),
  ]
}

function refusedIn({ refused }: Step): string {
  const parts = refused.map(({ reason, count }) => `${t.reasons[reason] ?? reason}: ${number(count)}`)
  return parts.join(', ') || '–'
}
