import { v1ProjectsList } from '@scriptward/sdk'
import { useState } from 'react'
import { Empty } from '../../components/empty.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { LoadedSearch, useLoadedSearch } from '../../components/table/loaded-search.tsx'
import { ShownOf, Table } from '../../components/table/table.tsx'
import { useList } from '../../components/table/use-list.ts'
import { useSorting } from '../../components/table/use-sorting.ts'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { COLUMNS, sorted } from './columns.tsx'
import { FirstProject, NewProjectDialog } from './new.tsx'

const AT_ONCE = 100
/** Minimum number of projects for a search field. */
const MANY = 10

export function ProjectsPage() {
  const [isOpen, setIsOpen] = useState(false)
  useDialogParam({ project: 'projects:write' }, () => setIsOpen(true))
  const { query, rows, more, total } = useProjectList()
  const isEmpty = query.data !== undefined && rows.length === 0
  return (
    <>
      <PageTitle title={text.projects} intro={text.projectList.intro}>
        {!isEmpty && (
          <GuardedButton needs="projects:write" className="main" onClick={() => setIsOpen(true)}>
            {text.projectList.new}
          </GuardedButton>
        )}
      </PageTitle>
      <QueryBoundary query={query}>
        {isEmpty ? <FirstProject /> : <List rows={rows} more={more} total={total} />}
      </QueryBoundary>
      {isOpen && <NewProjectDialog onClose={() => setIsOpen(false)} />}
    </>
  )
}

function useProjectList() {
  const call = useCall()
  return useList(['projects', 'all'], async (after) => {
    const query = { limit: AT_ONCE, order: 'newest', counts: true, ...(after && { after }) } as const
    const { projects, total, next } = (await v1ProjectsList({ ...call, query })).data
    return { rows: projects, total, next }
  })
}

type ListProps = Pick<ReturnType<typeof useProjectList>, 'rows' | 'more' | 'total'>

function List({ rows, more, total }: ListProps) {
  const sorting = useSorting()
  const { sought, setSought, found, isNothing } = useLoadedSearch(rows, more, ({ name }) => name)
  return (
    <div className="stack">
      {(total ?? rows.length) >= MANY && (
        <div className="bar between">
          <LoadedSearch title={text.projectList.search} value={sought} onChange={setSought} />
          <ShownOf shown={found.length} total={total} />
        </div>
      )}
      {isNothing ? (
        <Empty title={text.projectList.noneFound} hint={text.projectList.noneFoundHint} />
      ) : (
        <Table
          label={text.projects}
          rows={more ? found : sorted(found, sorting)}
          // Only a complete list can be sorted in the browser.
          {...(!more && { sorting })}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          total={total}
          more={more}
        />
      )}
    </div>
  )
}
