/** The filtered denials, grouped by customer and reason. Advice and fixes appear only in the drawer. */
import { v1ProjectDenialsFilter } from '@scriptward/sdk'
import { useMemo, useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { useIsFiltered } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { customerColumn } from '../logs/customer-column.tsx'
import { OutcomeBadge } from '../logs/outcome-badge.tsx'
import { DenialDrawer } from './denial-drawer.tsx'
import { type Group, groupsOf } from './groups.ts'
import { FILTERS, useDenialQuery, useIsMoving } from './queries.ts'

/** The page size is large, because the next page can extend a group. */
const PAGE = 500

export function DenialList({ period }: { period: Period }) {
  const t = text.denials
  const call = useCall()
  const { id } = useProject()
  const filter = useDenialQuery(period)
  const names = useScriptNames(id)
  const isMoving = useIsMoving(period)
  const isFiltered = useIsFiltered(FILTERS)
  const [opened, setOpened] = useState<string>()
  const { query, rows, more } = useList(['denials', id, filter], async (after) => {
    const whole = { ...filter, limit: PAGE, ...(after !== undefined && { after }) }
    const { denials, next } = (
      await v1ProjectDenialsFilter({ ...call, path: { project_id: id }, query: whole })
    ).data
    return { rows: denials, next }
  })
  const groups = useMemo(() => groupsOf(rows), [rows])
  const at = groups.findIndex((group) => group.id === opened)
  const open = groups[at]
  const step = (to: Group | undefined) => (to === undefined ? undefined : () => setOpened(to.id))
  return (
    <section className="stack tight" aria-label={t.list}>
      <div>
        <h2>{t.list}</h2>
        <p className="hint">{t.listHint}</p>
      </div>
      <QueryBoundary query={isMoving ? { ...query, isPending: true } : query}>
        {groups.length > 0 ? (
          <Table
            label={t.list}
            rows={groups}
            keyOf={(group) => group.id}
            columns={columnsOf(id, names)}
            more={more}
            opened={opened}
            onOpen={(group) => setOpened(group.id)}
          />
        ) : (
          <Empty
            title={isFiltered ? text.frame.nothingFound : t.emptyTitle}
            hint={isFiltered ? text.frame.nothingFoundHint : t.emptyHint}
          />
        )}
        {groups.length > 0 && <ShownOf shown={groups.length} total={more ? undefined : groups.length} />}
      </QueryBoundary>
      {open && (
        <DenialDrawer
          group={open}
          names={names}
          onPrevious={step(groups[at - 1])}
          onNext={step(groups[at + 1])}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}

function columnsOf(projectId: string, names: ReadonlyMap<string, string>): readonly Column<Group>[] {
  const t = text.denials
  return [
    {
      id: 'reason',
      title: t.reason,
      isMain: true,
      cell: ({ reason }) => <OutcomeBadge run={{ outcome: 'denied', reason, state: null }} />,
    },
    customerColumn(projectId),
    {
      id: 'script',
      title: t.script,
      cell: ({ denials }) => (
        <bdi>{listOf(denials.map(({ script_id }) => nameOfScript(names, script_id)))}</bdi>
      ),
    },
    {
      id: 'executor',
      title: t.executor,
      cell: ({ denials }) => <bdi>{listOf(denials.map(({ client }) => client.executor))}</bdi>,
    },
    { id: 'count', title: t.count, isNumber: true, place: 'end-below', cell: ({ count }) => number(count) },
    { id: 'first', title: t.first, cell: ({ first_at }) => <Time at={first_at} /> },
    { id: 'last', title: t.last, place: 'end', cell: ({ last_at }) => <Time at={last_at} /> },
  ]
}

/** Formats the first value and the number of others. */
function listOf(values: readonly string[]): string {
  const [first = '', ...others] = new Set(values)
  return others.length === 0 ? first : text.denials.andOthers(first, others.length)
}
