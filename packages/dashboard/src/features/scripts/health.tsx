/** How runs of each version went: columns of the list of versions, and the live version by executor. */
import { type V1ScriptsHealthResponse, v1ScriptsHealth } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number, percent } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Script, Version } from './queries.ts'

export type Health = V1ScriptsHealthResponse['versions'][number]
type ByExecutor = Health['executors'][number]

/** Below this share of customers without a crash, a version is marked. */
const LOW_SHARE = 0.99

export function useHealth(script_id: string) {
  const call = useCall()
  return useQuery({
    queryKey: ['script', script_id, 'health'],
    queryFn: async () => (await v1ScriptsHealth({ ...call, path: { script_id } })).data.versions,
  })
}

export function healthColumns(health: readonly Health[] | undefined): readonly Column<Version>[] {
  const t = text.health
  const of = (version: number) => health?.find((one) => one.version === version)
  return [
    {
      id: 'customers',
      title: t.customers,
      isNumber: true,
      cell: ({ version }) => number(of(version)?.customers ?? 0),
    },
    {
      id: 'crash-free',
      title: t.crashFree,
      isNumber: true,
      cell: ({ version }) => <CrashFree share={of(version)?.crash_free_customers ?? null} />,
    },
    {
      id: 'denied',
      title: t.denied,
      isNumber: true,
      cell: ({ version }) => number(of(version)?.denied ?? 0),
    },
  ]
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
  { id: 'runs', title: text.health.runs, isNumber: true, cell: ({ runs }) => number(runs) },
  {
    id: 'crash-free',
    title: text.health.crashFree,
    isNumber: true,
    cell: ({ crash_free_customers }) => <CrashFree share={crash_free_customers} />,
  },
  { id: 'crashed', title: text.health.crashed, isNumber: true, cell: ({ crashed }) => number(crashed) },
  { id: 'vanished', title: text.health.vanished, isNumber: true, cell: ({ vanished }) => number(vanished) },
  { id: 'denied', title: text.health.denied, isNumber: true, cell: ({ denied }) => number(denied) },
]

export function CrashFree({ share }: { share: number | null }) {
  if (share === null) return <span className="hint">{text.health.none}</span>
  return share < LOW_SHARE ? <Badge tone="bad">{percent(share)}</Badge> : percent(share)
}
