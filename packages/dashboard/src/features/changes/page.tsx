/** The history of bulk changes and removals, with their authors and undo. */
import { v1ChangesList, v1ProjectsChanges } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { Drawer } from '../../components/overlays/drawer.tsx'
import type { Change } from '../../components/overlays/undo-change.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { shortKey } from '../../lib/short-key.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { AffectedUsers } from './affected-users.tsx'
import { changeTitle } from './change-title.ts'
import { UndoButton } from './undo-button.tsx'

const PAGE = 100
const KEY = 'changes'

export function ChangesPage() {
  const t = text.changes
  const [{ project }, change] = useFilters()
  const list = useChanges(project)
  const [open, setOpen] = useState<string | null>(null)
  const shown = list.rows.find(({ id }) => id === open)
  return (
    <>
      <PageTitle title={t.title} intro={t.intro}>
        {project !== undefined && (
          <button type="button" onClick={() => change({ project: undefined })}>
            {t.ofAllProjects}
          </button>
        )}
      </PageTitle>
      <QueryBoundary query={list.query}>
        {list.rows.length === 0 ? (
          <Empty title={t.noneTitle} hint={t.noneHint} />
        ) : (
          <>
            {list.total !== list.rows.length && <ShownOf shown={list.rows.length} total={list.total} />}
            <Table
              label={t.title}
              rows={list.rows}
              keyOf={({ id }) => id}
              columns={COLUMNS}
              total={list.total}
              more={list.more}
              onOpen={({ id }) => setOpen(id)}
              actions={(row) => row.state !== 'undone' && <UndoButton change={row} />}
            />
          </>
        )}
      </QueryBoundary>
      {shown && <ChangeDrawer change={shown} onClose={() => setOpen(null)} />}
    </>
  )
}

function useChanges(project: string | undefined) {
  const call = useCall()
  return useList<Change>([KEY, project], async (after) => {
    const query = { limit: PAGE, ...(after !== undefined && { after }) }
    const response =
      project === undefined
        ? v1ChangesList({ ...call, query })
        : v1ProjectsChanges({ ...call, path: { project_id: project }, query })
    const { changes, next, total } = (await response).data
    return { rows: changes, next, total }
  })
}

const COLUMNS: readonly Column<Change>[] = [
  { id: 'when', title: text.frame.time, place: 'end', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'what', title: text.changes.what, isMain: true, cell: changeTitle },
  {
    id: 'count',
    title: text.changes.count,
    place: 'end-below',
    isNumber: true,
    cell: ({ count }) => number(count),
  },
  { id: 'project', title: text.frame.project, cell: ({ project_name }) => project_name },
  { id: 'who', title: text.changes.who, place: 'below', cell: ({ actor }) => actor.name },
  { id: 'state', title: text.changes.state, cell: stateOf },
]

function stateOf({ state, undo_until }: Change): string {
  const t = text.changes
  return state === 'done' ? t.undoUntil(exactly(undo_until)) : t.states[state]
}

function ChangeDrawer({ change, onClose }: { readonly change: Change; readonly onClose: () => void }) {
  return (
    <Drawer title={changeTitle(change)} onClose={onClose}>
      <Facts change={change} />
      {change.state !== 'undone' && (
        <div className="bar">
          <UndoButton change={change} isMain />
        </div>
      )}
      <Skipped change={change} />
      {change.count > 0 && change.state !== 'undone' && <AffectedUsers change={change} />}
    </Drawer>
  )
}

function Facts({ change }: { change: Change }) {
  const t = text.changes
  const facts = [
    [text.frame.time, exactly(change.created_at)],
    [text.frame.project, change.project_name],
    [t.who, change.actor.name],
    [t.count, number(change.count)],
    [t.state, stateOf(change)],
    ...(change.undone_by === null ? [] : [[t.undoneBy, change.undone_by] as const]),
    ...(change.undone_at === null ? [] : [[t.undoneAt, exactly(change.undone_at)] as const]),
  ] as const
  return (
    <dl className="facts-list">
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

const SHOWN = 100

function Skipped({ change: { skipped, skipped_entries } }: { change: Change }) {
  const t = text.changes
  if (skipped === 0) return null
  return (
    <section className="stack tight">
      <h3>{t.skipped(skipped)}</h3>
      <ul>
        {skipped_entries.slice(0, SHOWN).map(({ what, name, type, reason }) => (
          <li key={name}>
            <code>{what === 'users' ? shortKey(name) : name}</code> {t.reasons[type] ?? reason}
          </li>
        ))}
      </ul>
    </section>
  )
}
