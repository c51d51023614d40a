/** Runs of a script over time and by executor. */
import { v1ProjectsOutcomes, v1ScriptsExecutors } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Bars } from '../../components/chart/bars.tsx'
import { Chart } from '../../components/chart/chart.tsx'
import { outcomeSeries } from '../../components/chart/outcome-series.ts'
import { Segments } from '../../components/fields/segments.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { Script } from './queries.ts'

type Step = 'hour' | 'day'

export function Outcomes({ script }: { script: Script }) {
  const [step, setStep] = useState<Step>('hour')
  const query = useOutcomes(script.id, step)
  const outcomes = query.data
  const { times, series } = useMemo(() => {
    const all = outcomes ?? []
    return { times: all.map(({ at }) => at), series: outcomeSeries(all) }
  }, [outcomes])
  const isEmpty = series.every(({ values }) => values.every((value) => value === 0))
  const options = [
    ['hour', text.scripts.day],
    ['day', text.scripts.month],
  ] as const
  const periods = <Segments label={text.scripts.period} options={options} chosen={step} onChoose={setStep} />
  return (
    <Panel title={text.scripts.runs} actions={periods}>
      <QueryBoundary query={query}>
        {isEmpty && <p className="hint">{text.scripts.noRuns}</p>}
        <Chart label={text.scripts.runs} times={times} step={step} series={series} isStacked />
      </QueryBoundary>
    </Panel>
  )
}

function useOutcomes(scriptId: string, step: Step) {
  const call = useCall()
  const { id } = useProject()
  const query = { script_id: scriptId, step }
  return useQuery({
    queryKey: ['script', scriptId, 'outcomes', step],
    queryFn: async () =>
      (await v1ProjectsOutcomes({ ...call, path: { project_id: id }, query })).data.outcomes,
  })
}

export function Executors({ script }: { script: Script }) {
  const call = useCall()
  const query = useQuery({
    queryKey: ['script', script.id, 'executors'],
    queryFn: async () =>
      (await v1ScriptsExecutors({ ...call, path: { script_id: script.id } })).data.executors,
  })
  const bars = Object.entries(query.data ?? {}).map(([name, value]) => ({
    id: name,
    title: <bdi>{name || text.scripts.unknownExecutor}</bdi>,
    value,
  }))
  return (
    <Panel title={text.scripts.executors} hint={text.scripts.executorsHint}>
      <QueryBoundary query={query}>
        {bars.length === 0 ? (
          <p className="hint">{text.scripts.noRuns}</p>
        ) : (
          <Bars label={text.scripts.executors} bars={bars} />
        )}
      </QueryBoundary>
    </Panel>
  )
}
