/** Lists sent and pending deliveries, newest first, with filters and details. */

import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import { FilterBar, useIsFiltered } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { DeliveryDrawer } from './delivery.tsx'
import { EVENT_TYPES } from './events.ts'
import { DELIVERY_STATES, type Delivery, useDeliveries, useWebhooks } from './queries.ts'
import { AddressName, nameOf, outcomeOf, StateBadge } from './state.tsx'

const t = webhooksText
const COLUMNS: readonly Column<Delivery>[] = [
  { id: 'type', title: t.type, isMain: true, cell: ({ type }) => <code>{type}</code> },
  { id: 'state', title: t.state, place: 'end', cell: (delivery) => <StateBadge delivery={delivery} /> },
  { id: 'kind', title: t.goesTo, place: 'below', cell: ({ webhook_id }) => <AddressName id={webhook_id} /> },
  { id: 'answer', title: t.lastAnswer, cell: ({ attempts }) => outcomeOf(attempts.at(-1)) },
  { id: 'attempts', title: t.attempts, isNumber: true, cell: ({ attempts }) => number(attempts.length) },
  { id: 'created', title: t.created, place: 'end-below', cell: ({ created_at }) => <Time at={created_at} /> },
]

export function Deliveries() {
  const [{ delivery }, change] = useFilters()
  const { query, rows, more, total } = useDeliveries()
  const webhooks = useWebhooks().data ?? []
  return (
    <Panel title={t.deliveries} hint={t.deliveriesHint}>
      <FilterBar
        label={t.filters}
        filters={[
          {
            name: 'state',
            title: t.state,
            options: DELIVERY_STATES.map((each) => [each, t.deliveryStates[each]] as const),
          },
          { name: 'type', title: t.type, options: EVENT_TYPES.map((each) => [each, each] as const) },
          {
            name: 'webhook',
            title: t.goesTo,
            options: webhooks.map((each) => [each.id, nameOf(each.id, webhooks)] as const),
          },
        ]}
      >
        {query.data && <ShownOf shown={rows.length} total={total} />}
      </FilterBar>
      <QueryBoundary query={query}>
        {rows.length === 0 ? (
          <Nothing />
        ) : (
          <Table
            label={t.deliveries}
            rows={rows}
            keyOf={({ id }) => id}
            columns={COLUMNS}
            total={total}
            more={more}
            onOpen={({ id }) => change({ delivery: id })}
          />
        )}
      </QueryBoundary>
      {delivery !== undefined && query.data && (
        <DeliveryDrawer
          delivery={rows.find(({ id }) => id === delivery)}
          isLooking={query.isFetching}
          onClose={() => change({ delivery: undefined })}
        />
      )}
    </Panel>
  )
}

function Nothing() {
  const isFiltered = useIsFiltered(['state', 'type', 'webhook'])
  const webhooks = useWebhooks()
  if (isFiltered) return <Empty title={text.frame.nothingFound} hint={text.frame.nothingFoundHint} />
  const hasAddress = (webhooks.data?.length ?? 0) > 0
  return <Empty title={t.noDeliveries} hint={hasAddress ? t.noDeliveriesHint : t.noDeliveriesYet} />
}
