import { v1ProjectsExecutors, v1ScriptsExecutors } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Bars } from '../../components/chart/bars.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { percent } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { Download } from './download.tsx'

const FIRST_ROWS = 10

export function ExecutorsPanel({ script }: { script: string | undefined }) {
  const t = text.statistics
  const call = useCall()
  const { id, name } = useProject()
  const [isWhole, setIsWhole] = useState(false)
  const query = useQuery({
    queryKey: ['executors', id, script],
    queryFn: async () => {
      if (script !== undefined)
        return (await v1ScriptsExecutors({ ...call, path: { script_id: script } })).data
      return (await v1ProjectsExecutors({ ...call, path: { project_id: id } })).data
    },
  })
  const { executors = {}, percentages = {} } = query.data ?? {}
  const sorted = Object.entries(executors).sort(([, a], [, b]) => b - a)
  const shown = isWhole ? sorted : sorted.slice(0, FIRST_ROWS)
  const share = (executor: string) => (percentages[executor] ?? 0) / 100
  const rows = () => sorted.map(([executor, count]) => [executor, count, percentages[executor] ?? 0])
  const sheet = () => ({
    name: `${name}-${t.byExecutor}`,
    head: [t.executor, t.count, t.sharePercent],
    rows: rows(),
  })
  return (
    <Panel
      title={t.byExecutor}
      hint={t.byExecutorHint}
      actions={sorted.length > 0 && <Download title={t.byExecutor} sheet={sheet} />}
    >
      <QueryBoundary query={query}>
        {sorted.length === 0 ? (
          <p className="hint">{t.noExecutors}</p>
        ) : (
          <Bars
            label={t.byExecutor}
            bars={shown.map(([executor, value]) => ({
              id: executor,
              title: `${executor || t.unnamed} · ${percent(share(executor))}`,
              value,
            }))}
          />
        )}
      </QueryBoundary>
      {shown.length < sorted.length && (
        <button type="button" className="link" onClick={() => setIsWhole(true)}>
          {t.showAll(sorted.length)}
        </button>
      )}
    </Panel>
  )
}
