/** Shows the limits of each service tier and the request limits. */
import { type V1TiersListResponse, v1LimitsGet, v1TiersList } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { Badge } from '../../components/badge.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { bytes, number } from '../../lib/format.ts'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'

type Tier = V1TiersListResponse['tiers'][number]

const LIMITS = [
  'max_projects',
  'max_scripts',
  'max_users',
  'obfuscations',
  'max_systems',
  'max_calls',
  'log_days',
] as const

/** @param own ID of the account's tier */
export function PlansPanel({ own }: { own: number | undefined }) {
  const call = useCall()
  const query = useQuery({
    queryKey: ['tiers'],
    queryFn: async () => (await v1TiersList(call)).data.tiers,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <section className="stack tight">
      <h2>{text.tierList}</h2>
      <QueryBoundary query={query}>
        <Table
          label={text.tierList}
          rows={query.data ?? []}
          keyOf={({ id }) => String(id)}
          columns={columnsOf(own)}
          total={query.data?.length}
        />
      </QueryBoundary>
    </section>
  )
}

function columnsOf(own: number | undefined): readonly Column<Tier>[] {
  const t = operatorsText
  const limit = (value: number) => (value < 0 ? t.unlimited : number(value))
  return [
    {
      id: 'name',
      title: text.plan,
      isMain: true,
      cell: ({ id, name }) => (
        <>
          {name} {id === own && <Badge tone="plain">{text.ownTier}</Badge>}
        </>
      ),
    },
    { id: 'price', title: t.price, isNumber: true, cell: ({ price }) => number(price) },
    ...LIMITS.map((id) => ({
      id,
      title: t.limits[id],
      isNumber: true,
      cell: (tier: Tier) => limit(tier[id]),
    })),
  ]
}

export function RequestsPanel() {
  const call = useCall()
  const query = useQuery({
    queryKey: ['limits'],
    queryFn: async () => (await v1LimitsGet(call)).data.limits,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const t = text.requestLimits
  const { data } = query
  return (
    <Panel title={t.title} hint={t.hint}>
      <QueryBoundary query={query}>
        {data && (
          <dl className="facts-list">
            <Fact name={t.perSecond} value={rateOf(data.requests_per_second)} />
            <Fact name={t.atOnce} value={rateOf(data.requests_at_once)} />
            <Fact name={t.script} value={bytes(data.script)} />
            <Fact name={t.body} value={bytes(data.body)} />
            <Fact name={t.importBody} value={bytes(data.import_body)} />
            <Fact name={t.users} value={number(data.users_to_import)} />
            <Fact name={t.keys} value={number(data.keys_to_generate)} />
          </dl>
        )}
      </QueryBoundary>
    </Panel>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}

/** A limit of 0 means unlimited. */
function rateOf(limit: number): string {
  return limit === 0 ? operatorsText.unlimited : number(limit)
}
