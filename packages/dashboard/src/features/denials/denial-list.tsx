/** The filtered list of denials, each with its fix and a link to it. */
import { v1ProjectDenialsFilter } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { type Filter, FilterBar, useIsFiltered } from '../../components/table/filter-bar.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { UserLink } from '../../components/user-link.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { type Denial, keyOfDenial, REASON_NAMES, reasonText, remediesOf, titleOf } from '../../lib/denials.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import type { Period } from '../../queries/outcomes.ts'
import { useProject } from '../../queries/projects.ts'
import { nameOfScript, useScriptNames } from '../../queries/scripts.ts'
import { DenialDrawer } from './denial-drawer.tsx'
import styles from './denials.module.css'
import { FILTERS, useDenialQuery } from './queries.ts'

const PAGE = 100

export function DenialList({ period }: { period: Period }) {
  const t = text.denials
  const call = useCall()
  const { id } = useProject()
  const filter = useDenialQuery(period)
  const names = useScriptNames(id)
  const isFiltered = useIsFiltered(FILTERS)
  const [open, setOpen] = useState<Denial>()
  const { query, rows, more } = useList(['denials', id, filter], async (after) => {
    const whole = { ...filter, limit: PAGE, ...(after !== undefined && { after }) }
    const { denials, next } = (
      await v1ProjectDenialsFilter({ ...call, path: { project_id: id }, query: whole })
    ).data
    return { rows: denials, next }
  })
  return (
    <section className="stack" aria-label={t.list}>
      <div>
        <h2>{t.list}</h2>
        <p className="hint">{t.listHint}</p>
      </div>
      <FilterBar label={t.filters} filters={filtersOf(names)}>
        {query.data && <ShownOf shown={rows.length} total={more ? undefined : rows.length} />}
      </FilterBar>
      <QueryBoundary query={query}>
        {rows.length > 0 ? (
          <Table
            label={t.list}
            rows={rows}
            keyOf={keyOfDenial}
            columns={columnsOf(id, names)}
            more={more}
            onOpen={setOpen}
            actions={(denial) => <Remedy denial={denial} />}
          />
        ) : (
          <Empty
            title={isFiltered ? text.frame.nothingFound : t.emptyTitle}
            hint={isFiltered ? text.frame.nothingFoundHint : t.emptyHint}
          />
        )}
      </QueryBoundary>
      {open && <DenialDrawer denial={open} names={names} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

function filtersOf(names: ReadonlyMap<string, string>): readonly Filter[] {
  const t = text.denials
  return [
    { name: 'reason', title: t.reason, options: REASON_NAMES.map((reason) => [reason, titleOf(reason)]) },
    { name: 'script_id', title: t.script, ...(names.size > 0 && { options: [...names] }) },
    { name: 'executor', title: t.executor },
    { name: 'user_key', title: t.userKey },
  ]
}

function columnsOf(projectId: string, names: ReadonlyMap<string, string>): readonly Column<Denial>[] {
  const t = text.denials
  return [
    { id: 'reason', title: t.reason, isMain: true, cell: ({ reason }) => titleOf(reason) },
    {
      id: 'todo',
      title: t.whatToDo,
      cell: ({ reason }) => <span className="hint">{reasonText(reason).todo}</span>,
    },
    {
      id: 'user',
      title: t.user,
      cell: ({ user_key }) => <UserLink projectId={projectId} userKey={user_key} />,
    },
    { id: 'script', title: t.script, cell: ({ script_id }) => nameOfScript(names, script_id) },
    { id: 'executor', title: t.executor, cell: ({ client }) => client.executor },
    {
      id: 'last',
      title: t.last,
      cell: ({ last_at, count }) => (
        <span className={styles.short}>
          <Time at={last_at} />
          {count > 1 && <span className="hint">{t.times(count)}</span>}
        </span>
      ),
    },
  ]
}

function Remedy({ denial }: { denial: Denial }) {
  const { id } = useProject()
  const [remedy] = remediesOf(id, denial)
  return remedy ? (
    <a className="button" href={remedy.href}>
      {remedy.title}
    </a>
  ) : null
}
