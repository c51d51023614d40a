/** The history of bulk changes and removals: who made each of them, and the undo buttons. */
import { v1ChangesList, v1ProjectsChanges } from '@scriptward/sdk'
import { actorName } from '../../components/audit/audit-line.ts'
import { Empty } from '../../components/empty.tsx'
import type { Change } from '../../components/overlays/undo-change.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { type Column, ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useFilters } from '../../lib/address.ts'
import { number } from '../../lib/format.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { ChangeDrawer } from './change-drawer.tsx'
import { changeTitle, stateOf } from './change-title.ts'
import { UndoChangeButton } from './undo-change-button.tsx'

const PAGE = 100
const KEY = 'changes'

export function ChangesPage() {
  const t = text.changes
  const [{ project, change: open }, change] = useFilters()
  const list = useChanges(project)
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
              onOpen={({ id }) => change({ change: id })}
              actions={(row) => row.state !== 'undone' && <UndoChangeButton change={row} />}
            />
          </>
        )}
      </QueryBoundary>
      {open !== undefined && (
        <ChangeDrawer
          id={open}
          listed={list.rows.find(({ id }) => id === open)}
          onClose={() => change({ change: undefined })}
        />
      )}
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
  { id: 'who', title: text.changes.who, place: 'below', cell: ({ actor }) => actorName(actor, new Map()) },
  { id: 'state', title: text.changes.state, cell: stateOf },
]
