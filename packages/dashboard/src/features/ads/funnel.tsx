/** How many visitors started and completed each step since the system was created, as bars and as a table. */
import { useState } from 'react'
import { type Bar, Bars } from '../../components/chart/bars.tsx'
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { durationText } from '../../lib/durations.ts'
import { number, percent } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useAdStatistics } from './queries.ts'

const t = text.ads
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard.
    <div className="scroll" tabIndex={0}>
      <table aria-label={t.funnel}>
        <thead>
          <tr>
            {[t.step, t.started, t.completed, t.share, t.median, t.refused].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.checkpoint_id}>
              <th scope="row">{step.name}</th>
              <td>{number(step.total_started)}</td>
              <td>{number(step.total_completed)}</td>
              <td>{step.total_started === 0 ? '–' : percent(step.total_completed / step.total_started)}</td>
              <td>{step.median_duration === null ? '–' : durationText(step.median_duration)}</td>
              <td>{refusedIn(step)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function refusedIn({ refused }: Step): string {
  const parts = refused.map(({ reason, count }) => `${t.reasons[reason] ?? reason}: ${number(count)}`)
  return parts.join(', ') || '–'
}
