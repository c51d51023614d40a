/** Compares a system's ad networks: bypass attempts and the estimated value of their visits. */
import { Panel } from '../../components/panel.tsx'
import { PlainTable } from '../../components/table/plain-table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number, percent } from '../../lib/format.ts'
import { adsText as t } from '../../messages/en/ads.ts'
import { money } from './money.ts'
import { useAdStatistics } from './queries.ts'

export function ProvidersPanel({ systemId }: { systemId: string }) {
  const query = useAdStatistics(systemId)
  const providers = query.data?.providers ?? []
  if (query.data && providers.every(({ total_started }) => total_started === 0)) return null
  return (
    <Panel title={t.networks} hint={t.networksHint}>
      <QueryBoundary query={query}>
        <PlainTable
          label={t.networks}
          titles={[t.provider, t.started, t.completed, t.bypasses, t.bypassShare, t.value]}
          rows={providers.map((one) => ({ id: one.provider, name: one.name, cells: cellsOf(one) }))}
        />
      </QueryBoundary>
    </Panel>
  )
}

type Totals = NonNullable<ReturnType<typeof useAdStatistics>['data']>['providers'][number]

function cellsOf({ total_started, total_completed, bypassed, bypass_share, value }: Totals): string[] {
  return [
    ...[total_started, total_completed, bypassed].map(number),
    total_completed + bypassed === 0 ? '–' : percent(bypass_share),
    value === null ? '–' : money(value),
  ]
}
