/** Games that have no script, but in which customers requested the hub URL. */
import { useState } from 'react'
import { Panel } from '../../components/panel.tsx'
import { RowButton } from '../../components/row-button.tsx'
import { Pair } from '../../components/table/pair.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { AddToScript } from './add-to-script.tsx'
import { type Hub, type HubScript, type Wanted, WRITE } from './queries.ts'

const t = text.hub

export function Demand({ hub, scripts }: { hub: Hub; scripts: readonly HubScript[] }) {
  const { demand, other_requests } = hub
  const [added, setAdded] = useState<Wanted | null>(null)
  const actions = (row: Wanted) => (
    <RowButton
      needs={WRITE}
      label={t.add}
      of={t.addName(row.place_id, row.game_id)}
      onClick={() => setAdded(row)}
    />
  )
  return (
    <Panel title={t.demand} hint={t.demandHint}>
      {demand.length === 0 ? (
        <p className="hint">{t.noDemand}</p>
      ) : (
        <Table
          label={t.demand}
          rows={demand}
          keyOf={({ place_id, game_id }) => `${place_id} ${game_id}`}
          columns={COLUMNS}
          {...(scripts.length > 0 && { actions })}
        />
      )}
      {other_requests > 0 && <p className="hint">{t.otherRequests(other_requests)}</p>}
      {added && <AddToScript wanted={added} scripts={scripts} onClose={() => setAdded(null)} />}
    </Panel>
  )
}

const COLUMNS: readonly Column<Wanted>[] = [
  {
    id: 'place',
    title: t.place,
    isMain: true,
    cell: ({ place_id, game_id }) => (
      <Pair below={game_id === '0' ? null : t.addGame(game_id)}>
        {place_id === '0' ? t.unknown : place_id}
      </Pair>
    ),
  },
  {
    id: 'requests',
    title: t.requests,
    isNumber: true,
    place: 'end',
    cell: ({ requests }) => number(requests),
  },
  {
    id: 'last-seen',
    title: t.lastSeen,
    isNumber: true,
    cell: ({ last_seen }) => <Time at={last_seen} />,
  },
]
