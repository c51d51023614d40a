/** Run outcomes for each version, and for the live version by executor. */
import { type V1ScriptsHealthResponse, v1ScriptsHealth } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { CrashFree } from '../../components/crash-free.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Script } from './queries.ts'

export type Health = V1ScriptsHealthResponse['versions'][number]
type ByExecutor = Health['executors'][number]

export function useHealth(script_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', script_id, 'health'],
    queryFn: async () => (await v1ScriptsHealth({ ...call, path: { script_id } })).data.versions,
  })
}

export function HealthByExecutor({ script }: { script: Script }) {
  const t = text.health
  const query = useHealth(script.id)
  const live = query.data?.find(({ version }) => version === script.version)
  if (live === undefined || live.executors.length === 0) return null
  return (
    <Panel title={t.byExecutor(script.version)} hint={t.byExecutorHint}>
      <QueryBoundary query={query}>
        <Table
          label={t.byExecutor(script.version)}
          rows={live.executors}
          keyOf={({ executor }) => executor}
          columns={EXECUTOR_COLUMNS}
          total={live.executors.length}
        />
      </QueryBoundary>
    </Panel>
  )
}

const EXECUTOR_COLUMNS: readonly Column<ByExecutor>[] = [
  { id: 'executor', title: text.health.executor, isMain: true, cell: ({ executor }) => executor },
  {
    id: 'runs',
    title: text.health.runs,
    place: 'end-below',
    isNumber: true,
    cell: ({ runs }) => number(runs),
  },
  {
    id: 'crash-free',
    title: text.health.crashFree,
    place: 'end',
    isNumber: true,
    cell: ({ crash_free_customers }) => <CrashFree share={crash_free_customers} />,
  },
  { id: 'crashed', title: text.health.crashed, isNumber: true, cell: ({ crashed }) => number(crashed) },
  { id: 'vanished', title: text.health.vanished, isNumber: true, cell: ({ vanished }) => number(vanished) },
  { id: 'denied', title: text.health.denied, isNumber: true, cell: ({ denied }) => number(denied) },
]
